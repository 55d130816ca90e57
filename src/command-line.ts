import { parseArgs } from 'node:util';
import type { Command } from '#platform/commands/command';

/** What `causeway` needs to know of a command to describe it and to read its flags. */
export type CommandDescription = Pick<Command, 'name' | 'summary' | 'fileTypes'> & {
  input: { required?: string[]; properties: object };
};

interface PropertySchema {
  type?: string;
  anyOf?: PropertySchema[];
  items?: PropertySchema;
  enum?: string[];
  description?: string;
}

export interface CommandLine {
  input: Record<string, unknown>;
  json: boolean;
  url?: string;
  token?: string;
  /** The output file of a command that returns a file. */
  out?: string;
}

/** A mistake on the command line; the message says what to type instead. */
export class UsageFault extends Error {}

/**
 * Turns flags into a command's input. Each field is a flag by its name or with hyphens, and an id also
 * without its suffix: `--userId`, `--user-id` or `--user`. A list is a repeated or comma-separated flag, an
 * object is JSON, and an empty text clears a field that may be null.
 */
export function parseCommandLine(command: CommandDescription, args: string[]): CommandLine {
  const properties = command.input.properties as Record<string, PropertySchema>;
  const options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }> = {
    url: { type: 'string' },
    token: { type: 'string' },
    ...(command.fileTypes ? { out: { type: 'string' } } : { json: { type: 'boolean' } }),
  };
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
  const { json, url, token, out } = values as {
    json?: boolean;
    url?: string;
    token?: string;
    out?: string;
  };
  return { input, json: json ?? false, url, token, out };
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
    throw new UsageFault(`${reason}. See: causeway ${command.name.replace('.', ' ')} --help`);
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

function kindOf(schema: PropertySchema): string {
  return schema.type ?? schema.anyOf?.find((option) => option.type !== 'null')?.type ?? 'string';
}

const hyphenated = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function describeCommand(command: CommandDescription): string {
  const required = new Set(command.input.required);
  const flags = Object.entries(command.input.properties as Record<string, PropertySchema>).map(
    ([field, schema]) => {
      const flag =
        kindOf(schema) === 'boolean'
          ? `--${hyphenated(field)}`
          : `--${hyphenated(field)} <${kindOf(schema)}>`;
      const notes = [required.has(field) ? 'required' : '', choices(schema), schema.description ?? ''];
      return `  ${flag.padEnd(32)} ${notes.filter((note) => note !== '').join('; ')}`.trimEnd();
    },
  );
  return [
    `causeway ${command.name.replace('.', ' ')}: ${command.summary}`,
    '',
    ...flags,
    command.fileTypes
      ? `  ${'--out <file>'.padEnd(32)} output file, - for standard output; default: standard output, or this folder on a terminal`
      : `  ${'--json'.padEnd(32)} print JSON`,
    `  ${'--url <string>'.padEnd(32)} server URL; default: CAUSEWAY_URL, DATABASE_URL, or the sandbox of this folder`,
    `  ${'--token <string>'.padEnd(32)} operator token; default: CAUSEWAY_OPERATOR_TOKEN`,
  ].join('\n');
}

function choices(schema: PropertySchema): string {
  const values = (schema.items ?? schema).enum ?? [];
  return values.length > 0 ? `one of ${values.join(', ')}` : '';
}

/** An answer for a person: a table for lists, `name  value` lines for one record. */
export function renderAnswer(data: unknown, widthMax = Number.POSITIVE_INFINITY): string {
  const { items, nextCursor } = data as { items?: Item[]; nextCursor?: string | null };
  if (!Array.isArray(items)) return renderRecord(data as Item);
  if (items.length === 0) return 'Nothing found.';
  const { table, left } = renderTable(items, widthMax);
  const notes = [
    ...(left.length > 0 ? [`Not shown: ${left.join(', ')}. Use --json to see everything`] : []),
    ...(nextCursor ? [`More: add --cursor ${nextCursor}`] : []),
  ];
  return [table, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

type Item = Record<string, unknown>;

function renderRecord(record: Item): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${renderValue(value)}`.trimEnd())
    .join('\n');
}

/** A row is one line. Nested fields, and fields that do not fit the width, are left out and listed. */
function renderTable(items: Item[], widthMax: number): { table: string; left: string[] } {
  const columns = Object.keys(items[0]!)
    .map((name) => ({ name, cells: [name, ...items.map((item) => renderValue(item[name]))] }))
    .map((column) => ({ ...column, width: Math.max(...column.cells.map((cell) => cell.length)) }))
    .filter(({ cells }) => cells.slice(1).some((cell) => cell !== ''));
  const flat = columns.filter(({ name }) => !items.some((item) => isNested(item[name])));
  let width = -gap.length;
  const shown = flat.filter((column, at) => {
    width += gap.length + column.width;
    return at === 0 || width <= widthMax;
  });
  const lines = [undefined, ...items].map((_, line) =>
    shown.map(({ cells, width }) => cells[line]!.padEnd(width)).join(gap),
  );
  return {
    table: lines.map((line) => line.trimEnd()).join('\n'),
    left: columns.filter((column) => !shown.some(({ name }) => name === column.name)).map(({ name }) => name),
  };
}

const gap = '  ';

const isNested = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isNested) : typeof value === 'object' && value !== null;

function renderValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(renderValue).join(', ');
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([name, inner]) => [name, renderValue(inner)]);
    return fields
      .filter(([, text]) => text !== '')
      .map(([name, text]) => `${name}=${text}`)
      .join(' ');
  }
  const text = String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2Z');
  // Names are user input: replace characters that could move the cursor, colour the line or reverse its
  // direction.
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
