import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { inTransaction } from '#context';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { assertSound, start, useVerifiedLedger } from '#test/models/verified-ledger';
import { sized } from '#test/sizes';
import { holdFunds, releaseFunds } from '../hold-funds.ts';
import { postBatch } from '../post-batch.ts';
import { lockAccounts } from '../queries/accounts.ts';
import { settleUnsettled } from '../unsettled/settle-unsettled.ts';
import { verifyCommand } from './command.ts';
import { type LedgerVerdict, verifyLedger } from './verify-ledger.ts';

const {
  harness,
  ctx,
  sql,
  verify,
  random,
  makeLine,
  postMany,
  makeRichUser,
  record,
  postLedger,
  listOf,
  behindTheBack,
  putBack,
} = useVerifiedLedger();

let ana = '';

// The first test makes what the others read: a hook would not wait for the harness.
test('what is verified below can be posted', async () => {
  ({ ana } = await postLedger());
});

test('a ledger with late lines, nodes and unsettled records is sound', async () => {
  const verdict = await verify(ana.toUpperCase());
  assertSound(verdict);
  assert.ok(Value.Check(verifyCommand.output, verdict));
  const [list] = await sql(`select last_number, last_hash from ledger_lists where id = ${listOf(true)}`);
  const { last_number: lastNumber, last_hash: lastHash } = list as { last_number: bigint; last_hash: Buffer };
  assert.ok(lastNumber > 2_000n);
  assert.deepEqual([verdict.users, verdict.lines, verdict.nextCursor], [1, Number(lastNumber), null]);
  assert.deepEqual(verdict.heads, [
    { userId: ana, lastNumber: Number(lastNumber), lastHash: lastHash.toString('hex') },
  ]);
  for (const isSettled of [true, false]) {
    const [nodes] = await sql(
      `select count(*) as count from ledger_nodes where list_id = ${listOf(isSettled)}`,
    );
    assert.ok((nodes!.count as bigint) > 1n, 'both lists have nodes');
  }
});

