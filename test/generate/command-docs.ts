// docs/cli.md: the help of the CLI as a page. `npm run commands` writes it; command-list.test.ts compares.
import { type CommandDescription, wordsOf } from '#platform/commands/command-description';
import { examplesOf } from '../../src/cli/examples.ts';
import * as help from '../../src/cli/help.ts';
import { starts } from '../../src/cli/starts.ts';
import { wrap } from '../../src/cli/view.ts';

export function writeCommandDocs(commands: readonly CommandDescription[]): string {
  const features = Map.groupBy(commands, ({ name }) => name.split('.')[0]!);
  const blocks = [
    '# The command line',
    prose(
      '`npm run commands` writes this page from the entries that `causeway --help` shows. Each command also has',
      '`--help`, as in `causeway withdrawals list --help`; completion for your shell is `causeway completion`.',
    ),
    '## Flags of every command',
    table(['flag', 'meaning'], [help.formatFlags, help.outFlag, ...help.serverFlags]),
    prose(
      '`--out` belongs to commands that write a file; the others have `--wide`, `--json` and `--csv`.',
      'A required id needs no flag. A list is a repeated flag, or values with commas between them. A JSON',
      'argument may be `@file.json`, or `-` for standard input. An empty text clears a field that may be empty.',
    ),
    '## Exit codes',
    table(['code', 'meaning'], help.exitCodeMeanings),
    '[Operating Causeway](operating.md#exit-codes) has the details.',
    '## Start',
    ...starts.flatMap(({ name, summary, flags }) => [
      `### ${name}`,
      prose(summary),
      table(['flag', 'meaning'], Object.entries(flags)),
    ]),
    ...[...features].flatMap(([feature, ofFeature]) => [
      `## ${feature}`,
      ofFeature.map((command) => indexLine(command)).join('\n'),
      ...ofFeature.flatMap(describe),
    ]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function describe(command: CommandDescription): string[] {
  const flags = help.flagsOf(command);
  return [
    `### ${wordsOf(command)}`,
    prose(command.summary),
    ['```sh', help.usageOf(command), '```'].join('\n'),
    ...(flags.length > 0 ? [table(['flag', 'meaning'], flags)] : []),
    ...help
      .shapesOf(command)
      .flatMap(({ title, fields }) => [
        `${title.replace(/^\S+/, '`$&`').replace('@file.json', '`@file.json`').replace(' - ', ' `-` ')}:`,
        table(['field', 'meaning'], fields),
      ]),
    ['Examples:', '', '```sh', ...examplesOf(command), '```'].join('\n'),
  ];
}

const indexLine = (command: CommandDescription) =>
  `- [${wordsOf(command)}](#${wordsOf(command).replaceAll(' ', '-')})`;

const prose = (...parts: string[]) => wrap(parts.join(' '), 110).join('\n');

const table = (heading: [string, string], rows: readonly help.Pair[]) =>
  [
    `| ${heading.join(' | ')} |`,
    '|---|---|',
    ...rows.map(([name, words]) => `| \`${name}\` | ${words.replaceAll('|', '\\|')} |`),
  ].join('\n');
