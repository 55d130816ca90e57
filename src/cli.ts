import { existsSync } from 'node:fs';
import { ConfigFault } from '#config/setting';
import { StartupError } from '#platform/errors/startup-error';
import { CommandFault, readData, saveFile } from './cli/answer.ts';
import { callOperator } from './cli/call-operator.ts';
import { type Start, starts } from './cli/starts.ts';
import {
  type CommandDescription,
  describeCommand,
  parseCommandLine,
  renderAnswer,
  UsageFault,
} from './command-line.ts';
import commandList from './commands.json' with { type: 'json' };

// Loading the app takes a second of CPU, so help and commands to a server do without it.

/** Descriptions of the operator commands of `app.ts`; `npm run commands` writes the file. */
const commands: readonly CommandDescription[] = commandList;

/** `causeway …`: start a process, or run an operator command on a server or on the database. */
async function main(args: string[]): Promise<void> {
  const [first = 'help', ...others] = args;
  // Not for the sandbox: a production `DATABASE_URL` in `.env` must never receive demo data.
  if (first !== 'sandbox' && existsSync('.env')) process.loadEnvFile('.env');
  if (first === 'help' || isHelp(first)) return print(describeAll());
  const start = starts.find(({ name }) => name === first);
  if (start) return others.some(isHelp) ? print(describeStart(start)) : start.run(others);
  return runCommand(first, others);
}

const isHelp = (word: string) => word === '--help' || word === '-h';

async function runCommand(feature: string, args: string[]): Promise<void> {
  const [second = '--help', ...rest] = args;
  const ofFeature = commands.filter(({ name }) => name.startsWith(`${feature}.`));
  if (ofFeature.length > 0 && isHelp(second)) return print(describeCommands(ofFeature));
  const command = ofFeature.find(({ name }) => name === `${feature}.${second}`);
  if (!command) {
    const words = isHelp(second) ? feature : `${feature} ${second}`;
    throw new UsageFault(`Unknown command "${words}". See: causeway --help`);
  }
  if (rest.some(isHelp)) return print(describeCommand(command));
  const line = parseCommandLine(command, rest);
  if (command.fileTypes) return callOperator(command.name, line, (answer) => saveFile(answer, line.out));
  const data = await callOperator(command.name, line, readData);
  print(line.json ? JSON.stringify(data, null, 2) : renderAnswer(data, process.stdout.columns));
}

function describeAll(): string {
  const lines = starts.map(({ name, flags, summary }) => {
    const usage = ['causeway', name, ...Object.keys(flags).map((flag) => `[${flag}]`)].join(' ');
    return `${usage.padEnd(38)}${summary}`;
  });
  return [...lines, '', describeCommands(commands)].join('\n');
}

function describeStart({ name, summary, flags }: Start): string {
  const lines = Object.entries(flags).map(([flag, meaning]) => `  ${flag.padEnd(32)} ${meaning}`);
  return [`causeway ${name}: ${summary}`, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}

function describeCommands(shown: typeof commands): string {
  const width = Math.max(...shown.map(({ name }) => name.length)) + 2;
  return [
    'Operator commands; each has --help and --json:',
    ...shown.map(({ name, summary }) => `  ${name.replace('.', ' ').padEnd(width)}${summary}`),
  ].join('\n');
}

const print = (text: string) => console.log(text);

// `causeway … | head` closes the pipe early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  await main(process.argv.slice(2));
} catch (error) {
  // Of a fault that the user can fix, only the message is shown. Anything else is a bug, shown with its
  // stack.
  const isForPerson = [StartupError, ConfigFault, UsageFault, CommandFault].some(
    (kind) => error instanceof kind,
  );
  console.error(isForPerson ? (error as Error).message : error);
  process.exitCode = 1;
}
