import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Db } from '#platform/db/db';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { useLedger } from '#test/models/ledger-books';
import type { Owner } from './index.ts';

const { harness, sql, transaction, makeOwner, accountOf, fundsOf, custodyOf, hold } = useLedger();

// What the constraints and triggers of the database refuse

async function makePosting(db: Db): Promise<bigint> {
  const [row] = await db.query(
    `insert into ledger_postings (kind, operation_id, description, posted_at) values ('fund', $1, 'test', now()) returning id`,
    [randomUUID()],
  );
  return row!.id as bigint;
}

/** What `ledger_post_single` is given, as far as something may be wrong with it. */
const rightSingle = {
  kind: 'post',
  operation: 'an operation',
  hash: `0x${'a'.repeat(64)}`,
  amount: '5',
  spent: '0',
  lineAt: '2026-01-01T00:00:00Z',
  lineOperation: 'a line',
  key: 'a key',
};
type Single = typeof rightSingle;

const postingOf = ({ kind, operation, hash }: Single) => ({
  kind,
  operation_id: operation,
  description: 'test',
  transaction_hash: hash,
  log_index: 1,
});
const lineOf = ({ lineAt, lineOperation, key }: Single) => ({
  type: 'buy',
  transaction_at: lineAt,
  operation_id: lineOperation,
  unique_hash_id: key,
  description: 'test',
  purpose: 'test',
});

const postSingle = (db: Db, { userId }: Owner, given: Single) =>
  db.query(`select ledger_post_single(now(), $1, 'polygon', 'USDC', $2, $3, $4::json, $5::json)`, [
    userId,
    given.amount,
    given.spent,
    JSON.stringify(postingOf(given)),
    JSON.stringify(lineOf(given)),
  ]);

const invalid = /invalid posting/;
for (const [what, wrong, why] of [
  ['an amount of zero', { amount: '0' }, invalid],
  ['an amount that is no number', { amount: 'NaN' }, invalid],
  ['an amount of infinity', { amount: 'Infinity' }, /invalid posting|overflow/],
  ['a part of the smallest unit', { amount: '0.5' }, invalid],
  ['less than nothing of what is held', { spent: '-1' }, invalid],
  ['a part of the smallest unit that is held', { spent: '0.5' }, invalid],
  ['no number of what is held', { spent: 'NaN' }, /invalid posting|less held/],
  ['more than is held', { amount: '-200001', spent: '200001' }, /less held than spent/],
  ['a balance below zero', { amount: '-1000001' }, /ledger_accounts_funds/],
  ['a balance below what is held', { amount: '-900000' }, /ledger_accounts_funds/],
  ['an unknown kind', { kind: 'gift' }, invalid],
  ['a posting without a name', { operation: '' }, invalid],
  ['a posting with too long a name', { operation: 'x'.repeat(256) }, invalid],
  ['a line without a name', { lineOperation: '' }, invalid],
  ['a line with an empty key', { key: '' }, invalid],
  ['a malformed hash', { hash: `0x${'A'.repeat(64)}` }, invalid],
  ['a line at no instant', { lineAt: 'infinity' }, invalid],
] as [string, Partial<Single>, RegExp][]) {
  test(`ledger_post_single refuses ${what}`, async () => {
    const user = await makeOwner('1');
    await hold(user, 200_000n);
    const right = () => ({ ...rightSingle, operation: randomUUID(), key: randomUUID() });
    await assert.rejects(postSingle(harness.deps.db, user, { ...right(), ...wrong }), why);
    assert.deepEqual(await fundsOf(user), [1_000_000n, 200_000n]);
    assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
    await postSingle(harness.deps.db, user, right());
  });
}

