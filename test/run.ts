// `npm test [-- part of a file name …]`: one PostgreSQL for the run, a migrated template that each test file clones, then a
// last look for secrets in everything that the run wrote.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '../src/platform/migrate.ts';
import { startPostgres } from '../src/sandbox/postgres/index.ts';

const root = path.resolve(import.meta.dirname, '..');
const wanted = process.argv.slice(2);
const isWanted = (file: string) => wanted.length === 0 || wanted.some((part) => file.includes(part));
const files = globSync(['src/**/*.test.ts', 'test/*.test.ts', 'test/mcp/*.test.ts'], { cwd: root })
  .sort()
  .filter(isWanted);
const lastFiles = globSync('test/last/*.test.ts', { cwd: root }).sort();

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-test-'));
let runner: ChildProcess | undefined;
let finishing: Promise<never> | undefined;
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

  const env = { CAUSEWAY_TEST_FOLDER: folder, CAUSEWAY_TEST_POSTGRES: postgres.url() };
  let code = await runTests(files, env);
  if (code === 0 && wanted.length === 0) code = await runTests(lastFiles, env);
  await finish(code);
} catch (error) {
  // Once a signal has stopped PostgreSQL, whatever was using it fails.
  if (!finishing) console.error(error);
  await finish(1);
}

function finish(code: number): Promise<never> {
  finishing ??= (async () => {
    await stopRunner();
    await starting.then(({ stop }) => stop()).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
    process.exit(code);
  })();
  return finishing;
}

/** Only a Ctrl-C reaches the tests by itself; they write into the folder until they are gone. */
async function stopRunner(): Promise<void> {
  if (!runner || runner.exitCode !== null || runner.signalCode !== null) return;
  const exited = once(runner, 'exit');
  runner.kill('SIGTERM');
  await exited;
}

function runTests(files: string[], env: Record<string, string>): Promise<number> {
  if (files.length === 0) {
    console.error('No test file has that in its name.');
    return Promise.resolve(1);
  }
  // Three at once on two cores: the files wait for PostgreSQL, timers and processes more than they compute.
  const args = ['--test', '--test-concurrency=3', '--test-timeout=300000', ...files];
  runner = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return once(runner, 'exit').then(([code]) => code ?? 1);
}
