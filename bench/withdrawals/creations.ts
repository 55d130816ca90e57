import { randomBytes, randomUUID } from 'node:crypto';
import { createPool, type Db, type Pool } from '#platform/db/db';
import { createPostgresLimiter, type RateLimiter } from '#platform/rate-limit/index';
import { selectCredentialFor } from '../../src/features/keys/queries.ts';
import { selectRecipient } from '../../src/features/users/queries/recipients.ts';
import { insertWithdrawal } from '../../src/features/withdrawals/queries/creations.ts';
import { selectFormerAndOwner } from '../../src/features/withdrawals/queries/idempotency.ts';
import { cpuMsOf, cpuMsOfServer, parentOf } from '../curve/cpu.ts';
import { measureRate, measureRounds, printRounds } from '../measure.ts';
import type { LoadReport } from './load.ts';
import type { World } from './world.ts';

const connections = 32;
const rounds = 9;
const roundMs = 400;
/** So many creations take longer than the later ones, because V8 still compiles: twice the CPU at first. */
const warmUpCreations = 10_000;

interface Variant {
  userIds: readonly string[];
  withIdempotencyKey: boolean;
}

/**
 * Withdrawals that the server creates in a second, against the same statements run bare through the same
 * pool, as many at once. A recipient's freeze list look-up is remembered for 30 s: in a round, most of the
 * 1,000 recipients are known.
 */
export async function measureCreations(world: World): Promise<void> {
  const recipients = Array.from({ length: 1_000 }, () => `0x${randomBytes(20).toString('hex')}`);
  // The last user is left to the lists.
  const userIds = world.userIds.slice(0, -1);
  const several = { userIds, withIdempotencyKey: false };
  const variants: Record<string, Variant> = {
    [`${userIds.length} users`]: several,
    [`${userIds.length} users, Idempotency-Key`]: { ...several, withIdempotencyKey: true },
    'one user': { userIds: world.userIds.slice(0, 1), withIdempotencyKey: false },
    'one user, Idempotency-Key': { userIds: world.userIds.slice(0, 1), withIdempotencyKey: true },
  };
  await requireSameStatements(world, recipients);
  await warmUp(world, recipients, several);
  for (const [name, variant] of Object.entries(variants)) {
    const rates = await measureRounds(
      {
        limit: () => measureRate(bareCreation(world.db, world, recipients, variant), roundMs, connections),
        http: () => measureHttp(world, recipients, variant),
      },
      rounds,
    );
    printRounds(`create over HTTP / its SQL bare, ${name}, ${connections} at once`, rates.http, rates.limit);
  }
  await measureRateLimits(world, recipients, several);
  await measureNotify(world, recipients, several);
}

/** As a service that has run for a while: its code is compiled, and most recipients are known. */
async function warmUp(world: World, recipients: readonly string[], variant: Variant): Promise<void> {
  for (let made = 0; made < warmUpCreations; ) {
    made += (await callHttp(world, recipients, variant, { durationMs: 1_000 })).answers;
  }
}

/**
 * The same against inserts of one row with a random key, each its own commit, by as many callers: what a
 * creation costs beyond a row that is safe on disk. Also by CPU, which other work on the machine changes
 * less. So few recipients that the node, which is in this process, is rarely asked about them.
 */
export async function measureAgainstInserts(world: World): Promise<void> {
  const recipients = Array.from({ length: 200 }, () => `0x${randomBytes(20).toString('hex')}`);
  const variant = { userIds: world.userIds.slice(0, 64), withIdempotencyKey: true };
  await world.db.query(
    'create table bench_rows (id uuid primary key, user_id uuid not null, amount numeric not null, to_address text not null)',
  );
  const insert = () =>
    world.db.query('insert into bench_rows (id, user_id, amount, to_address) values ($1, $2, $3, $4)', [
      ...[randomUUID(), pick(variant.userIds), 1_500_000n, pick(recipients)],
    ]);
  await warmUp(world, recipients, variant);
  const cpu = await readCpuOf(world);
  const rates = await measureRounds(
    {
      limit: () =>
        cpu.of('an insert', () => measureRate(async () => void (await insert()), roundMs, connections)),
      http: () => cpu.of('a creation', () => measureHttp(world, recipients, variant)),
    },
    15,
  );
  printRounds(`creations / one-row inserts, 64 users, ${connections} callers`, rates.http, rates.limit);
  cpu.print();
}

