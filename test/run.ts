// `npm test [-- part of a file name …]`: start one PostgreSQL, migrate a template that each test file clones,
// run the files, and at the end search everything that the run wrote for secrets.
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import pg from 'pg';
import { migrate } from '#platform/db/migrate';
import { startPostgres } from '../src/sandbox/postgres/index.ts';
import { bundleProcesses } from './bundle/bundle.ts';

const root = path.resolve(import.meta.dirname, '..');
const wanted = process.argv.slice(2);
const isWanted = (file: string) => wanted.length === 0 || wanted.some((part) => file.includes(part));
/**
 * The longest files, longest first: one that starts last would run alone at the end. A run prints how long
 * files took.
 */
const longFiles = [
  'sandbox/sandbox',
  'console/browser',
  'partner/access-browser',
  'test/guides',
  'ledger/long-history',
  'test/event-chaos',
  'door/door',
  'mcp/inspector',
  'test/cli',
  'refills/refill-crashes',
  'client/failing-network',
  'client/readme',
  'client/python',
  'http/never-5xx',
  'http/http',
  'deposits/deposits',
  'test/statement-cli',
  'test/payout-chaos',
  'test/graceful-stop',
  'reference/page',
  'cards/events',
  'test/package',
  'payouts/accidents',
  'test/point-in-time',
  'payouts/after-restore',
  'payouts/halts',
  'payouts/waiting',
  'issuer/issuer-restart',
  'issuer/deliver-webhooks',
  'test/mcp/fuzz',
  'test/payout-model',
  'test/run',
  'withdrawals/withdrawals-fuzz',
  'verify/tampered-ledger',
  'verify/verify-ledger',
  'postgres/postgres',
  'test/card-secrets',
  'operator/operator',
  'consents/consent-properties',
  'ledger/history-properties',
  'ledger/ledger',
  'withdrawals/idempotency',
  'withdrawals/list-withdrawals',
  'withdrawals/overspend',
  'mcp/clients',
].map((name) => `${name}.test.ts`);
const placeOf = (file: string) => {
  const at = longFiles.findIndex((name) => file.endsWith(name));
  return at < 0 ? longFiles.length : at;
};
const places = ['{src,packages/*/src}/**/*.test.ts', 'test/*.test.ts', 'test/{client,mcp}/*.test.ts'];
const files = globSync(places, { cwd: root })
  .sort((one, other) => placeOf(one) - placeOf(other) || (one < other ? -1 : 1))
  .filter(isWanted);
const lastFiles = globSync('test/last/*.test.ts', { cwd: root }).sort();

const filesInGroup = 8;

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-test-'));
const stopping = new AbortController();
const secondsOf = new Map<string, number>();
let finishing: Promise<never> | undefined;
const bundling = bundleProcesses();
// Its failure is reported where it is awaited.
bundling.catch(() => undefined);
const starting = startPostgres({ folder, durable: false, settings: { max_connections: 400 } });
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => void finish(code));
}

try {
  const postgres = await starting;
  const admin = new pg.Client({ connectionString: postgres.url() });
  await admin.connect();
  await admin.query('create database template_causeway');
  await admin.end();
  await migrate(postgres.url('template_causeway'));

  const env = {
    CAUSEWAY_TEST_BUNDLE: await bundling,
    CAUSEWAY_TEST_FOLDER: folder,
    CAUSEWAY_TEST_POSTGRES: postgres.url(),
    // Compiled code is kept for the processes of this run and of the next: 0.9 s of CPU less for each that
    // loads the app.
    NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/causeway'),
  };
  let code = await runTests(files, env);
  if (code === 0 && wanted.length === 0) code = await runTests(lastFiles, env);
  if (!finishing) reportTimes();
  await finish(code);
} catch (error) {
  // Once a signal has stopped PostgreSQL, whatever was using it fails.
  if (!finishing) console.error(error);
  await finish(1);
}

function finish(code: number): Promise<never> {
  finishing ??= (async () => {
    stopping.abort();
    await starting.then(({ stop }) => stop()).catch(() => undefined);
    // A test that was stopped may still write into the folder while it is being removed.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    process.exit(code);
  })();
  return finishing;
}

/** Runs each file in a process; the order of the files is kept. */
async function runTests(files: string[], env: Record<string, string>): Promise<number> {
  if (files.length === 0) {
    console.error('No test file has that in its name.');
    return 1;
  }
  const events = run({
    files: inGroups(files),
    cwd: root,
    env: { ...process.env, ...env },
    // Two at once for each core: the files wait for PostgreSQL, timers and processes about as much as they
    // compute.
    concurrency: Math.min(2 * availableParallelism(), 16),
    // Of one test; on a machine with other work to do, the longest take minutes.
    timeout: 900_000,
    execArgv: ['--import', new URL('end-with-tests.ts', import.meta.url).href],
    signal: stopping.signal,
  });
  let failed = false;
  const lastErrors = new Map<string, string>();
  events.on('test:stderr', ({ file, message }) => {
    if (file) lastErrors.set(file, `${lastErrors.get(file) ?? ''}${message}`.slice(-2000));
  });
  const crashes: string[] = [];
  events.on('test:fail', ({ file, nesting, details: { error } }) => {
    failed = true;
    if (nesting > 0 || !file || !('exitCode' in error)) return;
    const { exitCode, signal } = error as { exitCode?: number; signal?: string };
    crashes.push(`${file} ended with ${signal ?? exitCode}, and wrote:\n${lastErrors.get(file) ?? ''}`);
  });
  events.on('test:complete', ({ name, nesting, details }) => {
    const file = path.relative(root, name);
    if (nesting === 0 && files.includes(file)) secondsOf.set(file, details.duration_ms / 1000);
  });
  for await (const text of events.compose(spec)) process.stdout.write(text);
  // The reporter says no more than 'test failed', and what the process wrote is far above.
  for (const crash of crashes) process.stdout.write(`\n${crash}\n`);
  return failed ? 1 : 0;
}

/**
 * What is started as a process: each long file alone, and several short ones together, each as a suite in
 * which its hooks and tests stay. A process that loads the app takes a second of CPU before its first test.
 */
function inGroups(files: string[]): string[] {
  const paths = (those: string[]) => those.map((file) => path.join(root, file));
  const long = files.filter((file) => placeOf(file) < longFiles.length);
  const short = files.filter((file) => !long.includes(file));
  const groups = Math.ceil(short.length / filesInGroup);
  const entries = Array.from({ length: groups }, (_, group) => {
    const own = paths(short.filter((_, at) => at % groups === group));
    const entry = path.join(folder, `group-${group + 1}.mjs`);
    writeFileSync(
      entry,
      `import { suite } from 'node:test';
for (const file of ${JSON.stringify(own)}) suite(file, async () => {
  await import(file);
});
`,
    );
    return entry;
  });
  return [...paths(long), ...entries];
}

/**
 * The slowest files are worth a look after every run. `CAUSEWAY_TEST_TIMES=<file>` keeps the time of each.
 */
function reportTimes(): void {
  const lines = [...secondsOf]
    .sort(([, one], [, other]) => other - one)
    .map(([file, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${file}\n`);
  const target = process.env.CAUSEWAY_TEST_TIMES;
  if (target) writeFileSync(target, lines.join(''));
  if (lines.length > 1) process.stdout.write(`\nSlowest files:\n${lines.slice(0, 10).join('')}`);
}
