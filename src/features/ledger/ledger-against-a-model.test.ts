import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatMinor } from '#platform/values/money';
import { makeUser } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { useLedger } from '#test/models/ledger-books';
import {
  fundAccount,
  holdFunds,
  lockAccounts,
  type Owner,
  type PaidWithdrawal,
  releaseFunds,
} from './index.ts';

const { harness, transaction, post, polygonUsdc, baseEurc, accountOf, custodyOf, paidBy, isPostedTwice } =
  useLedger();

// Against a model

type ModelOp =
  | { kind: 'fund'; of: number; amount: bigint }
  | { kind: 'hold'; parts: { of: number; amount: bigint }[] }
  | { kind: 'release'; picks: number[] }
  | { kind: 'post'; picks: number[]; to: (number | null)[] }
  | { kind: 'postAgain'; pick: number };

const amounts = fc.bigInt({ min: 1n, max: 50n });
const accountNumbers = fc.nat({ max: 5 });
const picks = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 4 });
const op: fc.Arbitrary<ModelOp> = fc.oneof(
  fc.record({
    kind: fc.constant('fund' as const),
    of: accountNumbers,
    amount: fc.bigInt({ min: 1n, max: 200n }),
  }),
  fc.record({
    kind: fc.constant('hold' as const),
    parts: fc.array(fc.record({ of: accountNumbers, amount: amounts }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('release' as const), picks }),
  fc.record({
    kind: fc.constant('post' as const),
    picks,
    to: fc.array(fc.option(fc.nat({ max: 2 })), { minLength: 4, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('postAgain' as const), pick: fc.nat({ max: 20 }) }),
);

interface OpenHold {
  of: number;
  amount: bigint;
}

/**
 * Three users with an account in each of two assets, the books in memory, and what is held and not yet spent.
 */
async function startModel() {
  const users = await Promise.all(Array.from({ length: 3 }, () => makeUser(harness)));
  const owners = [polygonUsdc, baseEurc].flatMap((asset) =>
    users.map(({ id }): Owner => ({ userId: id, ...asset })),
  );
  const books = owners.map(() => ({ balance: 0n, held: 0n }));
  const custody = new Map([polygonUsdc, baseEurc].map(({ network }) => [network, 0n]));
  const before = new Map(
    await Promise.all(
      [polygonUsdc, baseEurc].map(async (asset) => [asset.network, await custodyOf(asset)] as const),
    ),
  );
  const open: OpenHold[] = [];
  const posted: PaidWithdrawal[] = [];

  const take = (picks: number[]) =>
    picks.flatMap((pick) => (open.length > 0 ? open.splice(pick % open.length, 1) : []));
  const recipientOf = (of: number, to: number | null) => (to === null ? undefined : of - (of % 3) + to);

  /** Does it in the database and, if that succeeded, in the model. Says what came of it. */
  async function run(one: ModelOp): Promise<'done' | 'refused' | 'nothing'> {
    switch (one.kind) {
      case 'fund': {
        const amount = formatMinor(one.amount, 6);
        await fundAccount(harness.operatorContext(), { ...owners[one.of]!, amount });
        books[one.of]!.balance += one.amount;
        move(one.of, -one.amount);
        return 'done';
      }
      case 'hold': {
        const held = await transaction(async (db) => {
          const accounts = await lockAccounts(
            db,
            one.parts.map(({ of }) => owners[of]!),
          );
          const left = new Map(accounts.map((account) => [account?.accountId, account?.available ?? 0n]));
          for (const [at, { amount }] of one.parts.entries()) {
            const id = accounts[at]?.accountId;
            left.set(id, left.get(id)! - amount);
          }
          if ([...left.values()].some((amount) => amount < 0n)) return false;
          const holds = one.parts.map(({ amount }, at) => ({ accountId: accounts[at]!.accountId, amount }));
          await holdFunds(db, holds);
          return true;
        });
        if (!held) return 'refused';
        for (const { of, amount } of one.parts) books[of]!.held += amount;
        open.push(...one.parts);
        return 'done';
      }
      case 'release': {
        const taken = take(one.picks);
        if (taken.length === 0) return 'nothing';
        await transaction(async (db) => {
          const accounts = await lockAccounts(
            db,
            taken.map(({ of }) => owners[of]!),
          );
          await releaseFunds(
            db,
            taken.map(({ amount }, at) => ({ accountId: accounts[at]!.accountId, amount })),
          );
        });
        for (const { of, amount } of taken) books[of]!.held -= amount;
        return 'done';
      }
      case 'post': {
        const taken = take(one.picks);
        if (taken.length === 0) return 'nothing';
        const paid = taken.map(({ of, amount }, at) => {
          const to = recipientOf(of, one.to[at]!);
          return paidBy(owners[of]!, amount, {
            recipientUserId: to === undefined ? null : owners[to]!.userId,
          });
        });
        await post(...paid);
        for (const [at, { of, amount }] of taken.entries()) {
          const to = recipientOf(of, one.to[at]!);
          books[of]!.held -= amount;
          books[of]!.balance -= amount;
          if (to === undefined) move(of, amount);
          else books[to]!.balance += amount;
        }
        posted.push(...paid);
        return 'done';
      }
      case 'postAgain': {
        const again = posted[one.pick % posted.length];
        if (!again) return 'nothing';
        await assert.rejects(post(again), isPostedTwice);
        return 'refused';
      }
    }
  }

  function move(of: number, amount: bigint): void {
    const { network } = owners[of]!;
    custody.set(network, custody.get(network)! + amount);
  }

  async function assertSame(): Promise<void> {
    const accounts = await Promise.all(owners.map((owner) => accountOf(owner)));
    const stored = accounts.map((account) => ({
      balance: account?.balance ?? 0n,
      held: account?.held ?? 0n,
    }));
    assert.deepEqual(stored, books);
    for (const asset of [polygonUsdc, baseEurc]) {
      const { network } = asset;
      assert.equal((await custodyOf(asset)) - before.get(network)!, custody.get(network));
    }
    assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
  }

  // Every third account is opened only by what is funded or paid to it.
  for (const number of [0, 1, 3, 4]) await run({ kind: 'fund', of: number, amount: 150n });
  const canHold = (parts: OpenHold[]) =>
    books.every(({ balance, held }, at) => {
      const asked = parts.filter(({ of }) => of === at).reduce((sum, { amount }) => sum + amount, 0n);
      return asked <= balance - held;
    });
  return { run, assertSame, canHold };
}

test('one after another, any sequence of funds, holds, releases and posts leaves what a plain model says', async () => {
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 40, size: 'max' }), async (ops) => {
      const model = await startModel();
      for (const one of ops) {
        const expected = one.kind === 'hold' && (model.canHold(one.parts) ? 'done' : 'refused');
        const outcome = await model.run(one);
        if (expected) assert.equal(outcome, expected);
        const what = `${one.kind} ${outcome}`;
        counts[what] = (counts[what] ?? 0) + 1;
      }
      await model.assertSame();
    }),
    { numRuns: 60 },
  );
  for (const what of [
    'fund done',
    'hold done',
    'hold refused',
    'release done',
    'post done',
    'postAgain refused',
  ])
    assert.ok((counts[what] ?? 0) > 20, `${what} came too seldom: ${JSON.stringify(counts)}`);
});

test('all at once, any set of funds, holds, releases and posts leaves the sum of those that succeeded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(op, { minLength: 2, maxLength: 10, size: 'max' }), {
        minLength: 2,
        maxLength: 5,
        size: 'max',
      }),
      async (rounds) => {
        const model = await startModel();
        for (const ops of rounds) {
          await Promise.all(ops.map((one) => model.run(one)));
          await model.assertSame();
        }
      },
    ),
    { numRuns: 25 },
  );
});
