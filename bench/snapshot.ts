import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createPartner } from '#features/partners';
import { createPool, type Pool } from '#platform/db/db';
import { migrate } from '#platform/db/migrate';
import { DatabaseUnavailable } from '#platform/errors/errors';
import type { Log } from '#platform/observe/log';
import { postLines } from '../src/features/ledger/post-lines.ts';
import { insertWithdrawal } from '../src/features/withdrawals/queries/creations.ts';
import { quietNetworks } from './history/world.ts';
import { type Bench, measureRate, median } from './measure.ts';
import { createWorld, operatorContext, type World } from './withdrawals/world.ts';

const roundMs = 1_000;
const concurrency = 10;
const lastRounds = 7;

const allParts = {
  audit: {
    what: 'audited writes',
    write: ({ deps }: World) => createPartner(operatorContext(deps), { name: 'Bench' }),
  },
  ledger: {
    what: 'postings for one user',
    write: ({ db, userIds }: World) => postLines(db, new Date(), [depositOf(userIds[0]!)]),
  },
  withdrawals: { what: 'withdrawals created for one user', write: createWithdrawal },
};
type Part = keyof typeof allParts;

/**
 * What a snapshot that stays open, such as that of a dump, costs those who write meanwhile. `npm run bench --
 * snapshot 600 audit` writes for 600 seconds; 60 where no number is given. Two databases are written to in
 * turns, so that the machine's noise falls on both alike; a snapshot is open in one of them, and holds
 * nothing up in the other.
 */
export const run: Bench = async ({ databaseUrl, log, parts }) => {
  const named = parts.filter((part) => !/^\d+$/.test(part));
  const unknown = named.find((part) => !Object.hasOwn(allParts, part));
  if (unknown) throw new Error(`no part ${unknown}: ${Object.keys(allParts).join(', ')}`);
  const seconds = Number(parts.find((part) => /^\d+$/.test(part)) ?? 60);
  const names = (named.length > 0 ? named : Object.keys(allParts)) as Part[];
  for (const name of names) await measurePart(name, { databaseUrl, log, seconds });
};

async function measurePart(
  name: Part,
  { databaseUrl, log, seconds }: { databaseUrl: string; log: Log; seconds: number },
): Promise<void> {
  const { what } = allParts[name];
  const write = (world: World) => untilNotBusy(() => allParts[name].write(world));
  const held = await createSide(databaseUrl, `${name}_held`, log);
  const free = await createSide(databaseUrl, `${name}_free`, log);
  const holder = new pg.Client({ connectionString: held.world.databaseUrl });
  try {
    for (const { world } of [held, free]) await measureRate(() => write(world), roundMs, concurrency);
    await holder.connect();
    await holder.query('begin isolation level repeatable read, read only');
    await holder.query('select count(*) from audit_log');
    const rates = { held: [] as number[], free: [] as number[] };
    const rounds = Math.max(lastRounds, Math.round((seconds * 1_000) / roundMs / 2));
    for (let round = 0; round < rounds; round++) {
      rates.held.push(await measureRate(() => write(held.world), roundMs, concurrency));
      rates.free.push(await measureRate(() => write(free.world), roundMs, concurrency));
    }
    const ratios = rates.held.map((rate, round) => rate / rates.free[round]!).slice(-lastRounds);
    const writes = (rates.held.reduce((sum, rate) => sum + rate, 0) * roundMs) / 1_000;
    const [withSnapshot, without] = [rates.held, rates.free].map((side) => median(side.slice(-lastRounds)));
    console.log(
      `${what} beside an open snapshot / without one, after ${Math.round(writes)} of them (goal: at least 0.8): ${median(ratios).toFixed(2)} (${Math.round(withSnapshot!)}/s against ${Math.round(without!)}/s)`,
    );
  } finally {
    await holder.end();
    for (const { world, db } of [held, free]) {
      await world.stop();
      await db.end();
    }
  }
}

/** Ten that queue for one lock on a busy disk may wait longer than a request does. */
async function untilNotBusy(write: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      await write();
      return;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
  }
  throw new Error('the database is too busy to measure anything');
}

/** A database with one user who has been posted to. */
async function createSide(given: string, name: string, log: Log): Promise<{ world: World; db: Pool }> {
  const admin = new pg.Client({ connectionString: given });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const databaseUrl = Object.assign(new URL(given), { pathname: `/${name}` }).href;
  await migrate(databaseUrl);
  const db = createPool({ url: databaseUrl, connectionsMax: concurrency, statementTimeoutMs: 60_000, log });
  const world = await createWorld({ db, databaseUrl }, { networks: quietNetworks(), users: 1 });
  await postLines(db, new Date(), [depositOf(world.userIds[0]!)]);
  return { world, db };
}

function depositOf(userId: string) {
  const onChain = { transactionHash: `0x${randomBytes(32).toString('hex')}`, logIndex: 7 };
  const operationId = `polygon:${onChain.transactionHash}:7`;
  const common = { operationId, description: 'Deposit of USDT on polygon', onChain };
  const [received, at] = [{ currency: 'USDT', amount: 1_500_000n }, new Date()];
  return {
    ...common,
    kind: 'deposit' as const,
    lines: [
      {
        ...common,
        userId,
        type: 'buy' as const,
        network: 'polygon',
        sent: null,
        received,
        transactionAt: at,
        executedAt: at,
        purpose: 'deposit' as const,
        userDescription: null,
      },
    ],
  };
}

function createWithdrawal({ db, deps, partnerId, key, userIds }: World) {
  const token = deps.evm.get('polygon')!.tokens.get('USDT')!;
  return insertWithdrawal(db, {
    partnerId,
    userId: userIds[0]!,
    keyId: key.id,
    network: 'polygon',
    currency: token.symbol,
    tokenAddress: token.address,
    decimals: token.decimals,
    amount: 1_500_000n,
    toAddress: `0x${randomBytes(20).toString('hex')}`,
    recipientUserId: null,
    externalId: null,
    idempotencyKey: null,
    fingerprint: null,
    now: new Date(),
  });
}
