import type { Command } from '#platform/commands/command';
import {
  isFile,
  kindOf,
  type PropertySchema,
  propertiesOf,
  shapeOf,
} from '#platform/commands/command-description';
import type { Detail } from '#platform/errors/errors';
import { JsonFault, parseStrictJson } from '#platform/http/strict-json';

/** What a person typed, by the names of the form's fields. */
export type Typed = ReadonlyMap<string, readonly string[]>;

/** Fields of forms that are not fields of commands. */
export const ownFields: readonly string[] = ['csrf', 'once', 'step', 'run'];

/** The checkbox that clears a field. */
export const clearName = (field: string) => `${field}:clear`;

export interface ReadForm {
  input: Record<string, unknown>;
  /** JSON that cannot be parsed; everything else is judged by the command's schema. */
  faults: Detail[];
}

/**
 * The input of a command from its form. An empty field is left out. What cannot be converted stays as it was
 * typed, so that the command's own check refuses it, with its own words.
 */
export function readForm({ input: schema }: Command, typed: Typed): ReadForm {
  const properties = propertiesOf({ input: schema });
  const input: Record<string, unknown> = {};
  const faults: Detail[] = [];
  for (const [name, values] of typed) {
    if (ownFields.includes(name) || name.endsWith(':clear')) continue;
    const property = properties[name];
    const texts = values.map((text) => text.trim()).filter((text) => text !== '');
    if (typed.has(clearName(name)) || texts.length === 0) continue;
    try {
      input[name] = property ? convert(property, texts) : texts[0];
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      faults.push({ field: name, message: `is not JSON: ${error.message}` });
    }
  }
  for (const field of Object.keys(properties)) if (typed.has(clearName(field))) input[field] = null;
  return { input, faults };
}

function convert(schema: PropertySchema, texts: readonly string[]): unknown {
  if (shapeOf(schema)) return parseStrictJson(Buffer.from(texts.join('\n')));
  if (kindOf(schema) === 'array') {
    const item = itemOf(schema);
    return texts.flatMap(linesOf).map((text) => convertOne(item, text));
  }
  if (isFile(schema)) return texts.join('').replaceAll(/\s/g, '');
  return texts.length === 1 ? convertOne(schema, texts[0]!) : texts;
}

/** The items of a list that may be null. */
export const itemOf = (schema: PropertySchema): PropertySchema =>
  schema.items ?? schema.anyOf?.find(({ items }) => items)?.items ?? {};

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function convertOne(schema: PropertySchema, text: string): unknown {
  const kind = kindOf(schema);
  if (kind === 'integer' || kind === 'number') return String(Number(text)) === text ? Number(text) : text;
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
