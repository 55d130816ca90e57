import { bold } from './colour.ts';
import {
  type CommandDescription,
  choicesOf,
  flagOf,
  hyphenated,
  kindOf,
  type PropertySchema,
  positionalOf,
  propertiesOf,
  shapeOf,
  wordsOf,
} from './command-description.ts';
import { examplesOf } from './examples.ts';
import { wrap } from './values.ts';

/** What `causeway` starts, other than operator commands. */
export interface Start {
  name: string;
  summary: string;
  flags: Record<string, string>;
  /** Returns the exit code. */
  run(args: string[]): Promise<number>;
}

const usualWidth = () => process.stdout.columns ?? 110;

/** Two columns: the second is wrapped, or starts a new line where the first is long. */
function renderPairs(pairs: readonly (readonly [string, string])[], firstMax = 30): string[] {
  const width = Math.min(firstMax, Math.max(...pairs.map(([first]) => first.length))) + 2;
  return pairs.flatMap(([first, second]) => {
    const lines = wrap(second, Math.max(usualWidth() - width - 2, 30));
    const rest = (first.length > width - 2 ? lines : lines.slice(1)).map(
      (line) => ' '.repeat(width + 2) + line,
    );
    const start = first.length > width - 2 ? first : first.padEnd(width) + (lines[0] ?? '');
    return [`  ${start}`.trimEnd(), ...rest];
  });
}

const section = (title: string, lines: readonly string[]) =>
  lines.length > 0 ? ['', bold(`${title}:`), ...lines] : [];

export function describeAll(starts: readonly Start[], commands: readonly CommandDescription[]): string {
  const usages = starts.map(
    ({ name, flags, summary }) =>
      [[name, ...Object.keys(flags).map((flag) => `[${flag}]`)].join(' '), summary] as const,
  );
  return [
    'causeway <command>: run and operate Causeway',
    ...section('Start', renderPairs(usages)),
    ...section(
      'Operate',
      renderPairs(commands.map((command) => [wordsOf(command), command.summary] as const)),
    ),
    ...section(
      'Other',
      renderPairs([
        ['--version', 'print the version'],
        ['<command> --help', 'show flags, the shape of JSON arguments, and examples'],
      ]),
    ),
    ...section('Exit codes', [
      '  0 fine, 1 a check found a fault, 2 usage, 3 not reachable, 4 refused, 5 an error of the CLI',
    ]),
  ].join('\n');
}

export function describeStart({ name, summary, flags }: Start): string {
  return [`causeway ${name}: ${summary}`, ...section('Flags', renderPairs(Object.entries(flags)))].join('\n');
}

export function describeCommands(shown: readonly CommandDescription[]): string {
  const pairs = shown.map((command) => [wordsOf(command), command.summary] as const);
  return [...section('Operate', renderPairs(pairs)).slice(1), '', 'Each has --help.'].join('\n');
}

export function describeCommand(command: CommandDescription): string {
  const properties = propertiesOf(command);
  const required = new Set(command.input.required);
  const flags = Object.entries(properties).map(
    ([field, schema]) =>
      [flagOf(field) + placeholderOf(schema), describeField(schema, required.has(field))] as const,
  );
  const places = positionalOf(command).map((field) =>
    required.has(field) ? `<${hyphenated(field)}>` : `[${hyphenated(field)}]`,
  );
  const usage = [
    'causeway',
    wordsOf(command),
    ...places,
    ...(flags.length > places.length ? ['[flags]'] : []),
  ];
  return [
    `causeway ${wordsOf(command)}: ${command.summary}`,
    ...section('Usage', [`  ${usage.join(' ')}`]),
    ...section('Flags', renderPairs([...flags, ...commonFlags(command)])),
    ...Object.entries(properties).flatMap(([field, schema]) => describeShape(field, schema)),
    ...section(
      'Examples',
      examplesOf(command).map((line) => `  ${line}`),
    ),
  ].join('\n');
}

function commonFlags({ fileTypes }: CommandDescription): [string, string][] {
  return [
    fileTypes
      ? [
          '--out <file>',
          'output file, - for standard output; default: standard output, or this folder on a terminal',
        ]
      : ['--wide, --json, --csv', 'print everything: as a table, JSON or CSV'],
    ['--url <text>', 'server URL; default: CAUSEWAY_URL, DATABASE_URL, or the sandbox of this folder'],
    ['--token <text>', 'operator token; default: CAUSEWAY_OPERATOR_TOKEN'],
  ];
}

const kindNames: Record<string, string> = {
  string: 'text',
  integer: 'number',
  array: 'list',
  object: 'json',
};

function placeholderOf(schema: PropertySchema): string {
  const kind = kindOf(schema);
  if (kind === 'boolean') return '';
  return shapeOf(schema) ? ' <json>' : ` <${kindNames[kind] ?? kind}>`;
}

function describeField(schema: PropertySchema, isRequired: boolean): string {
  const choices = choicesOf(schema);
  const notes = [
    isRequired ? 'required' : '',
    choices.length > 0 ? `one of ${choices.join(', ')}` : '',
    schema.description ?? '',
  ];
  return notes.filter((note) => note !== '').join('; ');
}

/** The fields of a JSON argument, by the names that JSON has. */
function describeShape(field: string, schema: PropertySchema): string[] {
  const shape = shapeOf(schema);
  if (!shape?.properties) return [];
  const what = kindOf(schema) === 'array' ? 'a JSON list of objects' : 'a JSON object';
  const pairs = Object.entries(shape.properties).map(([name, inner]) => {
    const kind = kindNames[kindOf(inner)] ?? kindOf(inner);
    const notes = [inner.enum ? '' : kind, describeField(inner, shape.required?.includes(name) ?? false)];
    return [name, notes.filter((note) => note !== '').join('; ')] as const;
  });
  return section(`${flagOf(field)} is ${what}, @file.json, or - for standard input`, renderPairs(pairs));
}
