import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ConfigFault } from '#config/setting';
import { readCommandLineSetting as readSetting } from '#config/settings/command-line';
import { StartupError } from '#platform/errors/startup-error';
import {
  type CommandDescription,
  describeCommand,
  parseCommandLine,
  renderAnswer,
  UsageFault,
} from './command-line.ts';
import commandList from './commands.json' with { type: 'json' };
import type { Role } from './main.ts';
import { readSandboxFile, runSandbox } from './sandbox/index.ts';

// The app takes a second of CPU to load. Load it only where it runs: help and commands for a server do without.

/** The operator commands of `app.ts`, described; `npm run commands` writes them down. */
const commands: readonly CommandDescription[] = commandList;

/** `causeway …`: start a process, or run an operator command on a server or on the database. */
async function main(args: string[]): Promise<void> {
  const [first = 'help', ...others] = args;
  // Not for the sandbox: a production address in a file nearby must not become the home of demo data.
  if (first !== 'sandbox' && existsSync('.env')) process.loadEnvFile('.env');
  if (first === 'help' || isHelp(first)) return print(describeAll());
  const start = starts.find(({ name }) => name === first);
  if (start) return others.some(isHelp) ? print(describeStart(start)) : start.run(others);
  return runCommand(first, others);
}

const isHelp = (word: string) => word === '--help' || word === '-h';

interface Start {
  name: string;
  summary: string;
  flags: Record<string, string>;
  run(args: string[]): Promise<void>;
}

const starts: readonly Start[] = [
  {
    name: 'serve',
    summary: 'serve with DATABASE_URL and the other settings of the README',
    flags: { '--roles api,worker': 'what this process does; both unless told' },
    run: runServe,
  },
  {
    name: 'migrate',
    summary: 'bring the database of DATABASE_URL to this release’s schema',
    flags: {
      '--functions':
        'write every SQL function of this release again, also over those of a later one or a change by hand',
      '--check': 'change nothing; name what differs, with exit code 1 where something does',
    },
    run: runMigrate,
  },
  {
    name: 'sandbox',
    summary: 'everything on this machine, with demo data (npm start)',
    flags: { '--reset': 'start from scratch, with an empty embedded database' },
    run: (args) => runSandbox(args, process.env),
  },
];

async function runCommand(feature: string, args: string[]): Promise<void> {
  const [second = '--help', ...rest] = args;
  const ofFeature = commands.filter(({ name }) => name.startsWith(`${feature}.`));
  if (ofFeature.length > 0 && isHelp(second)) return print(describeCommands(ofFeature));
  const command = ofFeature.find(({ name }) => name === `${feature}.${second}`);
  if (!command) {
    const words = isHelp(second) ? feature : `${feature} ${second}`;
    throw new UsageFault(`There is no command "${words}". See: causeway --help`);
  }
  if (rest.some(isHelp)) return print(describeCommand(command));
  const line = parseCommandLine(command, rest);
  if (command.fileTypes) return callOperator(command.name, line, (answer) => saveFile(answer, line.out));
  const data = await callOperator(command.name, line, readData);
  print(line.json ? JSON.stringify(data, null, 2) : renderAnswer(data, process.stdout.columns));
}

async function runServe(args: string[]): Promise<void> {
  const flags = readFlags('serve', args, { roles: { type: 'string', default: 'api,worker' } });
  const { roles, serve, stopOnSignal } = await import('./main.ts');
  const wanted = flags.roles.split(',') as Role[];
  const unknown = wanted.find((role) => !roles.includes(role));
  if (unknown !== undefined)
    throw new UsageFault(`There is no role "${unknown}"; the roles are ${roles.join(' and ')}.`);
  const { readConfig } = await import('#config/config');
  const { createLog } = await import('#platform/observe/log');
  const config = readConfig(process.env, wanted);
  const server = await serve(config, createLog({ level: config.logLevel }), wanted);
  await stopOnSignal(server.stop);
}

