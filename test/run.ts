// `npm test [-- part of a file name …]`: start one PostgreSQL, migrate a template that each test file clones,
// run the files, and at the end search everything that the run wrote for secrets.
import { globSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { type EventData, run } from 'node:test';
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

/** Runs the files in a few processes, each of which takes the next one; shows each when it has ended. */
async function runTests(files: string[], env: Record<string, string>): Promise<number> {
  if (files.length === 0) {
    console.error('No test file has that in its name.');
    return 1;
  }
  const taken = mkdtempSync(path.join(folder, 'taken-'));
  const shown = new PassThrough({ objectMode: true });
  const outcome: Outcome = { counts: new Map(), faults: [], hasFailed: false };
  const { counts, faults } = outcome;
  // Two at once for each core: the files wait for PostgreSQL, timers and processes about as much as they
  // compute.
  const processes = Math.min(2 * availableParallelism(), 16, files.length);
  const takeFiles = async () => {
    while (!finishing && readdirSync(taken).length < files.length) {
      const events = run({
        files: [path.join(root, 'test/take-files.ts')],
        argv: [taken, ...files],
        cwd: root,
        env: { ...process.env, ...env },
        execArgv: ['--import', new URL('end-with-tests.ts', import.meta.url).href],
        signal: stopping.signal,
      });
      const faultsBefore = faults.length;
      await showFiles(events as AsyncIterable<TestEvent>, shown, outcome);
      if (faults.length > faultsBefore) return;
    }
  };
  const running = Promise.all(Array.from({ length: processes }, takeFiles)).finally(() => shown.end());
  for await (const text of shown.compose(spec)) process.stdout.write(text);
  await running;
  const lost = finishing ? [] : files.filter((file) => !secondsOf.has(file));
  if (lost.length > 0) faults.push(`Not run to their ends: ${lost.join(', ')}`);
  for (const [name, count] of counts) console.log(`ℹ ${name} ${count}`);
  for (const fault of faults) console.log(`\n${fault}`);
  return outcome.hasFailed || faults.length > 0 ? 1 : 0;
}

interface Outcome {
  counts: Map<string, number>;
  /** What went wrong outside of tests. */
  faults: string[];
  hasFailed: boolean;
}

type TestEvent =
  | { type: 'test:summary'; data: EventData.TestSummary }
  | { type: 'test:start'; data: EventData.TestStart }
  | { type: 'test:stderr'; data: EventData.TestStderr }
  | { type: 'test:pass'; data: EventData.TestPass }
  | { type: 'test:fail'; data: EventData.TestFail };

/** Passes on what a process reports, a file when it has ended: several run at once. */
async function showFiles(events: AsyncIterable<TestEvent>, shown: PassThrough, outcome: Outcome) {
  const { counts, faults } = outcome;
  let kept: TestEvent[] = [];
  let file = '';
  let lastErrors = '';
  for await (const event of events) {
    const { type, data } = event;
    if (type === 'test:summary' && data.file === undefined)
      for (const [name, count] of Object.entries(data.counts))
        counts.set(name, (counts.get(name) ?? 0) + count);
    if (type === 'test:start' && data.nesting === 0) file = data.name;
    if (type === 'test:fail') outcome.hasFailed = true;
    if (type === 'test:stderr') lastErrors = (lastErrors + data.message).slice(-2000);
    const isEnd = (type === 'test:pass' || type === 'test:fail') && data.nesting === 0;
    if (isEnd) secondsOf.set(data.name, data.details.duration_ms / 1000);
    if (type === 'test:fail' && isEnd && 'exitCode' in data.details.error) {
      const { exitCode, signal } = data.details.error as { exitCode?: number; signal?: string };
      faults.push(
        `A process ended with ${signal ?? exitCode} in or after ${file}, and wrote:\n${lastErrors}`,
      );
    }
    kept.push(event);
    if (!isEnd) continue;
    for (const each of kept) shown.write(each);
    kept = [];
  }
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
