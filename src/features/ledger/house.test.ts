import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type pg from 'pg';
import { lineOf, makeUser } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { databaseBefore } from '#test/database/database-before';
import { useHarness } from '#test/harness';
import { ledgerJobs } from './jobs.ts';
import { postBatch } from './post-batch.ts';
import { foldHouseChanges } from './queries/house-changes.ts';
import { verifyLedger } from './verify/verify-ledger.ts';

const harness = useHarness();

const houseFaults = async () => {
  const { faults } = await verifyLedger(harness.operatorContext(), { limit: 1 });
  return faults.filter(({ subject }) => subject.startsWith('house'));
};

test('the house has the opposite of all balances at every moment, while lines are posted and changes folded', async () => {
  const userIds = await Promise.all(Array.from({ length: 4 }, async () => (await makeUser(harness)).id));
  const post = (lines: ReturnType<typeof lineOf>[]) =>
    postBatch(harness.operatorContext(), { key: randomUUID(), lines });
  // Each user by each of the database's functions: the general one, for one user, for several at once.
  await post(userIds.map((userId) => lineOf(userId, { amountReceived: '50', assetReceived: 'USDC' })));
  let isOver = false;
  const fold = async () => {
    while (!isOver) await foldHouseChanges(harness.deps.db, 3);
  };
  const folding = fold();
  try {
    for (let turn = 0; turn < 10; turn++) {
      const posted = userIds.map((userId) => post([lineOf(userId)]));
      posted.push(
        post([lineOf(userIds[0]!), lineOf(userIds[1]!, { transactionType: 'sell' })]),
        post([
          lineOf(userIds[2]!, {
            transactionType: 'swap-bridge',
            assetSent: 'USDC',
            amountSent: '2',
            assetReceived: 'USDT',
            amountReceived: '1.9',
          }),
        ]),
      );
      assert.deepEqual(await houseFaults(), []);
      await Promise.all(posted);
    }
  } finally {
    isOver = true;
    await folding;
  }
  await ledgerJobs[0]!.run(harness.deps);
  assert.deepEqual(await harness.deps.db.query('table ledger_house_changes'), []);
  assert.deepEqual(await harness.deps.db.query('select currency, balance from ledger_house order by 1'), [
    { currency: 'USDC', balance: -220_000_000n },
    { currency: 'USDT', balance: -19_000_000n },
  ]);
  assert.deepEqual(await houseFaults(), []);
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});

for (const [what, change, undo, says] of [
  [
    'the figure of the house',
    `update ledger_house set balance = balance + 500 where currency = 'USDT'`,
    `update ledger_house set balance = balance - 500 where currency = 'USDT'`,
    'should be -19000000 and is -18999500.',
  ],
  [
    'a change that is not folded yet',
    `insert into ledger_house_changes select min(id), -1 from ledger_accounts where user_id is not null and currency = 'USDT'`,
    'delete from ledger_house_changes',
    'should be -19000000 and is -19000001.',
  ],
  [
    'the house has no figure',
    `update ledger_house set currency = 'EURC' where currency = 'USDT'`,
    `update ledger_house set currency = 'USDT' where currency = 'EURC'`,
    'should be -19000000 and is not there.',
  ],
] as const) {
  test(`changed behind its back: ${what}`, async () => {
    await harness.deps.db.query(change);
    try {
      const name = 'What it has, the opposite of all balances,';
      const fault = { userId: null, subject: 'house, USDT on polygon', message: `${name} ${says}` };
      assert.deepEqual(
        (await houseFaults()).find(({ subject }) => subject === fault.subject),
        fault,
      );
      const { wrongBalances } = await checkBooks(harness.deps.db);
      assert.deepEqual(
        wrongBalances.map(({ userId, currency }) => [userId, currency]),
        [[null, 'USDT']],
      );
    } finally {
      await harness.deps.db.query(undo);
    }
    assert.deepEqual(await houseFaults(), []);
  });
}

test('a change of an account that is gone is kept and reported, not folded', async () => {
  const { db } = harness.deps;
  await db.query('insert into ledger_house_changes values (-1, 5)');
  try {
    await assert.rejects(foldHouseChanges(db), /null value in column "network"/);
    assert.equal((await houseFaults()).length, 1);
  } finally {
    await db.query('delete from ledger_house_changes');
  }
});

test('postings before, during and after the migration are all in the figures of the house', async (t) => {
  const { connect, query, apply, untilWaiting } = await databaseBefore(t, 'house_figures');
  const users = await query(
    `insert into users (email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
     select n || '@example.com', true, 'A', 'B', 'individual', now(), now() from generate_series(1, 4) n returning id`,
  );
  // As a process of that release does.
  const post = (client: pg.Client, userId: string, amount = 5n) => {
    const operation = randomUUID();
    const posting = { kind: 'fund', operation, description: 'Funds' };
    const line = {
      user: 1,
      posting: 1,
      type: 'buy',
      at: new Date().toISOString(),
      operation,
      received: 1,
      receivedAmount: String(amount),
      description: 'Funds',
      purpose: 'deposit',
    };
    return client.query(
      `select ledger_post(now(), $1::uuid[], '{polygon}', '{USDC}', $1::uuid[], '{1}', '{}', $2::json, $3::json)`,
      [[userId], JSON.stringify([posting]), JSON.stringify([line])],
    );
  };
  const clients = await Promise.all(users.map(connect));
  for (const [at, client] of clients.entries()) await post(client, users[at].id);
  const [holder, ...writers] = clients;
  await holder!.query('begin');
  await post(holder!, users[0].id);
  const applied = apply();
  await untilWaiting(1);
  const held = writers.map((client, at) => post(client, users[at + 1].id));
  await untilWaiting(4);
  await holder!.query('commit');
  await Promise.all([applied, ...held]);
  for (const [at, client] of clients.entries()) await post(client, users[at].id, 7n);
  assert.deepEqual(await query('select balance::integer from ledger_house'), [{ balance: -25 }]);
  assert.deepEqual(await query('select balance::integer from ledger_house_balances'), [{ balance: -68 }]);
  assert.deepEqual(await checkBooks({ query } as never), rightBooks);
});
