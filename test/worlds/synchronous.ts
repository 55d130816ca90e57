import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, type TestContext } from 'node:test';
import { migrate } from '#platform/db/migrate';
import { type Member, startPrimary, startStandby, urlOf } from '#test/database/cluster';
import { type Harness, type HarnessOptions, useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';

/** A process on a server whose commits wait for a standby. */
export function useSynchronous(more: HarnessOptions = {}) {
  const members: Member[] = [];
  let folder: string;
  const harness: Harness = useHarness(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'causeway cluster '));
    await chmod(folder, 0o755);
    const primary = await startPrimary(path.join(folder, 'one'));
    members.push(primary);
    await primary.query('create database causeway');
    await migrate(primary.postgres.url('causeway'));
    members.push(await startStandby(path.join(folder, 'two'), primary, { name: 'two' }));
    await primary.query(`alter system set synchronous_standby_names = 'two'`);
    await primary.query('select pg_reload_conf()');
    return {
      databaseUrl: urlOf(members, 'causeway'),
      databaseReplication: 'synchronous',
      databaseStatementTimeoutMs: 1_500,
      databaseLockTimeoutMs: 500,
      ...more,
    };
  });
  after(async () => {
    for (const { postgres } of members) await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  });

  return {
    harness,
    members,
    untilSynchronous: () =>
      waitUntil('the standby is synchronous', async () => {
        const row = await members[0]!.query('select sync_state as state from pg_stat_replication');
        return row?.state === 'sync';
      }),
    /** The standby is silent until the function that is returned is called, or the test ends. */
    async silence(t: TestContext): Promise<() => void> {
      const { pid } = await members[1]!.query('select pid from pg_stat_wal_receiver');
      const goOn = () => void process.kill(pid, 'SIGCONT');
      process.kill(pid, 'SIGSTOP');
      t.after(goOn);
      return goOn;
    },
    /** Ends the wait of a commit for the standby: PostgreSQL itself reports success then. */
    cancelWait: () =>
      waitUntil('a wait was canceled', async () => {
        const row = await members[0]!.query(
          `select bool_or(pg_cancel_backend(pid)) as done from pg_stat_activity where wait_event = 'SyncRep'`,
        );
        return row.done === true;
      }),
  };
}
