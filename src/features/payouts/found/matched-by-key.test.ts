import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Db } from '#platform/db/db';
import { makeAddress, makeKey, makeWithdrawal } from '#test/data/factories';
import { countRowsRead } from '#test/database/rows-read';
import { useHarness } from '#test/harness';
import { updateMatchedByKey } from './queries.ts';

const harness = useHarness();
const open = 2_000;
const found = 50;

/** Withdrawals like the only one, to the same recipient, each with its own idempotency key. */
const copyOpen = (db: Db) =>
  db.query(
    `with former as (select * from withdrawals)
     insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals, amount,
       to_address, idempotency_key, fingerprint, created_at, updated_at)
     select f.list_id, f.position + n, f.partner_id, f.user_id, f.key_id, f.network, f.currency, f.token_address, f.decimals, f.amount,
       f.to_address, 'order-' || n, '\\x00', f.created_at, f.updated_at
     from former f, generate_series(1, $1::integer) n`,
    [open],
  );

/** Payments by the same partner to the same recipient. */
async function insertFound(db: Db, keyOf: (n: number) => string, withdrawalId: (n: number) => string) {
  const [wallet, [like]] = [makeAddress(), await db.query('select * from withdrawals limit 1')];
  await db.query(
    `insert into payout_signers (network, address, next_nonce, created_at) values ('polygon', $1, 0, now())`,
    [wallet],
  );
  for (let n = 1; n <= found; n++)
    await db.query(
      `insert into found_payments (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, withdrawal_id,
         key_mark, token_address, to_address, amount, found_at)
       values ($1, 'polygon', $2, $3, '\\x00', 1, 1, $4, withdrawal_key_mark($5, $6), $7, $8, $9, now())`,
      [
        `0x${randomBytes(32).toString('hex')}`,
        wallet,
        n,
        withdrawalId(n),
        like!.partner_id,
        keyOf(n),
        like!.token_address,
        like!.to_address,
        like!.amount,
      ],
    );
}

test('payments are matched by key in one look at the open withdrawals', async () => {
  const { db } = harness.deps;
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  await copyOpen(db);
  const ids = await db.query<{ id: string }>('select id from withdrawals order by position desc limit 100');
  await insertFound(
    db,
    (n) => `other-${n}`,
    (n) => ids[n]!.id,
  );
  const withoutLost = await countRowsRead(db, (db) => updateMatchedByKey(db, 'polygon'));
  assert.ok(withoutLost <= open + 10 * found, `${withoutLost} rows`);

  await insertFound(
    db,
    (n) => `order-${n}`,
    () => randomUUID(),
  );
  await db.query('analyze withdrawals, found_payments');
  const withLost = await countRowsRead(db, (db) => updateMatchedByKey(db, 'polygon'));
  assert.ok(withLost <= 2 * open + 10 * found, `${withLost} rows`);
  const matched = await db.query(
    `select from found_payments f join withdrawals w on w.id = f.withdrawal_id
     where w.idempotency_key = 'order-' || f.nonce`,
  );
  assert.equal(matched.length, found);
});