for (const [what, wrong] of [
  ['that moves nothing', { received_account_id: null, received_amount: null }],
  ['of zero', { received_amount: '0' }],
  ['of less than zero', { received_amount: '-5' }],
  ['of no number', { received_amount: 'NaN' }],
  ['with an amount of nothing', { sent_amount: '5' }],
  ['with an account and no amount', { sent_account_id: 2 }],
  ['from an account to itself', { sent_account_id: 1, sent_amount: '5' }],
  ['without a name', { operation_id: '' }],
  ['with an empty key', { unique_hash_id: '' }],
  ['at no instant', { transaction_at: 'infinity' }],
] as [string, object][]) {
  test(`ledger_post_lines refuses a line ${what}, and what comes with it`, async () => {
    const owner = await makeOwner('1');
    const right = {
      list_id: 1,
      posting_id: 1,
      type: 'buy',
      transaction_at: '2026-01-01T00:00:00Z',
      operation_id: 'a line',
      received_account_id: 1,
      received_amount: '5',
      description: 'test',
      purpose: 'test',
    };
    const postAll = (lines: object[]) =>
      sql(
        `select ledger_post_lines(now(), $1::uuid[], '{polygon,polygon}', '{USDC,USDT}', $2::uuid[], '{1,2}', '{}', $3::json, $4::json)`,
        [
          [owner.userId],
          [owner.userId, owner.userId],
          JSON.stringify([{ kind: 'post', operation_id: randomUUID(), description: 'test' }]),
          JSON.stringify(lines),
        ],
      );
    await assert.rejects(postAll([right, { ...right, ...wrong }]), /invalid line/);
    assert.deepEqual(await fundsOf(owner), [1_000_000n, 0n]);
    await postAll([right]);
    assert.deepEqual(await fundsOf(owner), [1_000_005n, 0n]);
  });
}

const validPosting = { kind: 'post', operation_id: 'refused', description: 'test' };
for (const [what, wrong, why] of [
  ['no postings', { postings: [], places: [] }, /a posting has no lines/],
  ['an account given twice', { owners: 2 }, /given twice/],
  ['a posting without a line', { postings: [validPosting, validPosting] }, /null value in column "id"/],
  ['a line without a posting', { places: [1, 2] }, /a posting has no lines/],
  ['a posting of an unknown kind', { postings: [{ ...validPosting, kind: 'gift' }] }, /bad kind/],
  ['a posting without a name', { postings: [{ ...validPosting, operation_id: '' }] }, /bad kind/],
  ['a malformed hash', { postings: [{ ...validPosting, transaction_hash: '0x1' }] }, /bad kind/],
  ['more spent than held', { spent: 200_001 }, /less held than spent/],
  ['less than nothing spent', { spent: -1 }, /less held than spent/],
  ['no number spent', { spent: 'NaN' }, /less held than spent/],
] as [
  string,
  { owners?: number; postings?: object[]; places?: number[]; spent?: number | string },
  RegExp,
][]) {
  test(`ledger_post_lines refuses ${what}`, async () => {
    const owner = await makeOwner('1');
    await hold(owner, 200_000n);
    const { owners = 1, postings = [validPosting], spent = 100 } = wrong;
    const { places = Array.from({ length: owners }, () => 1) } = wrong;
    const lines = places.map((posting, at) => ({
      list_id: 1,
      posting_id: posting,
      type: 'buy',
      transaction_at: '2026-01-01T00:00:00Z',
      operation_id: 'a line',
      description: 'test',
      purpose: 'test',
      received_account_id: Math.min(at + 1, owners),
      received_amount: '5',
    }));
    const accounts = Array.from({ length: owners }, () => owner.userId);
    const refused = sql(
      `select ledger_post_lines(now(), $1::uuid[], '{polygon}', '{USDC}', $2::uuid[], $3::integer[], $4::numeric[], $5::json, $6::json)`,
      [
        [owner.userId],
        accounts,
        accounts.map(() => 1),
        accounts.map(() => spent),
        JSON.stringify(postings),
        JSON.stringify(lines),
      ],
    );
    await assert.rejects(refused, why);
    assert.deepEqual(await fundsOf(owner), [1_000_000n, 200_000n]);
  });
}

test('ledger_post_single does nothing for somebody who has no such account, or no ledger', async () => {
  const nobody = await makeOwner();
  assert.deepEqual(await postSingle(harness.deps.db, nobody, rightSingle), [{ ledger_post_single: null }]);
});

