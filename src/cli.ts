import { existsSync, readFileSync } from 'node:fs';
import type { CommandDescription } from '#platform/commands/command-description';
import { exitCodes, reportFault, UsageFault } from './cli/exit-codes.ts';
import { describeAll, describeCommand, describeCommands, describeStart } from './cli/help.ts';
import { runCommand } from './cli/run-command.ts';
import { starts } from './cli/starts.ts';
import { suggest } from './cli/suggest.ts';
import commandList from './commands.json' with { type: 'json' };

// Loading the app takes a second of CPU, so help and commands to a server do without it.

/** Descriptions of the operator commands of `app.ts`; `npm run commands` writes the file. */
const commands: readonly CommandDescription[] = commandList;

/** `causeway …`: start a process, or run an operator command on a server or on the database. */
async function main(args: string[]): Promise<number> {
  // `causeway help users list` is `causeway users list --help`.
  const [first = 'help', ...others] =
    args[0] === 'help' && args.length > 1 ? [...args.slice(1), '--help'] : args;
  // Not for the sandbox: a production `DATABASE_URL` in `.env` must never receive demo data.
  if (first !== 'sandbox' && existsSync('.env')) process.loadEnvFile('.env');
  if (first === 'help' || isHelp(first)) return print(describeAll(starts, commands));
  if (first === '--version' || first === '-v') return print(`causeway ${readVersion()}`);
  const start = starts.find(({ name }) => name === first);
  if (start) return others.some(isHelp) ? print(describeStart(start)) : start.run(others);
  const alone = commands.find(({ name }) => name === first);
  if (alone) return others.some(isHelp) ? print(describeCommand(alone)) : runCommand(alone, others);
  const ofFeature = commands.filter(({ name }) => name.startsWith(`${first}.`));
  const [second = '--help', ...rest] = others;
  if (ofFeature.length > 0 && isHelp(second)) return print(describeCommands(ofFeature));
  const command = ofFeature.find(({ name }) => name === `${first}.${second}`);
  if (!command) {
    const verbs = ofFeature.map(({ name }) => name.split('.')[1]!);
    const features = [...starts.map(({ name }) => name), ...commands.map(({ name }) => name.split('.')[0]!)];
    if (verbs.length > 0) throw unknownCommand(`${first} ${second}`, suggest(second, verbs), first);
    const meant = suggest(first, [...features, '--version', '--help']);
    throw unknownCommand(isHelp(second) ? first : `${first} ${second}`, meant);
  }
  return rest.some(isHelp) ? print(describeCommand(command)) : runCommand(command, rest);
}

function unknownCommand(typed: string, meant: string | undefined, feature?: string): UsageFault {
  const hint = meant && ` Did you mean "${[feature, meant].filter(Boolean).join(' ')}"?`;
  const help = ['causeway', feature, '--help'].filter(Boolean).join(' ');
  return new UsageFault(`Unknown command "${typed}".${hint ?? ''} See: ${help}`);
}

/** The source and the compiled package are both one folder below it. */
function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

const isHelp = (word: string) => word === '--help' || word === '-h';

function print(text: string): number {
  console.log(text);
  return exitCodes.fine;
}

// `causeway … | head` closes the pipe early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2)).catch(reportFault);
