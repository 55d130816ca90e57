import { setTimeout as sleep } from 'node:timers/promises';
import type { Ctx, Installation } from '#context';
import type { Db } from '#platform/db/db';
import { faultInSchema, readSchema } from '#platform/db/migrate';
import { type Place, selectPlace, selectReplayed } from '#platform/db/replica-queries';
import { describeCause } from '#platform/errors/describe-cause';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { type Check, type Outcome, ok, problem, type Sources, warning } from '../outcome.ts';
import { selectDatabase, selectReplay, selectServer } from '../queries.ts';
import { describeSkew, skewOf } from './skew.ts';

const lagMaxMs = 2_000;
const pauseMs = 20;
const versionMin = 18;

/** The databases beside the one of `DATABASE_URL`, named by their settings: addresses may hold passwords. */
export const databaseChecks = ({ replicas, limits }: Installation): readonly Check[] => [
  ...replicas.map((replica, at) => ({
    name: `read replica ${at + 1}`,
    run: answering('DATABASE_READ_URLS', (ctx) => examineReplica(ctx, replica)),
  })),
  ...(limits ? [limitsCheck(limits, replicas.length > 0)] : []),
];

type Run = Check['run'];

/** A database that does not answer is named by its setting. */
const answering =
  (setting: string, run: Run): Run =>
  async (ctx, sources) => {
    try {
      return await run(ctx, sources);
    } catch (error) {
      const reason = describeNoAnswer(error);
      if (reason === undefined) throw error;
      return problem(`Does not answer: ${reason}`, `Start the server, or correct ${setting}.`);
    }
  };

/**
 * Undefined for an error that is not the server's. The driver's reason names its address at most, and never
 * the password.
 */
function describeNoAnswer(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof DatabaseUnavailable) return describeCause(error);
  const { code = '' } = error as { code?: string };
  return code.startsWith('28') || code === '3D000' ? error.message : undefined;
}

async function examineReplica({ db }: Ctx, replica: Db): Promise<Outcome> {
  const { version, major, isStandby } = await selectServer(replica);
  const seen = `PostgreSQL ${version}`;
  if (major < versionMin) return problem(seen, 'Upgrade PostgreSQL to version 18 or later.');
  if (!isStandby)
    return problem(
      `${seen}, not a standby`,
      'Let DATABASE_READ_URLS name streaming replicas only: this server answers no read.',
    );
  const [here, there] = [await selectDatabase(db), await selectDatabase(replica)];
  if (here.cluster !== there.cluster || here.database !== there.database)
    return problem(
      `${seen}, a standby of another database`,
      'Let DATABASE_READ_URLS name replicas of the database of DATABASE_URL.',
    );
  const { isPaused, delayMs, hasFeedback } = await selectReplay(replica);
  if (isPaused)
    return problem(`${seen}, replay is paused`, 'Run select pg_wal_replay_resume() on the replica.');
  if (delayMs > 0)
    return warning(
      `${seen}, replays ${delayMs / 1_000} s late`,
      'Set recovery_min_apply_delay to 0 there: a replica answers only with everything that is committed.',
    );
  let lagMs = await measureLag(replica, await selectPlace(db));
  // A process that starts now may have made a new mark in between.
  if (lagMs === 'foreign') lagMs = await measureLag(replica, await selectPlace(db));
  if (lagMs === 'foreign')
    return problem(
      `${seen}, follows a server that was replaced`,
      'Build the replica again from the server that accepts writes.',
    );
  if (lagMs === undefined)
    return warning(
      `${seen}, more than ${lagMaxMs / 1_000} s behind`,
      'Look at the log, the disk and primary_conninfo of the replica: until then the primary answers its reads.',
    );
  if (!hasFeedback)
    return warning(
      `${seen}, ${lagMs} ms behind, hot_standby_feedback is off`,
      'Set hot_standby_feedback = on there: otherwise what it replays cancels reads.',
    );
  return ok(`${seen}, ${lagMs} ms behind`);
}

/** Until the replica has what the primary server had when this began. */
async function measureLag(replica: Db, wanted: Place): Promise<number | 'foreign' | undefined> {
  const startedAt = performance.now();
  for (;;) {
    const { mark, position } = await selectReplayed(replica);
    const ms = performance.now() - startedAt;
    if (position >= wanted.position) return mark === wanted.mark ? Math.round(ms) : 'foreign';
    if (ms > lagMaxMs) return undefined;
    await sleep(pauseMs);
  }
}

const limitsCheck = (limits: NonNullable<Installation['limits']>, hasReplicas: boolean): Check => ({
  name: 'rate limits',
  run: !limits.isApart
    ? async () =>
        hasReplicas
          ? warning(
              'Counted in the database of DATABASE_URL: each read that replicas serve writes there',
              'Set RATE_LIMIT_URL to a separate database.',
            )
          : ok('Counted in the database of DATABASE_URL')
    : answering('RATE_LIMIT_URL', (ctx, sources) => examineLimits(ctx, sources, limits.db)),
});

async function examineLimits({ db }: Ctx, { clockMs }: Sources, limits: Db): Promise<Outcome> {
  const { version, major, isStandby } = await selectServer(limits);
  const seen = `PostgreSQL ${version}`;
  if (major < versionMin) return problem(seen, 'Upgrade PostgreSQL to version 18 or later.');
  if (isStandby)
    return problem(
      `${seen}, a standby that accepts no writes`,
      'Let RATE_LIMIT_URL name a server that accepts writes.',
    );
  const fault = faultInSchema(await readSchema(limits));
  if (fault)
    return problem(
      `${seen}, the database is ${fault}`,
      'Run DATABASE_URL=<the value of RATE_LIMIT_URL> causeway migrate.',
    );
  const [here, there] = [await selectDatabase(db), await selectDatabase(limits)];
  if (here.cluster === there.cluster && here.database === there.database)
    return warning(
      `${seen}, the database of DATABASE_URL`,
      'Let RATE_LIMIT_URL name a separate database, or remove it: so it changes nothing.',
    );
  const skew = describeSkew(await skewOf(limits, clockMs));
  if (skew.state !== 'ok') return skew;
  const isSameServer = here.cluster === there.cluster;
  return ok(`${seen}, ${isSameServer ? 'on the server of DATABASE_URL' : 'on another server'}`);
}
