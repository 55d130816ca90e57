import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { cloneDatabase, noteSecret } from './harness.ts';
import { isEndurance } from './sizes.ts';
import { waitUntil } from './wait-until.ts';

// The package as operators install it: packed, installed into an empty folder, started by npx.

const timeout = 600_000;
const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'causeway package '));
const [staged, installed] = [path.join(folder, 'staged'), path.join(folder, 'installed')];
// As root, PostgreSQL runs under another account, which must be able to pass through here.
chmodSync(folder, 0o755);

/** Each `npx` and what it started that has not ended. */
const groups = new Set<number>();
after(() => {
  for (const group of groups) signalGroup(group, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

// `npm test` sets these for its own folder, and npm would take them for settings of the new one.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle|config_local_prefix)/.test(name)),
);
const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', [...args, '--loglevel=error'], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });

before(
  () => {
    // A copy, because npm pack writes dist/ into the folder that it packs.
    const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const sources = [
      'package.json',
      'LICENSE',
      'README.md',
      'src',
      'scripts',
      'tsconfig.json',
      ...manifest.files,
    ];
    for (const name of sources.filter((name) => name !== 'dist'))
      cpSync(path.join(root, name), path.join(staged, name), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), path.join(staged, 'node_modules'));
    npm(staged, 'pack', '--pack-destination', folder);
    assert.ok(
      !existsSync(path.join(staged, 'dist')),
      'npm pack leaves no dist/ that could shadow the source',
    );
    mkdirSync(installed);
    const tarball = path.join(folder, `${manifest.name}-${manifest.version}.tgz`);
    if (isEndurance) npm(installed, 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
    else unpack(tarball, manifest);
  },
  { timeout },
);

/**
 * As npm would install it, but with the packages that are here already: a real install takes half a minute of
 * CPU.
 */
function unpack(tarball: string, { name, bin }: { name: string; bin: Record<string, string> }): void {
  const [here, there] = [path.join(root, 'node_modules'), path.join(installed, 'node_modules')];
  mkdirSync(path.join(there, '.bin'), { recursive: true });
  for (const entry of readdirSync(here).filter((entry) => !entry.startsWith('.')))
    symlinkSync(path.join(here, entry), path.join(there, entry));
  mkdirSync(path.join(there, name));
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', path.join(there, name)]);
  for (const [command, file] of Object.entries(bin)) {
    chmodSync(path.join(there, name, file), 0o755);
    symlinkSync(path.join('..', name, file), path.join(there, '.bin', command));
  }
}

/** Starts `npx causeway …`, and returns what it has written once that matches. */
async function run(args: string[], settings: Record<string, string>, ready: RegExp) {
  // Into a file: the other end of a pipe would keep this process alive for as long as anybody holds it.
  const file = path.join(folder, `${args[0]}.log`);
  const log = openSync(file, 'a');
  // --no: never a package of the same name from the registry. Detached: a group, as under a terminal.
  const child = spawn('npx', ['--no', '--', 'causeway', ...args], {
    cwd: installed,
    env: { ...env, PORT: '0', ...settings },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  groups.add(child.pid!);
  const output = () => readFileSync(file, 'utf8');
  await waitUntil('it is ready', () => ready.test(output()) || child.exitCode !== null);
  assert.match(output(), ready);
  return {
    found: ready.exec(output())![1]!,
    async stop() {
      process.kill(-child.pid!, 'SIGINT');
      await waitUntil(`npx causeway ${args[0]} and all that it started have ended`, () => hasEnded(child));
      groups.delete(child.pid!);
    },
  };
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (exitCode === null && signalCode === null) return false;
  return !signalGroup(pid!, 0);
}

/** Whether there is anybody in the group who could be sent it. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

test('npx causeway sandbox: everything starts from the package, answers and stops', { timeout }, async () => {
  const sandbox = await run(['sandbox'], {}, /(npx causeway)/);
  const file = path.join(installed, '.causeway/sandbox.json');
  const { baseUrl, operatorToken, cardIssuer } = JSON.parse(readFileSync(file, 'utf8'));
  const answer = await fetch(`${baseUrl}/operator/wallets.show`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}` },
  });
  assert.equal(answer.status, 200);
  assert.equal((await fetch(`${baseUrl}/docs`)).status, 200);
  assert.equal((await fetch(`${baseUrl}/guides/quick-start`)).status, 200);
  await sandbox.stop();
  for (const url of [baseUrl, cardIssuer.url]) await assert.rejects(fetch(url));
});

test('npx causeway migrate and serve: the package serves a database', { timeout }, async () => {
  const settings = {
    DATABASE_URL: await cloneDatabase(),
    OPERATOR_TOKENS: `tester:${noteSecret(`cwo_${randomBytes(24).toString('hex')}`)}`,
    ENCRYPTION_KEYS: `1:${noteSecret(randomBytes(32).toString('base64'))}`,
  };
  const migrated = execFileSync('npx', ['--no', '--', 'causeway', 'migrate'], {
    cwd: installed,
    env: { ...env, ...settings },
    encoding: 'utf8',
  });
  assert.equal(migrated, 'The database is up to date.\n');
  const server = await run(['serve'], settings, /"url":"([^"]+)".*"msg":"started"/);
  assert.equal((await fetch(`${server.found}/openapi.json`)).status, 200);
  await server.stop();
  await assert.rejects(fetch(server.found));
});