async function runMigrate(args: string[]): Promise<void> {
  const { check, functions: isWritingAll } = readFlags('migrate', args, {
    check: { type: 'boolean' },
    functions: { type: 'boolean' },
  });
  const databaseUrl = readSetting(process.env, 'DATABASE_URL');
  if (!databaseUrl) throw new ConfigFault(['DATABASE_URL is missing.']);
  const { MigrationFault, migrate, readRelease } = await import('#platform/db/migrate');
  const orUnreachable = async (error: Error): Promise<never> => {
    if (error instanceof MigrationFault) throw error;
    const { unreachable } = await import('./main.ts');
    throw unreachable(error);
  };
  if (check) {
    const { findDrift } = await import('#platform/db/check-schema');
    const drift = await findDrift(databaseUrl, readRelease()).catch(orUnreachable);
    print(drift.length > 0 ? drift.join('\n') : 'The database is what the files of this release say.');
    if (drift.length > 0) process.exitCode = 1;
    return;
  }
  const applied = await migrate(databaseUrl, { functions: isWritingAll ? 'all' : 'forward' }).catch(
    orUnreachable,
  );
  const { migrations, functions, hasLaterFunctions } = applied;
  if (migrations.length > 0) print(`Applied ${migrations.join(', ')}.`);
  if (functions.length > 0)
    print(`Applied ${functions.length === 1 ? functions[0] : `${functions.length} functions and views`}.`);
  if (hasLaterFunctions)
    print(
      'The functions of a later release stay. `causeway migrate --functions` replaces them by those of this release.',
    );
  else if (migrations.length + functions.length === 0) print('The database is up to date.');
}

/** What a server answered, wherever it is; its body is read once. */
interface Answer {
  /** Whose answer it is, for a sentence about it. */
  from: string;
  status: number;
  headers: Headers;
  body: Readable;
}

class CommandFault extends Error {}

