import {
  type CommandDescription,
  hyphenated,
  kindOf,
  type PropertySchema,
  propertiesOf,
  wordsOf,
} from './command-description.ts';
import type { Start } from './starts.ts';

export function describeCommand(command: CommandDescription): string {
  const required = new Set(command.input.required);
  const flags = Object.entries(propertiesOf(command)).map(([field, schema]) => {
    const flag =
      kindOf(schema) === 'boolean' ? `--${hyphenated(field)}` : `--${hyphenated(field)} <${kindOf(schema)}>`;
    const notes = [required.has(field) ? 'required' : '', choices(schema), schema.description ?? ''];
    return `  ${flag.padEnd(32)} ${notes.filter((note) => note !== '').join('; ')}`.trimEnd();
  });
  return [
    `causeway ${wordsOf(command)}: ${command.summary}`,
    '',
    ...flags,
    command.fileTypes
      ? `  ${'--out <file>'.padEnd(32)} output file, - for standard output; default: standard output, or this folder on a terminal`
      : `  ${'--wide, --json, --csv'.padEnd(32)} print everything: as a table, JSON or CSV`,
    `  ${'--url <string>'.padEnd(32)} server URL; default: CAUSEWAY_URL, DATABASE_URL, or the sandbox of this folder`,
    `  ${'--token <string>'.padEnd(32)} operator token; default: CAUSEWAY_OPERATOR_TOKEN`,
  ].join('\n');
}

function choices(schema: PropertySchema): string {
  const values = (schema.items ?? schema).enum ?? [];
  return values.length > 0 ? `one of ${values.join(', ')}` : '';
}

export function describeAll(starts: readonly Start[], commands: readonly CommandDescription[]): string {
  const lines = starts.map(({ name, flags, summary }) => {
    const usage = ['causeway', name, ...Object.keys(flags).map((flag) => `[${flag}]`)].join(' ');
    return `${usage.padEnd(38)}${summary}`;
  });
  return [...lines, '', describeCommands(commands)].join('\n');
}

export function describeStart({ name, summary, flags }: Start): string {
  const lines = Object.entries(flags).map(([flag, meaning]) => `  ${flag.padEnd(32)} ${meaning}`);
  return [`causeway ${name}: ${summary}`, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}

export function describeCommands(shown: readonly CommandDescription[]): string {
  const width = Math.max(...shown.map(({ name }) => name.length)) + 2;
  return [
    'Operator commands; each has --help, --wide, --json and --csv:',
    ...shown.map((command) => `  ${wordsOf(command).padEnd(width)}${command.summary}`),
  ].join('\n');
}