test('all postings and all users, page by page', async () => {
  const [count] = await sql('select count(*)::integer as users from users');
  const [lines] = await sql('select count(*)::integer as lines from ledger_lines');
  const seen = { users: 0, lines: 0, heads: 0, pages: 0 };
  let cursor: string | undefined;
  do {
    const verdict = await verifyLedger(ctx(), { limit: 1, cursor });
    assertSound(verdict);
    seen.users += verdict.users;
    seen.lines += verdict.lines;
    seen.heads += verdict.heads.length;
    seen.pages += 1;
    cursor = verdict.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const users = count!.users as number;
  assert.deepEqual(seen, { users, lines: lines!.lines, heads: 2, pages: users });
  assert.deepEqual((await verifyLedger(ctx(), {})).users, users);
});

test('the same in small parts, over many calls', async () => {
  const small = { rowsAtOnce: 10, nodesAtOnce: 2, rowsMax: 1 };
  const one = await verifyLedger(ctx(), { userId: ana }, small);
  assertSound(one);
  assert.deepEqual(one, await verify(ana));
  const [{ users, bound } = {}] = await sql(
    'select (select count(*)::integer from users) as users, (select max(id) from ledger_postings) as bound',
  );
  const seen = { users: 0, lines: 0, postingPages: 0 };
  let cursor: string | undefined;
  do {
    const verdict: LedgerVerdict = await verifyLedger(ctx(), { limit: 200, cursor }, small);
    assertSound(verdict);
    seen.users += verdict.users;
    seen.lines += verdict.lines;
    if (verdict.users === 0) seen.postingPages += 1;
    cursor = verdict.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual([seen.users, seen.lines], [users, (await verifyLedger(ctx(), {})).lines]);
  assert.ok(seen.postingPages > 0, `${bound} postings took more than a call`);
  try {
    await behindTheBack(`update ledger_postings set line_number = line_number + 1 where id = ${bound}`);
    const faults: string[] = [];
    do {
      const verdict: LedgerVerdict = await verifyLedger(ctx(), { cursor }, small);
      faults.push(...verdict.faults.map(({ subject }) => subject));
      cursor = verdict.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.ok(faults.includes(`posting ${bound}`), faults.join(', '));
  } finally {
    await putBack(['ledger_postings']);
  }
});

test('nobody has this id, and a cursor that is not ours or is not for one user', async () => {
  const isRefusal = (code: number) => (error: { status: number }) => error.status === code;
  await assert.rejects(verify('0198a0de-ffff-7000-8000-000000000000'), isRefusal(404));
  await assert.rejects(verifyLedger(ctx(), { cursor: 'eA' }), isRefusal(400));
  await assert.rejects(verifyLedger(ctx(), { userId: ana, cursor: 'eA' }), isRefusal(400));
});

test('of a ledger whose last line was cut off, and all else made to fit, the posting and the house tell', async () => {
  const userId = await makeRichUser();
  const { postingId } = await postBatch(ctx(), {
    key: randomBytes(8).toString('hex'),
    lines: [0, 1].map((at) => ({
      userId,
      transactionType: 'buy',
      network: 'polygon',
      description: 'Deposit',
      assetReceived: 'USDC',
      amountReceived: '7',
      transactionDate: new Date(start + at).toISOString(),
    })),
  });
  const list = `(select id from ledger_lists where user_id = '${userId}' and is_settled)`;
  const cut = `(select max(number) from ledger_lines where list_id = ${list})`;
  await behindTheBack(
    `update ledger_accounts a set balance = balance - l.received_amount from ledger_lines l
     where l.list_id = ${list} and l.number = ${cut} and a.id = l.received_account_id`,
    `delete from ledger_movements m using ledger_lines l
     where l.list_id = ${list} and l.number = ${cut} and m.account_id = l.received_account_id and m.number = l.number`,
    `delete from ledger_lines where list_id = ${list} and number = ${cut}`,
    `update ledger_lists h set last_number = l.number, last_hash = l.hash, buys = h.buys - 1, tail_size = h.tail_size - 1
     from ledger_lines l where h.id = ${list} and l.list_id = h.id and l.number = ${cut}`,
  );
  assertSound(await verify(userId));
  const { faults } = await verifyLedger(ctx(), { limit: 1 });
  assert.deepEqual(
    faults.map(({ userId, subject }) => [userId, subject]),
    [
      [null, 'house, USDC on polygon'],
      [null, `posting ${postingId}`],
    ],
  );
  await behindTheBack(
    `update ledger_house set balance = balance + 7000000 where network = 'polygon' and currency = 'USDC'`,
    `delete from ledger_postings where id = ${postingId}`,
    `delete from ledger_lines where posting_id = ${postingId}`,
  );
});

const openOne = async (userId: string) => {
  const key = await makeKey(harness, { userId });
  const [row] = await sql('select id from withdrawals where bulk_id = $1', [
    await makeWithdrawal(harness, key),
  ]);
  return row!.id as string;
};

test('an open withdrawal for which nothing is held, with and without an account, is found', async () => {
  const userId = await makeRichUser();
  const withdrawalId = await openOne(userId);
  const held = (should: string) => `What is held, the sum of its open withdrawals, ${should}`;
  assertSound(await verify(userId));
  for (const status of ['pending', 'processing']) {
    await behindTheBack(`update withdrawals set status = '${status}' where id = '${withdrawalId}'`);
    const { faults } = await verify(userId);
    assert.deepEqual(
      faults.map(({ message }) => message),
      [held('should be 1000000 and is 0.')],
    );
  }
  await behindTheBack(`update withdrawals set network = 'ethereum' where id = '${withdrawalId}'`);
  const { faults } = await verify(userId);
  assert.deepEqual(
    faults.map(({ subject, message }) => `${subject}: ${message}`),
    [`USDT on ethereum: ${held('should be 1000000, and there is no such account.')}`],
  );
  await behindTheBack(
    `update withdrawals set network = 'polygon', status = 'queued' where id = '${withdrawalId}'`,
  );
});

test('held funds are compared as they are at one moment, while workers hold and release', async () => {
  const userId = await makeRichUser();
  const withdrawalId = await openOne(userId);
  const owner = { userId, network: 'polygon', currency: 'USDT' };
  let isOver = false;
  // Back to queued, which the product never does: so one withdrawal is enough.
  const work = async () => {
    while (!isOver) {
      for (const status of ['pending', 'queued']) {
        await inTransaction(ctx(), async ({ db }) => {
          await db.query('set local session_replication_role = replica');
          const [account] = await lockAccounts(db, [owner]);
          const change = status === 'pending' ? holdFunds : releaseFunds;
          await change(db, [{ accountId: account!.accountId, amount: 1_000_000n }]);
          await db.query('update withdrawals set status = $2 where id = $1', [withdrawalId, status]);
        });
      }
    }
  };
  const worker = work();
  try {
    for (let turn = 0; turn < 40; turn++) assertSound(await verify(userId));
  } finally {
    isOver = true;
    await worker;
  }
});

test('more faults than anybody reads are counted, and the first are named', async () => {
  try {
    await behindTheBack(`update ledger_lines set status = 'done' where list_id = ${listOf(true)}`);
    const { faultCount, faults, lines } = await verify(ana);
    assert.deepEqual([faultCount, faults.length, faults[0]?.subject], [lines, 20, 'line 1']);
  } finally {
    await putBack(['ledger_lines']);
  }
});

test('a ledger of several levels, with lines late enough to cut nodes in the middle, is sound, and a node above is counted too', async () => {
  const userId = await makeRichUser();
  const lines = sized(6_600, 22_000);
  for (let from = 0; from < lines; from += 2_200) await postMany([userId], from, 2_200);
  await postBatch(ctx(), {
    key: randomBytes(8).toString('hex'),
    lines: Array.from({ length: 700 }, () => ({
      ...makeLine(userId, 3_000),
      transactionDate: '2026-01-02T00:00:00Z',
    })),
  });
  const verdict = await verify(userId);
  assertSound(verdict);
  assert.equal(verdict.lines, lines + 703);
  const upper = `list_id = (select id from ledger_lists where user_id = '${userId}' and is_settled) and level = 1`;
  const [nodes] = await sql(`select count(*) as count from ledger_nodes where ${upper}`);
  assert.ok((nodes!.count as bigint) > 0n);
  const check = async (statement: string, says: RegExp) => {
    await behindTheBack(statement);
    const { faults } = await verify(userId);
    assert.match(faults.map(({ subject, message }) => `${subject}: ${message}`).join('\n'), says);
  };
  await check(
    `update ledger_nodes set buys = buys + 1, size = size - 1 where ${upper} and first_at = '-infinity'`,
    /^ledger, node of level 1 from -infinity \(0\): Its number of nodes should be \d+ and is \d+\.\n.*Its count of buys should be/m,
  );
  await check(
    `update ledger_sums set amount = amount + 1 where level = 1 and account_id in (select id from ledger_accounts where user_id = '${userId}')`,
    /^ledger, node of level 1 from -infinity \(0\): Its sum of account \d+ should be/m,
  );
  await check(
    `update ledger_nodes set upto_number = upto_number + 1 where ${upper}`,
    /^ledger, node of level 1 from .*: Its end, where the last node below it ends, should be/m,
  );
});

test('ledgers are sound while four others post to them', async () => {
  const users = [await makeRichUser(), await makeRichUser()];
  let isOver = false;
  let posted = 0;
  const post = async (worker: number) => {
    for (let turn = 0; !isOver; turn += 1) {
      await postMany(turn % 3 === 0 ? users : [users[worker % 2]!], posted, 40);
      posted += 40;
      const id = `of ${worker} ${turn}`;
      await record(users[worker % 2]!, id, random(posted));
      if (turn % 2 === 0) await settleUnsettled(ctx(), { userId: users[worker % 2]!, id });
    }
  };
  const workers = [0, 1, 2, 3].map(post);
  const numbers: number[] = [];
  try {
    for (let round = 0; round < 12 || posted < 3_000; round += 1) {
      const verdict = await verify(users[round % 2]);
      assertSound(verdict);
      numbers.push(verdict.heads[0]!.lastNumber);
    }
  } finally {
    isOver = true;
    await Promise.all(workers);
  }
  assert.ok(new Set(numbers).size > 5, 'they did post meanwhile');
  for (const userId of users) assertSound(await verify(userId));
});
