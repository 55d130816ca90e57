import { parseArgs } from 'node:util';
import {
  type CommandDescription,
  hyphenated,
  kindOf,
  type PropertySchema,
  propertiesOf,
  wordsOf,
} from './command-description.ts';
import { UsageFault } from './exit-codes.ts';

/** How the answer is printed. */
export type Format = 'table' | 'wide' | 'json' | 'csv';
const formats = ['wide', 'json', 'csv'] as const;

export interface CommandLine {
  input: Record<string, unknown>;
  format: Format;
  url?: string;
  token?: string;
  /** The output file of a command that returns a file. */
  out?: string;
}

/**
 * Turns flags into a command's input. Each field is a flag by its name or with hyphens, and an id also
 * without its suffix: `--userId`, `--user-id` or `--user`. A list is a repeated or comma-separated flag, an
 * object is JSON, and an empty text clears a field that may be null.
 */
export function parseCommandLine(command: CommandDescription, args: string[]): CommandLine {
  const properties = propertiesOf(command);
  const options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }> = {
    url: { type: 'string' },
    token: { type: 'string' },
  };
  if (command.fileTypes) options.out = { type: 'string' };
  else for (const format of formats) options[format] = { type: 'boolean' };
  const fieldOf = new Map<string, string>();
  for (const [field, schema] of Object.entries(properties)) {
    for (const flag of flagsOf(field, properties)) {
      fieldOf.set(flag, field);
      options[flag] = {
        type: kindOf(schema) === 'boolean' ? 'boolean' : 'string',
        multiple: kindOf(schema) === 'array',
      };
    }
  }
  const values = readFlags(command, args, options);
  const input: Record<string, unknown> = {};
  for (const [flag, value] of Object.entries(values)) {
    const field = fieldOf.get(flag);
    if (field && value !== undefined) input[field] = toInput(flag, properties[field]!, value);
  }
  const { url, token, out } = values as { url?: string; token?: string; out?: string };
  const format = formats.find((one) => (values as Record<string, unknown>)[one] === true) ?? 'table';
  return { input, format, url, token, out };
}

function flagsOf(field: string, fields: object): Set<string> {
  const short = field.replace(/Id$/, '');
  return new Set([field, hyphenated(field), ...(short in fields ? [] : [hyphenated(short)])]);
}

function readFlags(
  command: CommandDescription,
  args: string[],
  options: NonNullable<Parameters<typeof parseArgs>[0]>['options'],
) {
  try {
    return parseArgs({ args, options, allowNegative: true, strict: true }).values;
  } catch (error) {
    const [reason] = (error as Error).message.split('. ');
    throw new UsageFault(`${reason}. See: causeway ${wordsOf(command)} --help`);
  }
}

function toInput(flag: string, schema: PropertySchema, value: unknown): unknown {
  const kind = kindOf(schema);
  if (kind === 'array') {
    const texts = (value as string[]).flatMap((text) => (text.startsWith('[') ? [text] : text.split(',')));
    if (kindOf(schema.items ?? {}) === 'object' || texts[0]?.startsWith('['))
      return parseJson(flag, texts.join(','));
    return texts.map((text) => text.trim()).filter((text) => text !== '');
  }
  if (typeof value !== 'string') return value;
  if (value === '' && schema.anyOf?.some((option) => option.type === 'null')) return null;
  // Anything but an integer is passed on, so that the command's validation refuses it.
  if (kind === 'integer') return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return kind === 'object' ? parseJson(flag, value) : value;
}

function parseJson(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageFault(`--${flag} must be JSON.`);
  }
}
