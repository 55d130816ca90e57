import { usualWords } from '#field-words';
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
import { bold } from '#platform/values/text-style';
import { examplesOf, wrapExample } from './examples.ts';
import { wrap } from './view.ts';

/** What `causeway` starts, other than operator commands. */
export interface Start {
  name: string;
  summary: string;
  flags: Record<string, string>;
  /** What may follow a word of `flags`, if that is a fixed list. */
  values?: Readonly<Record<string, readonly string[]>>;
  /** Returns the exit code. */
  run(args: string[]): Promise<number>;
}

export type Pair = readonly [name: string, words: string];

export const exitCodeMeanings: Pair[] = [
  ['0', 'Fine.'],
  ['1', 'A check found a fault.'],
  ['2', 'The command line or a setting is wrong.'],
  ['3', 'The server or the database does not answer.'],
  ['4', 'The server refused.'],
  ['5', 'An error of the CLI.'],
  ['6', 'Not run yet: another operator must approve it.'],
];

export const outFlag: Pair = [
  '--out <file>',
  'Output file, - for standard output. Default: standard output, or this folder on a terminal',
];
export const formatFlags: Pair = ['--wide, --json, --csv', 'Print everything: as a table, JSON or CSV'];
export const serverFlags: Pair[] = [
  ['--url <text>', 'Server URL. Default: CAUSEWAY_URL, DATABASE_URL, or the sandbox of this folder'],
  ['--token <text>', 'Operator token. Default: CAUSEWAY_OPERATOR_TOKEN'],
];

const usualWidth = () => process.stdout.columns ?? 110;
/** In a pipe an example is one line. */
const exampleWidth = () => process.stdout.columns ?? Number.POSITIVE_INFINITY;

/** Two columns: the second is wrapped, or starts a new line where the first is long. */
function renderPairs(pairs: readonly Pair[], firstMax = 30, firstMin = 0): string[] {
  const longest = Math.max(firstMin, ...pairs.map(([first]) => first.length));
  const width = Math.min(firstMax, longest) + 2;
  return pairs.flatMap(([first, second]) => {
    const lines = wrap(second, Math.max(usualWidth() - width - 2, 30));
    const rest = (first.length > width - 2 ? lines : lines.slice(1)).map(
      (line) => ' '.repeat(width + 2) + line,
    );
    const start = first.length > width - 2 ? first : first.padEnd(width) + (lines[0] ?? '');
    return [`  ${start}`.trimEnd(), ...rest];
  });
}

const headline = (name: string, summary: string) => wrap(`causeway ${name}: ${summary}`, usualWidth());

const section = (title: string, lines: readonly string[]) =>
  lines.length > 0 ? ['', ...wrap(`${title}:`, usualWidth()).map(bold), ...lines] : [];

export function describeAll(starts: readonly Start[], commands: readonly CommandDescription[]): string {
  const usages = starts.map(
    ({ name, flags, summary }) =>
      [[name, ...Object.keys(flags).map((flag) => `[${flag}]`)].join(' '), summary] as const,
  );
  return [
    'causeway <command>: run and operate Causeway',
    ...section('Start', renderPairs(usages)),
    ...section('Operate', renderBySubject(commands)),
    ...section(
      'Other',
      renderPairs([
        ['--version', 'Print the version.'],
        ['<command> --help', 'Show flags, the shape of JSON arguments, and examples.'],
      ]),
    ),
    ...section('Exit codes', renderPairs(exitCodeMeanings)),
  ].join('\n');
}

/** A blank line between the commands of one subject and the next. */
function renderBySubject(commands: readonly CommandDescription[]): string[] {
  const subjectOf = ({ name }: CommandDescription) => name.split('.')[0]!;
  const lines: string[] = [];
  let before: string | undefined;
  for (const [at, pair] of commands.map((one) => [wordsOf(one), one.summary] as const).entries()) {
    const subject = subjectOf(commands[at]!);
    if (before !== undefined && subject !== before) lines.push('');
    before = subject;
    lines.push(...renderPairs([pair], 30, 30));
  }
  return lines;
}