/**
 * CPU of a creation by how many callers one process has: those that arrive together share a statement and a
 * commit. With more processes, each has fewer callers.
 */
export async function measureTogether(world: World): Promise<void> {
  const recipients = Array.from({ length: 200 }, () => `0x${randomBytes(20).toString('hex')}`);
  const variant = { userIds: world.userIds.slice(0, 64), withIdempotencyKey: true };
  await warmUp(world, recipients, variant);
  const cpu = await readCpuOf(world);
  const counts = [1, 8, 16, 32];
  const rates = await measureRounds(
    Object.fromEntries(
      counts.map((callers) => [
        callers,
        () =>
          cpu.of(`a creation, ${callers} callers`, () => measureHttp(world, recipients, variant, callers)),
      ]),
    ),
    rounds,
  );
  for (const callers of counts.slice(0, -1))
    printRounds(`creations with ${callers} callers / with 32`, rates[callers]!, rates[32]!);
  cpu.print();
}

/** CPU of the server's process, PostgreSQL and the callers for each operation. */
async function readCpuOf({ db, loaderPid }: World) {
  const [session] = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(session!.pid);
  const read = () => [cpuMsOf(process.pid), cpuMsOfServer(postmaster), cpuMsOf(loaderPid)];
  const used = new Map<string, { ms: number[]; operations: number }>();
  return {
    async of(what: string, measure: () => Promise<number>): Promise<number> {
      const [before, startedAt] = [read(), performance.now()];
      const rate = await measure();
      const seconds = (performance.now() - startedAt) / 1_000;
      const sum = used.get(what) ?? { ms: [0, 0, 0], operations: 0 };
      const after = read();
      sum.ms = sum.ms.map((ms, at) => ms + after[at]! - before[at]!);
      sum.operations += rate * seconds;
      used.set(what, sum);
      return rate;
    },
    print() {
      for (const [what, { ms, operations }] of used) {
        const [own, database, callers] = ms.map((one) => ((one * 1_000) / operations).toFixed(0));
        console.log(`µs of CPU for ${what}: server ${own}, PostgreSQL ${database}, callers ${callers}`);
      }
    },
  };
}

async function measureHttp(
  world: World,
  recipients: readonly string[],
  variant: Variant,
  callers = connections,
): Promise<number> {
  return (await callHttp(world, recipients, variant, { durationMs: roundMs, callers })).perSecond;
}

const callHttp = (
  world: World,
  recipients: readonly string[],
  variant: Variant,
  { durationMs, callers = connections }: { durationMs: number; callers?: number },
): Promise<LoadReport> =>
  world.load({
    kind: 'rate',
    port: world.port,
    token: world.key.token,
    connections: callers,
    durationMs,
    paths: variant.userIds.map((userId) => `/api/crypto/${userId}/withdraw`),
    bodies: recipients.map((to) => JSON.stringify({ amount: '1.5', to })),
    withIdempotencyKey: variant.withIdempotencyKey,
  });

const pick = <T>(some: readonly T[]) => some[Math.floor(Math.random() * some.length)]!;

/** The statements of a creation, by the functions that a creation calls. */
function bareCreation(
  db: Db,
  { partnerId, key, deps }: Pick<World, 'partnerId' | 'key' | 'deps'>,
  recipients: readonly string[],
  { userIds, withIdempotencyKey }: Variant,
): () => Promise<void> {
  const token = deps.evm.get('polygon')!.tokens.get('USDT')!;
  const fingerprint = randomBytes(32);
  return async () => {
    const [userId, toAddress] = [pick(userIds), pick(recipients)];
    const idempotencyKey = withIdempotencyKey ? randomUUID() : null;
    await selectCredentialFor(db, { keyId: key.id, userId });
    const payee = { network: 'polygon', address: toAddress };
    if (idempotencyKey === null) await selectRecipient(db, payee.network, payee);
    else await selectFormerAndOwner(db, { partnerId, idempotencyKey, payee });
    await insertWithdrawal(db, {
      partnerId,
      userId,
      keyId: key.id,
      network: 'polygon',
      currency: token.symbol,
      tokenAddress: token.address,
      decimals: token.decimals,
      amount: 1_500_000n,
      toAddress,
      recipientUserId: null,
      externalId: null,
      idempotencyKey,
      fingerprint: idempotencyKey === null ? null : fingerprint,
      now: new Date(),
    });
  };
}

