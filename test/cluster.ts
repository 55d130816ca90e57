import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Postgres, startPostgres } from '../src/sandbox/postgres/index.ts';

/** A server of a cluster, with a folder that nobody else uses. */
export interface Member {
  folder: string;
  postgres: Postgres;
  /** Without a goodbye to its clients. */
  kill(): Promise<void>;
  promote(): Promise<void>;
}

const run = promisify(execFile);

const settings = { synchronous_commit: 'on', full_page_writes: 'on', wal_keep_size: '256MB' };

export async function startPrimary(folder: string, more: Record<string, string> = {}): Promise<Member> {
  const postgres = await startPostgres({ folder, durable: false, settings: { ...settings, ...more } });
  return memberOf(folder, postgres);
}

/** A server that follows another, made of a backup of its files while it runs. */
export async function startStandby(
  folder: string,
  { folder: source, postgres: primary }: Member,
  { name, ...more }: { name: string } & Record<string, string>,
): Promise<Member> {
  const admin = new pg.Client({ connectionString: primary.url() });
  await admin.connect();
  await admin.query("select pg_backup_start('standby', true)");
  const data = await fs.realpath(path.join(source, 'postgres'));
  await fs.mkdir(folder, { recursive: true });
  const target = path.join(folder, 'postgres');
  await run('cp', ['-a', data, target]);
  await run('cp', ['-a', path.join(source, 'postgres-password'), folder]);
  const { rows } = await admin.query('select labelfile, spcmapfile from pg_backup_stop(false)');
  await admin.end();
  await fs.rm(path.join(target, 'postmaster.pid'), { force: true });
  const { uid, gid } = await fs.stat(data);
  const write = async (file: string, text: string) => {
    await fs.writeFile(path.join(target, file), text);
    await fs.chown(path.join(target, file), uid, gid);
  };
  await write('backup_label', rows[0].labelfile);
  await write('standby.signal', '');
  const { username, password, port } = new URL(primary.url());
  const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=${name}`;
  const postgres = await startPostgres({
    folder,
    durable: false,
    settings: { ...settings, ...more, primary_conninfo: conninfo },
  });
  return memberOf(folder, postgres);
}

const memberOf = (folder: string, postgres: Postgres): Member => ({
  folder,
  postgres,
  async kill() {
    // Its processes end with it, as those of a machine that loses power.
    process.kill(postgres.pid, 'SIGQUIT');
    await postgres.exited;
  },
  async promote() {
    const admin = new pg.Client({ connectionString: postgres.url() });
    await admin.connect();
    try {
      await admin.query('select pg_promote()');
    } finally {
      await admin.end();
    }
  },
});

/** The address of one database on several servers. */
export function urlOf(members: readonly Member[], database = 'postgres'): string {
  const [first] = members;
  const hosts = members.map(({ postgres }) => `127.0.0.1:${postgres.port}`).join(',');
  const one = new URL(first!.postgres.url(database));
  return `postgres://${one.username}:${one.password}@${hosts}${one.pathname}`;
}

/** Until everything that is committed on one server is visible on the other. */
export async function untilCaughtUp(primary: Member, standby: Member): Promise<void> {
  const ask = async (member: Member, text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: member.postgres.url() });
    await client.connect();
    const { rows } = await client.query(text, values);
    await client.end();
    return rows[0];
  };
  const { at } = await ask(primary, 'select pg_current_wal_lsn()::text as at');
  for (let tries = 0; tries < 200; tries++) {
    const { isThere } = await ask(standby, 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as "isThere"', [
      at,
    ]);
    if (isThere) return;
    await sleep(50);
  }
  throw new Error('the standby did not catch up');
}
