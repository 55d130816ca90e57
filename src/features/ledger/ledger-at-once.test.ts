import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Ctx } from '#context';
import { addWallet } from '#features/users';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { lineOf, makeAddress, makeFunds, makeUser } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { useChain } from '#test/outside/chain';
import { makeWorld } from '#test/worlds/payout';
import { fundAccount } from './fund-account.ts';
import { accountFeatures } from './index.ts';
import { listLines } from './lines/list-lines.ts';
import { postBatch } from './post-batch.ts';
import { listUnsettled } from './unsettled/list-unsettled.ts';
import { recordUnsettled } from './unsettled/record-unsettled.ts';
import { settleUnsettled } from './unsettled/settle-unsettled.ts';
import type { UnsettledStatus } from './unsettled/states.ts';
import { updateUnsettled } from './unsettled/update-unsettled.ts';
import { verifyLedger } from './verify/verify-ledger.ts';

const polygon = useChain();
const types = accountFeatures.account;

/** Numbers that look random and are the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Retries while the database is busy, as a caller would. A deadlock must never be the reason. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof DatabaseUnavailable && (error.cause as { code?: string }).code;
      assert.notEqual(code, '40P01', 'deadlock');
      if (!(error instanceof DatabaseUnavailable) || attempt === 20) throw error;
    }
  }
}

/** All ids of both sets, each page of each as of one moment. */
function readBoth(ctx: Ctx, userId: string) {
  return ctx.db.transaction(async (db) => {
    await db.query('set transaction isolation level repeatable read, read only');
    const now = { ...ctx, db };
    const [settled, unsettled]: string[][] = [[], []];
    const [totals, pageSize] = [{ settled: 0, unsettled: 0 }, 100];
    for (let currentPage = 0; ; currentPage++) {
      const { total, lines } = await listLines(now, { userId, types, currentPage, pageSize });
      settled!.push(...lines.map(({ id }) => id));
      totals.settled = total;
      if (lines.length < pageSize) break;
    }
    for (let currentPage = 0; ; currentPage++) {
      const { total, records } = await listUnsettled(now, { userId, currentPage, pageSize });
      unsettled!.push(...records.map(({ id }) => id));
      totals.unsettled = total;
      if (records.length < pageSize) break;
    }
    assert.deepEqual(totals, { settled: settled!.length, unsettled: unsettled!.length });
    return { settled: settled!, unsettled: unsettled! };
  });
}

const legs = [{ network: 'polygon', assetReceived: 'USDC', amountReceived: '1' }];

test('at every moment each record is in exactly one of the two sets', async (t) => {
  const world = await makeWorld(t, polygon);
  const { userId } = world;
  const ctx = () => world.harness.operatorContext();
  await world.pay();
  const ofBooks = new Set((await readBoth(ctx(), userId)).settled);
  /** Those whose recording has been answered. */
  const known: string[] = [];
  let working = 4;

  const work = async (worker: number) => {
    const random = seeded(worker + 1);
    const own: string[] = [];
    for (let turn = 0; turn < 40; turn++) {
      const id = own.length === 0 ? undefined : own[random(own.length)]!;
      if (id === undefined || random(10) < 4) {
        const name = `${worker} ${turn}`;
        await untilDone(() =>
          recordUnsettled(ctx(), {
            userId,
            id: name,
            transactionType: 'buy',
            status: 'awaiting-payment',
            description: 'x',
            legs,
          }),
        );
        known.push(name);
        own.push(name);
      } else if (random(10) < 5) {
        await untilDone(() => settleUnsettled(ctx(), { userId, id }));
        own.splice(own.indexOf(id), 1);
      } else {
        const status: UnsettledStatus = random(2) === 0 ? 'in-analysis' : 'pending';
        await untilDone(() => updateUnsettled(ctx(), { userId, id, status }));
      }
    }
    working -= 1;
  };
  const watch = async () => {
    let looks = 0;
    for (let isLast = false; !isLast; looks++) {
      isLast = working === 0;
      const expected = [...known];
      const { settled, unsettled } = await untilDone(() => readBoth(ctx(), userId));
      const places = new Map<string, number>();
      for (const id of [...settled, ...unsettled]) {
        if (!ofBooks.has(id)) places.set(id, (places.get(id) ?? 0) + 1);
      }
      for (const [id, count] of places) assert.equal(count, 1, `${id} is in ${count} places`);
      for (const id of expected) assert.ok(places.has(id), `${id} is in neither`);
    }
    return looks;
  };
  const [looks] = await Promise.all([watch(), watch(), ...[0, 1, 2, 3].map(work)]);
  assert.ok(looks > 1);
  assert.deepEqual((await verifyLedger(ctx(), { userId })).faults, []);
  assert.deepEqual(await checkBooks(world.db), rightBooks);
});