/**
 * The bare figure must be what a creation runs, whatever becomes of either: the texts are compared, one by
 * one.
 */
async function requireSameStatements(world: World, recipients: readonly string[]): Promise<void> {
  for (const withIdempotencyKey of [false, true]) {
    const variant = { userIds: world.userIds.slice(0, 1), withIdempotencyKey };
    // Once before, so that what the server remembers is known.
    await measureHttp(world, recipients.slice(0, 1), variant);
    const ofServer = await textsOf(world.db, () => createOne(world, recipients[0]!, variant));
    const ofBench = await textsOf(world.db, bareCreation(world.db, world, recipients, variant));
    if (ofServer.join('\n') !== ofBench.join('\n')) {
      throw new Error(`a creation runs other statements than the bench:\n${ofServer.join('\n')}`);
    }
  }
}

async function createOne({ port, key }: World, to: string, variant: Variant): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/crypto/${variant.userIds[0]}/withdraw`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key.token}`,
      'content-type': 'application/json',
      ...(variant.withIdempotencyKey && { 'idempotency-key': randomUUID() }),
    },
    body: JSON.stringify({ amount: '1.5', to }),
  });
  if (response.status !== 200) throw new Error(await response.text());
}

async function textsOf(db: Pool, work: () => Promise<void>): Promise<string[]> {
  const { query } = db;
  const texts: string[] = [];
  db.query = (text, values) => {
    texts.push(text);
    return query(text, values);
  };
  try {
    await work();
  } finally {
    db.query = query;
  }
  return texts;
}

/**
 * What the rate limits cost if PostgreSQL has them. Default limits admit 60 a second of a partner; the bench
 * has one partner, so its creations are counted as those of 100.
 */
async function measureRateLimits(
  world: World,
  recipients: readonly string[],
  variant: Variant,
): Promise<void> {
  const { limiter } = world.deps;
  const usual = limiter.admitByAll;
  const shared = createPostgresLimiter(world.db);
  const rateWith = async (admitByAll: RateLimiter['admitByAll']) => {
    limiter.admitByAll = admitByAll;
    return measureHttp(world, recipients, variant).finally(() => {
      limiter.admitByAll = usual;
    });
  };
  const rates = await measureRounds(
    {
      without: () =>
        rateWith(async (limits) => limits.map(() => ({ admitted: true, remaining: 1, resetMs: 0 }))),
      memory: () => rateWith(usual),
      postgres: () =>
        rateWith((limits) => {
          const part = Math.floor(Math.random() * 100);
          return shared.admitByAll(limits.map((one) => ({ ...one, subject: `${one.subject} ${part}` })));
        }),
    },
    rounds,
  );
  printRounds('create with rate limits in memory / without limits', rates.memory, rates.without);
  printRounds('create with rate limits in PostgreSQL / without limits', rates.postgres, rates.without);
}

/** For information: NOTIFY makes those who commit wait for one another. */
async function measureNotify(world: World, recipients: readonly string[], variant: Variant): Promise<void> {
  const { db, databaseUrl, deps } = world;
  const [{ definition }] = (await db.query<{ definition: string }>(
    "select pg_get_functiondef('withdrawals_note_insert'::regproc) as definition",
  )) as [{ definition: string }];
  const silent = definition.replace(/perform pg_notify\([^;]*;/, '');
  if (silent === definition) throw new Error('withdrawals_note_insert does not notify');
  const wide = createPool({
    url: databaseUrl,
    connectionsMax: connections,
    statementTimeoutMs: 5_000,
    log: deps.log,
  });
  const rateWith = async (text: string) => {
    await db.query(text);
    return measureRate(bareCreation(wide, world, recipients, variant), roundMs, connections);
  };
  const rates = await measureRounds(
    { without: () => rateWith(silent), with: () => rateWith(definition) },
    rounds,
  );
  await wide.end();
  printRounds(
    `for information: bare creations with NOTIFY / without, ${connections} connections`,
    rates.with,
    rates.without,
  );
}
