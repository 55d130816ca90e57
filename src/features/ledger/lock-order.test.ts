import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Db } from '#platform/db/db';
import { makeFunds, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { holdFunds, lockAccounts, type Owner, postWithdrawals } from './index.ts';

const harness = useHarness();
const asset = { network: 'polygon', currency: 'USDC' };

interface Account {
  owner: Owner;
  id: bigint;
}

/** Two accounts, the one with the lower number first. */
async function makeTwo(): Promise<[Account, Account]> {
  const { db } = harness.deps;
  const accounts: Account[] = [];
  for (let count = 0; count < 2; count++) {
    const { id: userId } = await makeUser(harness);
    await makeFunds(harness, userId, asset.network, asset.currency, '10');
    const [row] = await db.query<{ id: bigint }>('select id from ledger_accounts where user_id = $1', [
      userId,
    ]);
    accounts.push({ owner: { userId, ...asset }, id: row!.id });
  }
  return accounts.toSorted((one, other) => Number(one.id - other.id)) as [Account, Account];
}

const isWaiting = async () =>
  (
    await harness.deps.db.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).length > 0;

/** While somebody has the lower account, `lock` waits for it and must not have the higher one yet. */
async function expectLowerFirst([lower, higher]: [Account, Account], lock: () => Promise<unknown>) {
  const { db } = harness.deps;
  let late: Promise<unknown> | undefined;
  await db.transaction(async (db) => {
    await db.query('select 1 from ledger_accounts where id = $1 for update', [lower.id]);
    late = lock();
    await waitUntil('it waits for the lower account', isWaiting);
    await assert.doesNotReject(
      db.query('select 1 from ledger_accounts where id = $1 for update nowait', [higher.id]),
      'the higher account is free',
    );
  });
  await late;
}

// Two transactions that lock the same accounts in different orders wait for each other for ever; PostgreSQL
// ends one of them.
test('lockAccounts locks accounts by their number, in whatever order they are asked for', async () => {
  const two = await makeTwo();
  const owners = two.map(({ owner }) => owner);
  const locking = (asked: Owner[]) => () => harness.deps.db.transaction((db: Db) => lockAccounts(db, asked));
  await expectLowerFirst(two, locking(owners));
  await expectLowerFirst(two, locking(owners.toReversed()));
});

test('postWithdrawals locks accounts in the order of their ids, not of the payers', async () => {
  const two = await makeTwo();
  for (const [payer, recipient] of [two, two.toReversed()]) {
    await harness.deps.db.transaction(async (db) => {
      await lockAccounts(db, [payer!.owner]);
      await holdFunds(db, [{ accountId: payer!.id, amount: 1n }]);
    });
    await expectLowerFirst(two, () =>
      postWithdrawals(harness.operatorContext(), [
        {
          ...payer!.owner,
          withdrawalId: randomUUID(),
          amount: 1n,
          recipientUserId: recipient!.owner.userId,
          transactionHash: `0x${randomBytes(32).toString('hex')}`,
          logIndex: 0,
          description: 'A test',
        },
      ]),
    );
  }
});