test('posting, settling, funding and paying at once for the same users: no deadlock, the books are right', async (t) => {
  const world = await makeWorld(t, polygon);
  const { harness } = world;
  const others = [await makeUser(harness), await makeUser(harness)];
  for (const { id } of others) await makeFunds(harness, id, 'polygon', 'USDC', '1000');
  const userIds = [world.userId, ...others.map(({ id }) => id)];
  for (const userId of userIds) {
    await addWallet(harness.operatorContext(), {
      userId,
      network: 'polygon',
      address: makeAddress(),
      custody: 'platform',
    });
  }
  const { deps } = world.makeWorker();
  const ctx = (): Ctx => ({ ...harness.operatorContext(), db: deps.db });
  const withdrawals: string[] = [];
  let working = 8;

  const operations: ((random: (below: number) => number, userId: string) => Promise<unknown>)[] = [
    // One batch over all of them, in any order, with ids that are looked for among what is unsettled.
    (random) => {
      const order = random(2) === 0 ? userIds : userIds.toReversed();
      const lines = order.map((userId) => lineOf(userId, { id: randomUUID() }));
      const key = randomUUID();
      return untilDone(() => postBatch(ctx(), { key, lines }));
    },
    async (random, userId) => {
      const id = randomUUID();
      const record = {
        userId,
        id,
        transactionType: 'buy',
        status: 'started',
        description: 'x',
        legs,
      } as const;
      await untilDone(() => recordUnsettled(ctx(), record));
      if (random(3) > 0) await untilDone(() => settleUnsettled(ctx(), { userId, id }));
    },
    (_random, userId) => {
      const reference = randomUUID();
      const funds = { userId, network: 'polygon', currency: 'USDC', amount: '2', reference };
      return untilDone(() => fundAccount(ctx(), funds));
    },
    // To nobody's address or to another of them.
    async (random, userId) => {
      const others = userIds.filter((other) => other !== userId);
      const wanted = random(2) === 0 ? { userId } : { userId, to: others[random(2)]! };
      withdrawals.push(await untilDone(() => world.withdraw(wanted)));
    },
    async (random) => {
      const withdrawalId = withdrawals[random(Math.max(1, withdrawals.length))];
      if (withdrawalId !== undefined && random(4) === 0)
        await world.operator('withdrawals.cancel', { withdrawalId, reason: 'No' });
    },
  ];

  const work = async (worker: number) => {
    const random = seeded(worker + 100);
    for (let turn = 0; turn < 40; turn++) {
      await operations[random(operations.length)]!(random, userIds[random(3)]!);
    }
    working -= 1;
  };
  const pay = async () => {
    const open = async () => {
      const [row] = await world.db.query(
        `select count(*) as open from withdrawals where status not in ('completed', 'failed')`,
      );
      return row!.open !== 0n;
    };
    for (let rounds = 0; working > 0 || (await open()); rounds++) {
      assert.ok(working > 0 || rounds < 1_000, 'withdrawals are left');
      await untilDone(world.worker.hold);
      await untilDone(world.worker.sign);
      await untilDone(world.worker.send);
      await polygon.mine(2);
      await untilDone(world.worker.settle);
    }
  };
  await Promise.all([pay(), ...Array.from({ length: 8 }, (_, worker) => work(worker))]);

  const deadlocks = world.worker.lines.filter((line) => JSON.stringify(line).includes('deadlock'));
  assert.deepEqual(deadlocks, []);
  assert.deepEqual(await checkBooks(world.db), rightBooks);
  for (const userId of userIds) {
    const { settled, unsettled } = await readBoth(ctx(), userId);
    assert.deepEqual(
      unsettled.filter((id) => settled.includes(id)),
      [],
    );
    assert.deepEqual((await verifyLedger(ctx(), { userId })).faults, []);
  }
});
