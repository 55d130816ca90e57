import type { Command } from './command.ts';

type Described =
  | 'name'
  | 'summary'
  | 'fileTypes'
  | 'columns'
  | 'isChecklist'
  | 'worksWithoutDatabase'
  | 'positional'
  | 'examples'
  | 'verdict'
  | 'outlook'
  | 'parts';

/** What `causeway` needs to know of a command to describe it and to read its flags. */
export type CommandDescription = Pick<Command, Described> & { input: ObjectSchema };

interface ObjectSchema {
  required?: string[];
  properties: object;
}

export interface PropertySchema {
  type?: string;
  anyOf?: PropertySchema[];
  items?: PropertySchema;
  enum?: string[];
  contentEncoding?: string;
  required?: string[];
  properties?: Record<string, PropertySchema>;
  description?: string;
}

/** The words that a person types: `ledger verify`. */
export const wordsOf = ({ name }: Pick<CommandDescription, 'name'>) => name.replace('.', ' ');

export const propertiesOf = ({ input }: Pick<CommandDescription, 'input'>) =>
  input.properties as Record<string, PropertySchema>;

export function kindOf(schema: PropertySchema): string {
  return schema.type ?? schema.anyOf?.find((option) => option.type !== 'null')?.type ?? 'string';
}

/** A file in base64. */
export const isFile = ({ contentEncoding, anyOf = [] }: PropertySchema): boolean =>
  contentEncoding === 'base64' || anyOf.some(isFile);

/** The values that a flag takes, if they are a list. */
export const choicesOf = (schema: PropertySchema): readonly string[] => (schema.items ?? schema).enum ?? [];

/** The object that a JSON argument has, or has a list of. */
export function shapeOf(schema: PropertySchema): PropertySchema | undefined {
  const one = kindOf(schema) === 'array' ? (schema.items ?? {}) : schema;
  return kindOf(one) === 'object' ? one : undefined;
}

/** Fields that need no flag, in order: those of the entry, or the required ids. */
export function positionalOf({ positional, input }: CommandDescription): readonly string[] {
  return positional ?? (input.required ?? []).filter((field) => /^id$|Id$/.test(field));
}

export const hyphenated = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const flagOf = (field: string) => `--${hyphenated(field)}`;