export function describeStart({ name, summary, flags }: Start): string {
  return [...headline(name, summary), ...section('Flags', renderPairs(Object.entries(flags)))].join('\n');
}

export function describeCommands(shown: readonly CommandDescription[]): string {
  const pairs = shown.map((command) => [wordsOf(command), command.summary] as const);
  return [
    ...section('Operate', renderPairs(pairs)).slice(1),
    '',
    'Flags and examples: causeway <command> --help',
  ].join('\n');
}

export function describeCommand(command: CommandDescription): string {
  return [
    ...headline(wordsOf(command), command.summary),
    ...section(
      'Usage',
      wrap(usageOf(command), usualWidth() - 4).map((line, at) => (at ? '    ' : '  ') + line),
    ),
    ...section('Flags', renderPairs([...flagsOf(command), ...commonFlags(command)])),
    ...shapesOf(command).flatMap(({ title, fields }) => section(title, renderPairs(fields))),
    ...section(
      'Examples',
      examplesOf(command).flatMap((line) => wrapExample(line, exampleWidth() - 2).map((part) => `  ${part}`)),
    ),
  ].join('\n');
}

/** `causeway keys suspend <key-id> [flags]`. */
export function usageOf(command: CommandDescription): string {
  const required = new Set(command.input.required);
  const places = positionalOf(command).map((field) =>
    required.has(field) ? `<${hyphenated(field)}>` : `[${hyphenated(field)}]`,
  );
  const hasMore = Object.keys(propertiesOf(command)).length > places.length;
  return ['causeway', wordsOf(command), ...places, ...(hasMore ? ['[flags]'] : [])].join(' ');
}

/** The flags that only this command has, with what they mean. */
export function flagsOf(command: CommandDescription): Pair[] {
  const required = new Set(command.input.required);
  return Object.entries(propertiesOf(command)).map(([field, schema]) => [
    (kindOf(schema) === 'boolean' ? `--[no-]${hyphenated(field)}` : flagOf(field)) + placeholderOf(schema),
    describeField(field, schema, required.has(field)),
  ]);
}

const commonFlags = ({ fileTypes }: CommandDescription): Pair[] => [
  fileTypes ? outFlag : formatFlags,
  ...serverFlags,
];

const kindNames: Record<string, string> = {
  string: 'text',
  integer: 'number',
  array: 'list',
  object: 'json',
};

function placeholderOf(schema: PropertySchema): string {
  const kind = kindOf(schema);
  if (kind === 'boolean') return '';
  if (isFile(schema)) return ' <@file>';
  return shapeOf(schema) ? ' <json>' : ` <${kindNames[kind] ?? kind}>`;
}

function describeField(field: string, schema: PropertySchema, isRequired: boolean): string {
  const choices = choicesOf(schema);
  const words = schema.description ?? (choices.length > 0 ? undefined : usualWords[field]);
  const notes = [...(words ? [words] : []), ...(choices.length > 0 ? [`One of ${choices.join(', ')}`] : [])];
  return [notes.join('. '), isRequired ? '(required)' : ''].filter(Boolean).join(' ');
}

/** The fields of each JSON argument, by the names that JSON has. */
export function shapesOf(command: CommandDescription): { title: string; fields: Pair[] }[] {
  return Object.entries(propertiesOf(command)).flatMap(([field, schema]) => {
    const shape = shapeOf(schema);
    if (!shape?.properties) return [];
    const what = kindOf(schema) === 'array' ? 'a JSON list of objects' : 'a JSON object';
    const fields = Object.entries(shape.properties).map(([name, inner]): Pair => {
      const isRequired = shape.required?.includes(name) ?? false;
      const kind = kindNames[kindOf(inner)] ?? kindOf(inner);
      return [`${name} <${kind}>`, describeField(name, inner, isRequired)];
    });
    return [{ title: `${flagOf(field)} is ${what}, @file.json, or - for standard input`, fields }];
  });
}