for (const [statement, why] of [
  ['update ledger_lines set received_amount = received_amount + 1', /ledger_lines is append-only/],
  ['delete from ledger_lines', /ledger_lines is append-only/],
  ['truncate ledger_lines', /ledger_lines is append-only/],
  ['update ledger_movements set amount = amount + 1', /ledger_movements is append-only/],
  ['delete from ledger_movements', /ledger_movements is append-only/],
  ['truncate ledger_movements', /ledger_movements is append-only/],
  [`update ledger_postings set description = 'other'`, /ledger_postings is append-only/],
  ['delete from ledger_postings', /ledger_postings is append-only/],
  ['truncate ledger_postings cascade', /is append-only/],
  ['delete from ledger_accounts', /append-only/],
  ['update ledger_accounts set held = balance + 1 where user_id is not null', /ledger_accounts_funds/],
  ['update ledger_accounts set held = -1 where user_id is not null', /ledger_accounts_funds/],
  [`update ledger_accounts set held = 'NaN' where user_id is not null`, /ledger_accounts_funds/],
  [`update ledger_accounts set balance = 'NaN' where user_id is not null`, /ledger_accounts_funds/],
  [
    `update ledger_accounts set balance = 'NaN', held = 'NaN' where user_id is not null`,
    /ledger_accounts_funds/,
  ],
  ['update ledger_accounts set balance = null where user_id is not null', /ledger_accounts_funds/],
  ['update ledger_accounts set balance = 1, held = 0 where house is not null', /ledger_accounts_funds/],
  ['update ledger_accounts set balance = 1 where house is not null', /ledger_accounts_funds/],
  ['update ledger_accounts set held = 1 where house is not null', /ledger_accounts_funds/],
  [`update ledger_accounts set house = 'custody' where user_id is not null`, /keeps its owner/],
  [`insert into ledger_accounts (network, currency) values ('base', 'USDC')`, /a user's or the house's/],
  [
    `insert into ledger_accounts (house, network, currency) values ('No', 'base', 'USDC')`,
    /a user's or the house's/,
  ],
  [`insert into ledger_accounts (house, network, currency, held) values ('fees', 'base', 'X', 0)`, /_funds/],
  [
    `insert into ledger_accounts (user_id, network, currency) select id, 'base', 'X' from users limit 1`,
    /ledger_accounts_funds/,
  ],
] as const) {
  test(`the database refuses: ${statement}`, async () => {
    await makeOwner('1');
    await assert.rejects(sql(statement), why);
  });
}

test('checkBooks names what was changed behind the back of the database', async () => {
  const [one, other] = [await makeOwner('1'), await makeOwner('2')];
  const [a, b] = [await accountOf(one), await accountOf(other)];
  const custody = await custodyOf(one);
  const undo = new Error('undo');
  const tampered = transaction(async (db) => {
    const empty = await makePosting(db);
    const [line] = await db.query(
      'select posting_id as "postingId" from ledger_lines where received_account_id = $1',
      [b.id],
    );
    await db.query('alter table ledger_lines disable trigger user');
    await db.query(
      'update ledger_lines set received_amount = received_amount + 1 where received_account_id = $1',
      [a.id],
    );
    await db.query('update ledger_lines set received_account_id = 999999999 where received_account_id = $1', [
      b.id,
    ]);
    await db.query('update ledger_accounts set balance = balance - 7 where id = $1', [b.id]);
    const { unbalancedPostings, wrongBalances } = await checkBooks(db);
    const [{ accountId: _house, ...house } = {}, ...ofUsers] = wrongBalances;
    // What the house has is stored: where lines are changed, it no longer is their opposite.
    assert.deepEqual(house, {
      ...one,
      userId: null,
      balance: String(custody),
      entries: String(custody - 1n + 2_000_000n),
    });
    assert.deepEqual(
      { unbalancedPostings, ofUsers },
      {
        unbalancedPostings: [
          { postingId: String(line!.postingId), network: null, currency: null, sum: '2000000' },
          { postingId: String(empty), network: null, currency: null, sum: null },
        ],
        ofUsers: [
          { accountId: String(a.id), ...one, balance: '1000000', entries: '1000001' },
          { accountId: String(b.id), ...other, balance: '1999993', entries: '0' },
        ],
      },
    );
    throw undo;
  });
  await assert.rejects(tampered, undo);
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});
