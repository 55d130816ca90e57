import { showDuration } from '#platform/values/duration';
import { type Check, count, list, ok, problem, skipped, warning } from '../outcome.ts';
import { selectArchiver, selectSettings, selectSlots, selectStandbys } from '../queries.ts';

const lagMaxSeconds = 60;
/** The log that an inactive slot holds is never deleted, so the disk fills up. */
const heldMaxBytes = { ok: 1024 ** 3, warning: 16 * 1024 ** 3 };
/** A segment is archived when it is full or, with `archive_timeout`, after that time. */
const archiveMaxSeconds = 3_600;

export const replicationChecks: readonly Check[] = [
  {
    name: 'replication',
    run: async ({ db, isReplicationSynchronous }) => {
      const [standbys, settings] = [await selectStandbys(db), await selectSettings(db)];
      const names = settings.get('synchronous_standby_names') ?? '';
      if (isReplicationSynchronous && names === '')
        return problem(
          'DATABASE_REPLICATION is synchronous, and synchronous_standby_names is empty',
          'Set synchronous_standby_names, or DATABASE_REPLICATION=asynchronous: a promotion could lose payouts.',
        );
      if (isReplicationSynchronous && settings.get('synchronous_commit') === 'local')
        return problem(
          'DATABASE_REPLICATION is synchronous, and synchronous_commit is local',
          'Set synchronous_commit to on for the server, the database and the role: a promotion could lose what was answered.',
        );
      if (standbys.length === 0)
        return names === ''
          ? warning(
              `No standby, wal_level ${settings.get('wal_level')}`,
              'Add a standby, or accept that a lost server is restored from a backup.',
            )
          : problem(
              'No standby is connected, and commits wait for one',
              'Start the standbys that synchronous_standby_names lists.',
            );
      if (standbys.every(({ state }) => state === null))
        return skipped(
          `${count(standbys.length, 'standby', 'standbys')}, whose state this role may not see`,
          'Grant pg_monitor to the role of DATABASE_URL.',
        );
      const seen = list(standbys.map(describeStandby));
      if (names !== '' && !standbys.some(({ syncState }) => syncState === 'sync' || syncState === 'quorum'))
        return problem(seen, 'Start a synchronous standby: commits wait for one.');
      if (
        standbys.some(({ state, lagSeconds }) => state !== 'streaming' || (lagSeconds ?? 0) > lagMaxSeconds)
      )
        return warning(seen, 'Look at the log and the disk of the standby that is behind.');
      return ok(seen);
    },
  },
  {
    name: 'replication slots',
    run: async ({ db }) => {
      const slots = await selectSlots(db);
      const lost = slots.filter(({ walStatus }) => walStatus === 'lost' || walStatus === 'unreserved');
      if (lost.length > 0)
        return problem(
          list(lost.map(({ name, walStatus }) => `${name} is ${walStatus}`)),
          'Build the standby of the slot again, and drop the slot with pg_drop_replication_slot.',
        );
      const inactive = slots.filter(
        ({ isActive, heldBytes }) => !isActive && heldBytes > 0 && heldBytes > heldMaxBytes.ok,
      );
      if (inactive.length > 0) {
        const seen = list(inactive.map(({ name, held }) => `${name} is inactive and holds ${held} of log`));
        const advice =
          'Start what uses the slot, or drop it with pg_drop_replication_slot before the disk is full.';
        return inactive.some(({ heldBytes }) => heldBytes > heldMaxBytes.warning)
          ? problem(seen, advice)
          : warning(seen, advice);
      }
      const idle = slots.filter(({ isActive }) => !isActive);
      if (idle.length > 0)
        return warning(
          list(idle.map(({ name, held }) => `${name} is inactive and holds ${held} of log`)),
          'Start what uses the slot, or drop it with pg_drop_replication_slot.',
        );
      return ok(slots.length === 0 ? 'No slots' : `${count(slots.length, 'slot')}, all in use`);
    },
  },
  {
    name: 'archiving',
    run: async ({ db }) => {
      const settings = await selectSettings(db);
      if (settings.get('archive_mode') === 'off')
        return warning(
          `archive_mode is off, wal_level ${settings.get('wal_level')}`,
          'Archive the write-ahead log, as docs/guides/point-in-time.md says: a dump loses what came after it.',
        );
      const { archived, failed, isFailing, waitingSeconds } = await selectArchiver(db);
      const seen = `${count(archived, 'segment')} archived, ${count(failed, 'failure')}`;
      if (isFailing)
        return problem(
          `${seen}, the last attempt failed`,
          'Look at the log of PostgreSQL and correct archive_command: the log stays on its disk until then.',
        );
      if (archived === 0 || (waitingSeconds ?? 0) > archiveMaxSeconds)
        return warning(
          archived === 0 ? seen : `${seen}, the last one ${showDuration(waitingSeconds!)} ago`,
          'Set archive_timeout, such as 60 s: until a segment is full, its changes are in no archive.',
        );
      return ok(seen);
    },
  },
];

type Standby = Awaited<ReturnType<typeof selectStandbys>>[number];

const describeStandby = ({ name, state, syncState, lagSeconds }: Standby) =>
  `${name} (${syncState}, ${state}${lagSeconds === null ? '' : `, ${showDuration(lagSeconds)} behind`})`;
