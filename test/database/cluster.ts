import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Postgres, startPostgres } from '../../src/sandbox/postgres/index.ts';

/** A server of a cluster, with a folder that nobody else uses. */
export interface Member {
  folder: string;
  postgres: Postgres;
  /** Without a goodbye to its clients. */
  kill(): Promise<void>;
  promote(): Promise<void>;
  /** The first row of the answer, on a separate connection. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever was asked.
  query(text: string, values?: unknown[]): Promise<any>;
}

const run = promisify(execFile);

const usualSettings = { synchronous_commit: 'on', full_page_writes: 'on', wal_keep_size: '256MB' };

export async function startPrimary(
  folder: string,
  { port, settings }: { port?: number; settings?: Settings } = {},
): Promise<Member> {
  const postgres = await startMember(folder, { ...settings }, port);
  return memberOf(folder, postgres);
}

/** A server that follows another, made of a backup of its files while it runs. */
export async function startStandby(
  folder: string,
  source: Member,
  { name, port, settings, isSynchronous = false }: StandbyOptions,
): Promise<Member> {
  const primary = source.postgres;
  const admin = new pg.Client({ connectionString: primary.url() });
  await admin.connect();
  await admin.query("select pg_backup_start('standby', true)");
  const data = await fs.realpath(path.join(source.folder, 'postgres'));
  await fs.mkdir(folder, { recursive: true });
  const target = path.join(folder, 'postgres');
  await run('cp', ['-a', data, target]);
  await run('cp', ['-a', path.join(source.folder, 'postgres-password'), folder]);
  const { rows } = await admin.query('select labelfile, spcmapfile from pg_backup_stop(false)');
  await admin.end();
  await fs.rm(path.join(target, 'postmaster.pid'), { force: true });
  await write(target, 'backup_label', rows[0].labelfile);
  await write(target, 'standby.signal', '');
  await write(target, 'postgresql.auto.conf', followingOf(source, name, isSynchronous));
  const postgres = await startMember(folder, { ...settings }, port);
  return memberOf(folder, postgres);
}

interface StandbyOptions {
  name: string;
  port?: number;
  settings?: Settings;
  isSynchronous?: boolean;
}

type Settings = Readonly<Record<string, string>>;

const startMember = (folder: string, settings: Settings, port: number | undefined) =>
  startPostgres({
    folder,
    durable: false,
    settings: { ...usualSettings, ...settings },
    ...(port && { port }),
  });

/** Lets a standby follow another server from now on. */
export async function follow(
  standby: Member,
  source: Member,
  { name, isSynchronous = false }: Pick<StandbyOptions, 'name' | 'isSynchronous'>,
): Promise<void> {
  await configure(standby, followingOf(source, name, isSynchronous));
}

/** A standby receives no more, as if its network were cut. */
export async function cutOff(standby: Member): Promise<void> {
  await configure(standby, `primary_conninfo = ''\n`);
}

async function configure(member: Member, settings: string): Promise<void> {
  await write(await fs.realpath(path.join(member.folder, 'postgres')), 'postgresql.auto.conf', settings);
  await member.query('select pg_reload_conf()');
}

/** The settings of a standby; synchronous: once it is promoted, its commits wait for any other. */
function followingOf({ postgres }: Member, name: string, isSynchronous: boolean): string {
  const { username, password, port } = new URL(postgres.url());
  const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=${name}`;
  const standbys = isSynchronous ? anyStandby : '';
  return `primary_conninfo = '${conninfo}'\nsynchronous_standby_names = '${standbys}'\n`;
}

export const anyStandby = 'ANY 1 (*)';

/** As the account that runs the server. */
async function write(data: string, file: string, text: string): Promise<void> {
  const { uid, gid } = await fs.stat(data);
  await fs.writeFile(path.join(data, file), text);
  await fs.chown(path.join(data, file), uid, gid);
}

const memberOf = (folder: string, postgres: Postgres): Member => ({
  folder,
  postgres,
  async kill() {
    // Its processes end with it, as those of a machine that loses power.
    process.kill(postgres.pid, 'SIGQUIT');
    await postgres.exited;
  },
  promote: () => query(postgres, 'select pg_promote()'),
  query: (text, values) => query(postgres, text, values),
});

async function query({ url }: Postgres, text: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url(), connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text, values)).rows[0];
  } finally {
    await client.end();
  }
}

/** The address of one database on several servers. */
export function urlOf(members: readonly Member[], database = 'postgres'): string {
  const [first] = members;
  const hosts = members.map(({ postgres }) => `127.0.0.1:${postgres.port}`).join(',');
  const one = new URL(first!.postgres.url(database));
  return `postgres://${one.username}:${one.password}@${hosts}${one.pathname}`;
}

/** Until everything that is committed on one server is visible on the other. */
export async function untilCaughtUp(primary: Member, standby: Member): Promise<void> {
  const { at } = await primary.query('select pg_current_wal_lsn()::text as at');
  for (let tries = 0; tries < 200; tries++) {
    const { isThere } = await standby.query('select pg_last_wal_replay_lsn() >= $1::pg_lsn as "isThere"', [
      at,
    ]);
    if (isThere) return;
    await sleep(50);
  }
  throw new Error('the standby did not catch up');
}
