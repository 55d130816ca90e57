import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ConfigFault } from '#config/setting';
import { readCommandLineSetting } from '#config/settings/command-line';
import type { Role } from '../main.ts';
import { simulationNames } from '../sandbox/door/simulation-list.ts';
import { runSandbox } from '../sandbox/index.ts';
import { runCompletion } from './completion.ts';
import { exitCodes, UsageFault } from './exit-codes.ts';
import { describeFlagFault } from './flag-fault.ts';
import type { Start } from './help.ts';
import { runListen } from './listen.ts';
import { withProgress } from './progress.ts';
import { runSimulation } from './run-simulation.ts';

/** What `causeway` starts, other than operator commands. */
export const starts: readonly Start[] = [
  {
    name: 'serve',
    summary: 'Start the server, with DATABASE_URL and the other settings of docs/settings.md.',
    flags: { '--roles api,worker': 'Roles of this process. Default: both' },
    values: { '--roles': ['api', 'worker', 'api,worker'] },
    run: runServe,
  },
  {
    name: 'migrate',
    summary: 'Update the database of DATABASE_URL to this release’s schema.',
    flags: {
      '--functions':
        'Replace all SQL functions by those of this release, even later ones or ones changed by hand',
      '--check': 'Change nothing; list the differences, with exit code 1 if there are any',
    },
    run: runMigrate,
  },
  {
    name: 'sandbox',
    summary: 'Run everything on this machine, with demo data (npm start).',
    flags: {
      '--reset': 'Start from scratch, with an empty embedded database',
      'simulate <name>': `Cause an accident in a running sandbox: ${simulationNames.join(', ')}`,
    },
    values: { simulate: simulationNames },
    run: (args) => (args[0] === 'simulate' ? runSimulation(args.slice(1)) : runSandboxHere(args)),
  },
  {
    name: 'listen',
    summary: 'Forward new events of a sandbox or a partner to a program on this machine.',
    flags: {
      '--forward <url>': 'Where to send them, such as http://localhost:3000/hooks',
      '--url <url>': 'Server. Default: CAUSEWAY_URL, or the sandbox of this folder',
      '--key <key>': 'A key of the partner. Default: the demo partner’s',
      '--types a,b': 'Only these types of events',
    },
    run: runListen,
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands and flags in a shell.',
    flags: {
      bash: 'In ~/.bashrc: source <(causeway completion bash)',
      zsh: 'In ~/.zshrc, after compinit: source <(causeway completion zsh)',
      fish: 'In ~/.config/fish/config.fish: causeway completion fish | source',
    },
    run: printCompletion,
  },
];

async function runServe(args: string[]): Promise<number> {
  const flags = readFlags('serve', args, { roles: { type: 'string', default: 'api,worker' } });
  const { roles, serve } = await import('../main.ts');
  const { stopOnSignal } = await import('#platform/worker/stop-on-signal');
  const wanted = flags.roles.split(',') as Role[];
  const unknown = wanted.find((role) => !roles.includes(role));
  if (unknown !== undefined)
    throw new UsageFault(`Unknown role "${unknown}"; the roles are ${roles.join(' and ')}.`);
  const { readConfig } = await import('#config/config');
  const { createLog } = await import('#platform/observe/log');
  const config = readConfig(process.env, wanted);
  const server = await serve(config, createLog({ level: config.logLevel }), wanted);
  await stopOnSignal(server.stop);
  return exitCodes.fine;
}

async function runSandboxHere(args: string[]): Promise<number> {
  const { reset } = readFlags('sandbox', args, { reset: { type: 'boolean' } });
  await withProgress(
    'Starting',
    (progress) =>
      runSandbox(process.env, {
        isReset: reset ?? false,
        onStep: progress.step,
        onReady: (text) => {
          progress.end();
          print(text);
        },
      }),
    0,
  );
  return exitCodes.fine;
}

async function printCompletion(args: string[]): Promise<number> {
  const { default: commands } = await import('../commands.json', { with: { type: 'json' } });
  print(runCompletion(args, starts, commands));
  return exitCodes.fine;
}

async function runMigrate(args: string[]): Promise<number> {
  const { check, functions: isWritingAll } = readFlags('migrate', args, {
    check: { type: 'boolean' },
    functions: { type: 'boolean' },
  });
  const databaseUrl = readCommandLineSetting(process.env, 'DATABASE_URL');
  if (!databaseUrl) throw new ConfigFault(['DATABASE_URL is missing.']);
  const { MigrationFault, migrate, readRelease } = await import('#platform/db/migrate');
  const orUnreachable = async (error: Error): Promise<never> => {
    if (error instanceof MigrationFault) throw error;
    const { unreachable } = await import('../main.ts');
    throw unreachable(error);
  };
  if (check) {
    const { findDrift } = await import('#platform/db/check-schema');
    const drift = await findDrift(databaseUrl, readRelease()).catch(orUnreachable);
    print(drift.length > 0 ? drift.join('\n') : 'The database matches this release.');
    return drift.length > 0 ? exitCodes.faultFound : exitCodes.fine;
  }
  const applied = await withProgress('Updating the database', (progress) =>
    migrate(databaseUrl, { functions: isWritingAll ? 'all' : 'forward', onStep: progress.step }).catch(
      orUnreachable,
    ),
  );
  const { migrations, functions, hasLaterFunctions } = applied;
  if (migrations.length > 0) print(`Applied ${migrations.join(', ')}.`);
  if (functions.length > 0)
    print(`Applied ${functions.length === 1 ? functions[0] : `${functions.length} functions and views`}.`);
  if (hasLaterFunctions)
    print(
      'The database keeps functions of a later release. To replace them, run `causeway migrate --functions`.',
    );
  else if (migrations.length + functions.length === 0) print('The database is up to date.');
  return exitCodes.fine;
}

function readFlags<T extends NonNullable<ParseArgsConfig['options']>>(
  name: string,
  args: string[],
  options: T,
) {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    const reason = describeFlagFault(error as Error, Object.keys(options));
    throw new UsageFault(`${reason.replace(/[^?]$/, '$&.')} See: causeway ${name} --help`);
  }
}

const print = (text: string) => console.log(text);
