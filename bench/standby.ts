import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPool } from '#platform/db/db';
import { migrate } from '#platform/db/migrate';
import { createLog } from '#platform/observe/log';
import { anyStandby, type Member, startPrimary, startStandby } from '#test/database/cluster';
import { run as runWithdrawals } from './withdrawals.ts';

/** As `docs/operating.md` says, and each commit is on both disks before it is answered. */
const settings = { fsync: 'on', shared_buffers: '1GB', max_wal_size: '4GB' };

/** Creations against bare inserts, where both wait for a synchronous standby on the same machine. */
export async function runAlone(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-bench-'));
  chmodSync(folder, 0o755);
  const members: Member[] = [];
  try {
    const primary = await startPrimary(path.join(folder, 'one'), { settings });
    members.push(primary);
    await primary.query('create database causeway');
    const databaseUrl = primary.postgres.url('causeway');
    await migrate(databaseUrl);
    members.push(await startStandby(path.join(folder, 'two'), primary, { name: 'two', settings }));
    await primary.query(`alter system set synchronous_standby_names = '${anyStandby}'`);
    await primary.query('select pg_reload_conf()');
    const log = createLog({ level: 'silent' });
    const db = createPool({ url: databaseUrl, connectionsMax: 10, statementTimeoutMs: 600_000, log });
    await runWithdrawals({ db, databaseUrl, log, parts: ['inserts'] });
    await db.end();
  } finally {
    for (const { postgres } of members) await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
