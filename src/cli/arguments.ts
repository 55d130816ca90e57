import { parseArgs } from 'node:util';
import {
  type CommandDescription,
  choicesOf,
  flagOf,
  hyphenated,
  isFile,
  kindOf,
  type PropertySchema,
  positionalOf,
  propertiesOf,
  shapeOf,
  wordsOf,
} from '#platform/commands/command-description';
import { UsageFault } from './exit-codes.ts';
import { describeFlagFault } from './flag-fault.ts';
import { readFileArgument, readJson } from './read-argument.ts';

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

type Options = Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>;

/**
 * Turns arguments into a command's input. Each field is a flag by its name or with hyphens, and an id also
 * without its suffix: `--userId`, `--user-id` or `--user`. Required ids need no flag. A list is a repeated or
 * comma-separated flag, an object is JSON, and an empty text clears a field that may be null.
 */
export function parseCommandLine(command: CommandDescription, args: string[]): CommandLine {
  const properties = propertiesOf(command);
  const { options, fieldOf } = optionsOf(command);
  const { values, positionals } = readArguments(command, args, options);
  const input: Record<string, unknown> = {};
  const assign = (field: string, flag: string, value: unknown) => {
    if (field in input) throw usage(command, `${flagOf(field)} is given twice`);
    input[field] = toInput(flag, properties[field]!, value);
  };
  for (const [flag, value] of Object.entries(values)) {
    const field = fieldOf.get(flag);
    if (field !== undefined && value !== undefined) assign(field, flag, value);
  }
  const places = positionalOf(command);
  for (const [at, value] of positionals.entries()) {
    const field = places[at];
    if (field === undefined) throw usage(command, `Unexpected argument '${value}'`);
    assign(field, hyphenated(field), value);
  }
  const missing = (command.input.required ?? []).filter((field) => !(field in input));
  if (missing.length > 0) throw missingFault(command, missing);
  const { url, token, out, ...rest } = values as Record<string, string | undefined>;
  const [format = 'table', other] = formats.filter((one) => rest[one] !== undefined);
  if (other) throw usage(command, `Pass --${format} or --${other}, not both`);
  return { input, format, url, token, out };
}

/** The flags of a command, and the field that each sets. */
export function optionsOf(command: CommandDescription): { options: Options; fieldOf: Map<string, string> } {
  const options: Options = { url: { type: 'string' }, token: { type: 'string' } };
  if (command.fileTypes) options.out = { type: 'string' };
  else for (const format of formats) options[format] = { type: 'boolean' };
  const fieldOf = new Map<string, string>();
  const properties = propertiesOf(command);
  for (const [field, schema] of Object.entries(properties)) {
    const kind = kindOf(schema);
    for (const flag of flagsOf(field, properties)) {
      fieldOf.set(flag, field);
      options[flag] = { type: kind === 'boolean' ? 'boolean' : 'string', multiple: kind === 'array' };
    }
  }
  return { options, fieldOf };
}

function flagsOf(field: string, fields: object): Set<string> {
  const short = field.replace(/Id$/, '');
  return new Set([field, hyphenated(field), ...(short in fields ? [] : [hyphenated(short)])]);
}

function readArguments(command: CommandDescription, args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowNegative: true, allowPositionals: true, strict: true });
  } catch (error) {
    const names = Object.keys(options).filter((name) => name === hyphenated(name));
    throw usage(command, describeFlagFault(error as Error, names));
  }
}

function usage(command: CommandDescription, reason: string): UsageFault {
  return new UsageFault(`${reason.replace(/[^?]$/, '$&.')} See: causeway ${wordsOf(command)} --help`);
}

/** Ids that need no flag are named in their order: the one that was given may be another one. */
function missingFault(command: CommandDescription, missing: readonly string[]): UsageFault {
  const places = positionalOf(command);
  const properties = propertiesOf(command);
  const names = missing.map((field) => {
    const choices = choicesOf(properties[field]!);
    return flagOf(field) + (choices.length > 0 ? ` (${choices.join(', ')})` : '');
  });
  const order = places.map((field) => `<${hyphenated(field)}>`).join(' ');
  const isLater = places.length > 1 && missing.some((field) => places.indexOf(field) > 0);
  return usage(
    command,
    `Missing ${names.join(', ')}${isLater ? `. Without flags the order is ${order}` : ''}`,
  );
}

function toInput(flag: string, schema: PropertySchema, value: unknown): unknown {
  const kind = kindOf(schema);
  if (kind === 'array') {
    // One text where the field needs no flag.
    const texts = [value].flat() as string[];
    if (shapeOf(schema) || texts[0]?.startsWith('[')) return readJson(flag, texts.join(','));
    return texts
      .flatMap((text) => text.split(','))
      .map((text) => toInput(flag, schema.items ?? {}, text.trim()))
      .filter((text) => text !== '');
  }
  if (typeof value !== 'string') return value;
  if (value === '' && schema.anyOf?.some((option) => option.type === 'null')) return null;
  if (kind === 'integer') {
    if (!/^-?\d{1,15}$/.test(value)) throw new UsageFault(`--${flag} must be a whole number.`);
    return Number(value);
  }
  if (isFile(schema)) return readFileArgument(flag, value);
  return kind === 'object' ? readJson(flag, value) : value;
}