/** By `--url`, or straight on the database, or on the sandbox of this folder. */
async function callOperator<T>(
  name: string,
  { input, ...flags }: { input: object; url?: string; token?: string },
  receive: (answer: Answer) => Promise<T>,
): Promise<T> {
  const { env } = process;
  let url = flags.url ?? readSetting(env, 'CAUSEWAY_URL');
  if (!url && readSetting(env, 'DATABASE_URL')) return callDatabase(name, input, receive);
  let token = flags.token ?? readSetting(env, 'CAUSEWAY_OPERATOR_TOKEN');
  if (!url) {
    const sandbox = readSandboxFile(readSetting(env, 'CAUSEWAY_HOME')!);
    if (!sandbox) {
      throw new UsageFault(
        'Say where: --url and --token of a server, or DATABASE_URL, or start the sandbox in this folder.',
      );
    }
    url = sandbox.operatorUrl;
    token ||= sandbox.operatorToken;
  }
  if (!token) throw new UsageFault('A server wants a token: give --token or CAUSEWAY_OPERATOR_TOKEN.');
  // Until the answer begins: a file may take longer, and `fetch` itself gives up on one that stops.
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error('it took longer than ten minutes')), 600_000);
  const response = await fetch(`${url.replace(/\/$/, '')}/operator/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
    signal: patience.signal,
  })
    .catch((error: Error) => {
      throw new CommandFault(`${url} does not answer: ${reasonOf(error)}.`);
    })
    .finally(() => clearTimeout(timer));
  const { status, headers, body } = response;
  return receive({ from: url, status, headers, body: body ? Readable.fromWeb(body) : Readable.from([]) });
}

/** `fetch` hides the reason in its cause; of a name with several addresses, in a cause with no message at all. */
function reasonOf({ cause, message }: Error): string {
  if (!(cause instanceof Error)) return message;
  return cause.message || (cause as NodeJS.ErrnoException).code || message;
}

/** The same route, validation and audit, inside this process, as an operator named after the person at the terminal. */
async function callDatabase<T>(
  name: string,
  input: object,
  receive: (answer: Answer) => Promise<T>,
): Promise<T> {
  const { buildApp } = await import('./app.ts');
  const { readConfig } = await import('#config/config');
  const { createDeps, requireSchema } = await import('./main.ts');
  const { createLog } = await import('#platform/observe/log');
  const token = randomBytes(20).toString('hex');
  const operatorTokens = {
    OPERATOR_TOKENS: `cli-${nameOfPerson()}:${token}`,
    OPERATOR_TOKENS_FILE: undefined,
  };
  const config = readConfig({ ...process.env, ...operatorTokens });
  const deps = createDeps(config, createLog({ level: 'silent' }));
  const server = await buildApp(deps, { ...config, servesApi: true });
  try {
    await requireSchema(deps.db);
    const response = await server.inject({
      method: 'POST',
      url: `/operator/${name}`,
      headers: { authorization: `Bearer ${token}` },
      payload: input,
      payloadAsStream: true,
    });
    const headers = new Headers(response.headers as Record<string, string>);
    return await receive({
      from: 'The database',
      status: response.statusCode,
      headers,
      body: response.stream(),
    });
  } finally {
    await server.close();
    await deps.db.end();
  }
}

/** What a command answers, or its refusal as a fault. */
async function readData({ from, status, body }: Answer): Promise<unknown> {
  const answer: { data?: unknown; error?: string; details?: { field: string; message: string }[] } =
    await json(body)
      .catch(() => undefined)
      .then((answer) => answer ?? {});
  const { data, error, details = [] } = answer;
  if (error !== undefined) {
    throw new CommandFault(
      [error, ...details.slice(1).map(({ field, message }) => `${field} ${message}`)].join('\n'),
    );
  }
  if (data === undefined) throw foreign(from, status);
  return data;
}

const foreign = (from: string, status: number) =>
  new CommandFault(`${from} is no Causeway server: it answers with HTTP ${status} and something else.`);

/** Into the file that was asked for; without one, to whatever the output is led into, or on a terminal into this folder. */
async function saveFile(answer: Answer, out = process.stdout.isTTY ? undefined : '-'): Promise<void> {
  const { from, status, headers, body } = answer;
  const offered = /filename="([\w.-]+)"/.exec(headers.get('content-disposition') ?? '')?.[1];
  if (status !== 200 || !offered) {
    await readData(answer);
    throw foreign(from, status);
  }
  const broken = (error: Error) => new CommandFault(`The file broke off: ${reasonOf(error)}.`);
  if (out === '-') {
    return pipeline(body, process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw broken(error);
    });
  }
  // Under another name until it is whole. A name that nobody typed never replaces a file.
  const file = out ?? path.basename(offered);
  if (out === undefined && existsSync(file)) throw new UsageFault(`There is a ${file} already: give --out.`);
  const partial = `${file}.part`;
  const handle = await open(partial, 'w').catch((error: Error) => {
    body.destroy();
    throw new CommandFault(`${file} cannot be written: ${error.message}.`);
  });
  try {
    await pipeline(body, handle.createWriteStream());
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw broken(error as Error);
  }
  print(`Wrote ${file}.`);
}

/** In the alphabet of operators' names. A container may run under a number that has no name. */
function nameOfPerson(): string {
  let name = `uid-${process.getuid?.()}`;
  try {
    name = userInfo().username;
  } catch {}
  return name.replace(/[^A-Za-z0-9_.@-]/g, '-').slice(0, 50);
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

function readFlags<T extends NonNullable<ParseArgsConfig['options']>>(
  name: string,
  args: string[],
  options: T,
) {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new UsageFault(`${(error as Error).message.split('. ')[0]}. See: causeway ${name} --help`);
  }
}

const print = (text: string) => console.log(text);

// `causeway … | head` stops reading when it has enough, which is nobody's fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  await main(process.argv.slice(2));
} catch (error) {
  // What a person can mend is one sentence, or one a fault; anything else is a bug and shows where it is.
  const isForPerson = [StartupError, ConfigFault, UsageFault, CommandFault].some(
    (kind) => error instanceof kind,
  );
  console.error(isForPerson ? (error as Error).message : error);
  process.exitCode = 1;
}
