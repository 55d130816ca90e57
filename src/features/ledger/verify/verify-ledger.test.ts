import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { inTransaction } from '#context';
import { makeFunds, makeKey, makeUser, makeWithdrawal } from '#test/factories';
import { useHarness } from '#test/harness';
import { sized } from '#test/sizes';
import { holdFunds, releaseFunds } from '../hold-funds.ts';
import { type BatchLine, postBatch } from '../post-batch.ts';
import { postWithdrawals } from '../post-withdrawals.ts';
import { foldHouseChanges, lockAccounts } from '../queries.ts';
import { recordUnsettled } from '../unsettled/record-unsettled.ts';
import { settleUnsettled } from '../unsettled/settle-unsettled.ts';
import { verifyCommand } from './command.ts';
import { type LedgerVerdict, verifyLedger } from './verify-ledger.ts';

const harness = useHarness();
const ctx = () => harness.operatorContext();
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const verify = (userId?: string) => verifyLedger(ctx(), { userId });

function assertSound(verdict: LedgerVerdict): void {
  assert.deepEqual(verdict.faults, []);
  assert.deepEqual([verdict.isSound, verdict.faultCount], [true, 0]);
}

// A small generator with a seed, so that a failure can be run again.
let seed = 20_260_801;
const random = (upto: number) => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * upto);
};

const assets = [
  { network: 'polygon', currency: 'USDC' },
  { network: 'polygon', currency: 'USDT' },
  { network: 'base', currency: 'EURC' },
] as const;
const start = Date.UTC(2026, 0, 1);

/** A line of any type, mostly a minute after the one before it and now and then of an earlier day. */
function makeLine(userId: string, at: number): BatchLine {
  const minute = random(8) === 0 ? random(at + 1) : at;
  const common = {
    userId,
    transactionDate: new Date(start + minute * 60_000).toISOString(),
    description: `Line ${at}`,
    ...(random(3) === 0 && { userDescription: 'mine' }),
  };
  const amount = `${1 + random(50)}.${String(random(1_000_000)).padStart(6, '0')}`;
  const { network, currency } = assets[random(3)]!;
  const sent = { network, assetSent: currency, amountSent: amount };
  const received = { network, assetReceived: currency, amountReceived: amount };
  switch (random(5)) {
    case 0:
      return { ...common, transactionType: 'sell', ...sent };
    case 1:
      return { ...common, transactionType: 'transfer-token', ...(random(2) === 0 ? sent : received) };
    case 2:
      return {
        ...common,
        transactionType: 'swap-bridge',
        network: 'polygon',
        assetSent: 'USDC',
        amountSent: amount,
        assetReceived: 'USDT',
        amountReceived: '1',
      };
    default:
      return { ...common, transactionType: 'buy', ...received };
  }
}

const postMany = (userIds: readonly string[], from: number, count: number) =>
  postBatch(ctx(), {
    key: randomBytes(8).toString('hex'),
    lines: Array.from({ length: count }, (_, at) => makeLine(userIds[at % userIds.length]!, from + at)),
  });

async function makeRichUser(): Promise<string> {
  const { id } = await makeUser(harness);
  for (const { network, currency } of assets) await makeFunds(harness, id, network, currency, '10000000');
  return id;
}

const record = (userId: string, id: string, minute: number) =>
  recordUnsettled(ctx(), {
    userId,
    id,
    transactionType: 'buy',
    status: 'pending',
    description: 'On its way',
    transactionDate: new Date(start + minute * 60_000).toISOString(),
    legs: [{ network: 'polygon', assetReceived: 'USDC', amountReceived: '3' }],
  });

const listOf = (isSettled: boolean) =>
  `(select id from ledger_lists where user_id = '${ana}' and ${isSettled ? '' : 'not '}is_settled)`;

/** Takes a queued withdrawal through its states to the one in which it is in the ledger. */
async function complete(withdrawalId: string, userId: string): Promise<void> {
  const address = `0x${randomBytes(20).toString('hex')}`;
  const transactionHash = `0x${randomBytes(32).toString('hex')}`;
  const move = (status: string) =>
    sql('update withdrawals set status = $2, updated_at = now() where id = $1', [withdrawalId, status]);
  await sql(`insert into payout_signers values ('polygon', $1, 0, null, null, now())`, [address]);
  await move('pending');
  await sql(
    `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1, 0, $2, now())`,
    [address, withdrawalId],
  );
  await move('processing');
  await sql(
    `update payout_slots set state = 'final', mined_hash = $2, settled_at = now() where withdrawal_id = $1`,
    [withdrawalId, transactionHash],
  );
  const owner = { userId, network: 'polygon', currency: 'USDT' };
  await inTransaction(ctx(), async ({ db }) => {
    const [account] = await lockAccounts(db, [owner]);
    await holdFunds(db, [{ accountId: account!.accountId, amount: 1_000_000n }]);
  });
  await inTransaction(ctx(), async (ctx) => {
    await postWithdrawals(ctx, [
      {
        ...owner,
        withdrawalId,
        amount: 1_000_000n,
        recipientUserId: null,
        transactionHash,
        logIndex: 0,
        description: 'Withdrawal',
      },
    ]);
    await ctx.db.query(
      `update withdrawals set status = 'completed', transaction_hash = $2, updated_at = now() where id = $1`,
      [withdrawalId, transactionHash],
    );
  });
}

let ana = '';
let completedId = '';
const tables = [
  'ledger_lists',
  'ledger_lines',
  'ledger_nodes',
  'ledger_sums',
  'ledger_movements',
  'ledger_accounts',
  'ledger_postings',
  'ledger_unsettled',
];

// The first test makes what the others change: a hook would not wait for the harness.
test('what is verified below can be posted', async () => {
  ana = await makeRichUser();
  const other = await makeRichUser();
  for (let from = 0; from < 3_000; from += 600) await postMany([ana, ana, ana, other], from, 600);
  const key = await makeKey(harness, { userId: ana });
  const bulkId = await makeWithdrawal(harness, key);
  // Many more of the same, so that the unsettled records have nodes too.
  await sql(
    `insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals, amount,
       to_address, created_at, updated_at)
     select list_id, position + g, partner_id, user_id, key_id, network, currency, token_address, decimals, amount, to_address,
       created_at, updated_at from withdrawals, generate_series(1, 900) g where bulk_id = $1`,
    [bulkId],
  );
  await sql('update withdrawal_lists set last_position = last_position + 900 where user_id = $1', [ana]);
  for (let at = 0; at < 8; at += 1) await record(ana, `unsettled ${at}`, at * 7);
  for (const at of [1, 4]) await settleUnsettled(ctx(), { userId: ana, id: `unsettled ${at}` });
  const [withdrawal] = await sql('select id from withdrawals where bulk_id = $1', [bulkId]);
  completedId = withdrawal!.id as string;
  await complete(completedId, ana);
  await foldHouseChanges(harness.deps.db);
  await sql('create schema saved');
  for (const table of tables) await sql(`create table saved.${table} as table ${table}`);
});

/** What no trigger or foreign key sees. */
const behindTheBack = (...statements: string[]) =>
  harness.deps.db.transaction(async (db) => {
    await db.query('set local session_replication_role = replica');
    for (const statement of statements) await db.query(statement);
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

const line = (number: number) => `list_id = ${listOf(true)} and number = ${number}`;
const account = () =>
  `(select id from ledger_accounts where user_id = '${ana}' and network = 'polygon' and currency = 'USDC')`;
const last = () => `(select last_number from ledger_lists where id = ${listOf(true)})`;
const node = (isSettled: boolean, level = 0) =>
  `(list_id, level, first_at, first_number) = (select list_id, level, first_at, first_number from ledger_nodes
     where list_id = ${listOf(isSettled)} and level = ${level} order by first_at, first_number offset 1 limit 1)`;
const aPosting = () => `(select min(posting_id) from ledger_lines where ${line(1_500)})`;

/** What is changed behind the back, and what must be said of it: a subject, and words of the message. */
const tamperings: Record<string, { does: () => string[]; says: [subject: RegExp, message: RegExp][] }> = {
  'the amount of a line': {
    does: () => [
      `update ledger_lines set received_amount = received_amount + 1, sent_amount = sent_amount + 1 where ${line(700)}`,
    ],
    says: [
      [/^line 700$/, /^Its hash should be [0-9a-f]{64} and is [0-9a-f]{64}/],
      [/^line 700$/, /^It should move account \d+ by -?\d+, and the movement is -?\d+\.$/],
      [/^account \d+, [A-Z]+ on [a-z]+$/, /^Its movement by line 700 .* should be -?\d+ and is -?\d+\.$/],
    ],
  },
  'the description of a line': {
    does: () => [`update ledger_lines set description = description || '.' where ${line(701)}`],
    says: [[/^line 701$/, /^Its hash should be /]],
  },
  'the words of a user about a line': {
    does: () => [`update ledger_lines set user_description = 'another' where ${line(702)}`],
    says: [[/^line 702$/, /^Its hash should be /]],
  },
  'the date of a line': {
    does: () => [
      `update ledger_lines set transaction_at = transaction_at + interval '1 microsecond' where ${line(703)}`,
    ],
    says: [
      [/^line 703$/, /^Its hash should be /],
      [/^line 703$/, /there is no such movement/],
      [/^account /, /^Its movement by line 703 .* should not be there/],
    ],
  },
  'the date of a line with its movements': {
    does: () => [
      `update ledger_movements set transaction_at = transaction_at - interval '2 days' where number = 1900
         and account_id in (select id from ledger_accounts where user_id = '${ana}')`,
      `update ledger_lines set transaction_at = transaction_at - interval '2 days' where ${line(1_900)}`,
    ],
    says: [[/^line 1900$/, /^Its hash should be /]],
  },
  'the type of a line': {
    does: () => [
      `update ledger_lines set type = case when type = 'buy' then 'transfer-token' else 'buy' end::ledger_line_type where ${line(704)}`,
    ],
    says: [
      [/^line 704$/, /^Its hash should be /],
      [/^ledger$/, /^The count of buys should be \d+ and is \d+\.$/],
      [/^ledger, node of level 0 from .* \(\d+\)$/, /^Its count of buys should be \d+ and is \d+\.$/],
    ],
  },
  'the posting of a line': {
    does: () => [`update ledger_lines set posting_id = 999999 where ${line(705)}`],
    says: [
      [/^line 705$/, /^Its hash should be /],
      [/^line 705$/, /^It belongs to posting 999999, which is not there\.$/],
    ],
  },
  'the account of a line': {
    does: () => [
      `update ledger_lines set received_account_id = (select min(id) from ledger_accounts where house is not null), received_amount = 5
       where ${line(706)}`,
    ],
    says: [[/^line 706$/, /^It moves account \d+, which is not one of this user\.$/]],
  },
  'a line is gone': {
    does: () => [`delete from ledger_lines where ${line(800)}`],
    says: [
      [/^line 801$/, /^Line 800 should come after 799, and 801 does\.$/],
      [/^line 801$/, /^Its hash should be /],
      [/^ledger$/, /^The count of [a-z]+ should be \d+ and is \d+\.$/],
      [/^ledger, node of level 0/, /^Its number of lines should be \d+ and is \d+\.$/],
      [/^account /, /^Its movement by line 800 .* should not be there and is -?\d+\.$/],
    ],
  },
  'the first line is gone': {
    does: () => [`delete from ledger_lines where ${line(1)}`],
    says: [[/^line 2$/, /^Line 1 should come after 0, and 2 does\.$/]],
  },
  'the last line is gone': {
    does: () => [`delete from ledger_lines where list_id = ${listOf(true)} and number = ${last()}`],
    says: [
      [/^ledger$/, /^The number of the last line should be \d+ and is \d+\.$/],
      [/^ledger$/, /^The hash of the last line should be [0-9a-f]{64} and is [0-9a-f]{64}\.$/],
      [/^ledger$/, /^The size of the tail should be \d+ and is \d+\.$/],
    ],
  },
  'the last line is gone and the head agrees': {
    does: () => [
      `delete from ledger_lines where list_id = ${listOf(true)} and number = ${last()}`,
      `update ledger_lists h set last_number = h.last_number - 1, last_hash = l.hash from ledger_lines l
       where h.id = ${listOf(true)} and l.list_id = h.id and l.number = h.last_number - 1`,
    ],
    says: [
      [/^ledger$/, /^The count of sells should be \d+ and is \d+\.$/],
      [/^account /, /^Its movement by line \d+ .* should not be there/],
      [/^withdrawal /, /it has no line there/],
    ],
  },
  'a line that nobody posted': {
    does: () => [
      `insert into ledger_lines select list_id, 0, type, transaction_at, posting_id, operation_id, 'another', sent_account_id,
         sent_amount, received_account_id, received_amount, status, description, purpose, user_description, executed_at, hash
       from ledger_lines where ${line(900)}`,
    ],
    says: [[/^line 0$/, /^Line 1 should come after 0, and 0 does\.$/]],
  },
  'two hashes change places': {
    does: () => [
      `update ledger_lines l set hash = o.hash from ledger_lines o where l.list_id = ${listOf(true)} and o.list_id = l.list_id
         and (l.number, o.number) in ((1000, 1001), (1001, 1000))`,
    ],
    says: [
      [/^line 1000$/, /^Its hash should be /],
      [/^line 1001$/, /^Its hash should be /],
    ],
  },
  'a chain that was recomputed from a changed line to the end, but not to the head': {
    does: () => [
      `update ledger_lines set description = 'forged' where list_id = ${listOf(true)} and number = ${last()}`,
      `update ledger_lines l set hash = ledger_line_hash(p.hash, l) from ledger_lines p
       where l.list_id = ${listOf(true)} and l.number = ${last()} and p.list_id = l.list_id and p.number = l.number - 1`,
    ],
    says: [[/^ledger$/, /^The hash of the last line should be /]],
  },
  'the count of a node': {
    does: () => [`update ledger_nodes set sells = sells + 1, buys = buys - 1 where ${node(true)}`],
    says: [
      [/^ledger, node of level 0 from /, /^Its count of sells should be \d+ and is \d+\.$/],
      [/^ledger, node of level 0 from /, /^Its count of buys should be \d+ and is \d+\.$/],
    ],
  },
  'the size of a node': {
    does: () => [`update ledger_nodes set size = size + 1 where ${node(true)}`],
    says: [[/^ledger, node of level 0 from /, /^Its number of lines should be \d+ and is \d+\.$/]],
  },
  'where a node ends': {
    does: () => [
      `update ledger_nodes set upto_number = upto_number + 1, upto_at = upto_at + interval '1 hour' where ${node(true)}`,
    ],
    says: [
      [
        /^ledger, node of level 0 from /,
        /^Its beginning, where the node before it ends, should be .* and is /,
      ],
    ],
  },
  'a node is gone': {
    does: () => [`delete from ledger_nodes where ${node(true)}`],
    says: [
      [
        /^ledger, node of level 0 from /,
        /^Its beginning, where the node before it ends, should be .* and is /,
      ],
      [
        /^ledger, node of level 0 from /,
        /^Account \d+ has a sum of -?\d+ in it, and there is no such node\.$/,
      ],
    ],
  },
  'a node above others that are too few': {
    does: () => [
      `insert into ledger_nodes select list_id, 1, first_at, first_number, upto_at, upto_number, 1, buys, sells, swaps, transfers
      from ledger_nodes where ${node(true)}`,
    ],
    says: [
      [/^ledger, node of level 1 from /, /^Its beginning/],
      [/^ledger, node of level 1 from /, /^Its sum of account \d+ should be -?\d+ and is null\.$/],
    ],
  },
  'a node of an unknown level': {
    does: () => [`update ledger_nodes set level = 3 where ${node(true)}`],
    says: [[/^ledger$/, /^There should be no nodes of level 3, and there are 1\.$/]],
  },
  'a sum': {
    does: () => [
      `update ledger_sums set amount = amount + 1 where account_id = ${account()} and level = 0 and first_at = '-infinity'`,
    ],
    says: [
      [
        /^ledger, node of level 0 from -infinity \(0\)$/,
        /^Its sum of account \d+ should be -?\d+ and is -?\d+\.$/,
      ],
    ],
  },
  'a sum is gone': {
    does: () => [
      `delete from ledger_sums where account_id = ${account()} and level = 0 and first_at = '-infinity'`,
    ],
    says: [
      [
        /^ledger, node of level 0 from -infinity \(0\)$/,
        /^Its sum of account \d+ should be -?\d+ and is null\.$/,
      ],
    ],
  },
  'a sum of no node': {
    does: () => [`insert into ledger_sums values (${account()}, 1, '2026-01-01T00:00Z', 7, 0)`],
    says: [
      [
        /^ledger, node of level 1 from 2026-01-01 .* \(7\)$/,
        /has a sum of 0 in it, and there is no such node/,
      ],
    ],
  },
  'a movement': {
    does: () => [
      `update ledger_movements set amount = amount - 1 where (account_id, transaction_at, number) =
         (select account_id, transaction_at, number from ledger_movements where account_id = ${account()} order by 2, 3 offset 50 limit 1)`,
    ],
    says: [
      [/^line \d+$/, /^It should move account \d+ by -?\d+, and the movement is -?\d+\.$/],
      [
        /^account \d+, USDC on polygon$/,
        /^Its balance, the sum of its movements, should be \d+ and is \d+\.$/,
      ],
      [/^ledger, node of level 0 from /, /^Its sum of account /],
    ],
  },
  'a movement that is no number': {
    does: () => [
      `update ledger_movements set amount = 'NaN' where (account_id, transaction_at, number) =
         (select account_id, transaction_at, number from ledger_movements where account_id = ${account()} order by 2, 3 offset 50 limit 1)`,
    ],
    says: [
      [
        /^account \d+, USDC on polygon$/,
        /^Its balance, the sum of its movements, should be NaN and is \d+\.$/,
      ],
    ],
  },
  'a movement is gone': {
    does: () => [
      `delete from ledger_movements where (account_id, transaction_at, number) =
         (select account_id, transaction_at, number from ledger_movements where account_id = ${account()} order by 2, 3 offset 50 limit 1)`,
    ],
    says: [[/^line \d+$/, /there is no such movement/]],
  },
  'a movement that no line made': {
    does: () => [`insert into ledger_movements values (${account()}, '2026-01-01T05:00Z', 99999, 0)`],
    says: [
      [/^account \d+, USDC on polygon$/, /^Its movement by line 99999 of .* should not be there and is 0\.$/],
    ],
  },
  'a balance': {
    does: () => [`update ledger_accounts set balance = balance + 1 where id = ${account()}`],
    says: [
      [
        /^account \d+, USDC on polygon$/,
        /^Its balance, the sum of its movements, should be \d+ and is \d+\.$/,
      ],
    ],
  },
  'what is held': {
    does: () => [
      'alter table ledger_accounts drop constraint ledger_accounts_funds',
      `update ledger_accounts set held = -1 where id = ${account()}`,
    ],
    says: [[/^account \d+, USDC on polygon$/, /^What is held should be from 0 to \d+ and is -1\.$/]],
  },
  'what is held for no withdrawal': {
    does: () => [`update ledger_accounts set held = 500 where id = ${account()}`],
    says: [
      [
        /^account \d+, USDC on polygon$/,
        /^What is held, the sum of its open withdrawals, should be 0 and is 500\.$/,
      ],
    ],
  },
  'an account is gone': {
    does: () => [`delete from ledger_accounts where id = ${account()}`],
    says: [[/^line \d+$/, /^It moves account \d+, which is not one of this user\.$/]],
  },
  'a posting is gone': {
    does: () => [`delete from ledger_postings where id = ${aPosting()}`],
    says: [[/^line \d+$/, /^It belongs to posting \d+, which is not there\.$/]],
  },
  'a counter of the list': {
    does: () => [`update ledger_lists set swaps = swaps + 1 where id = ${listOf(true)}`],
    says: [[/^ledger$/, /^The count of swaps should be \d+ and is \d+\.$/]],
  },
  'the last number of the list': {
    does: () => [`update ledger_lists set last_number = last_number + 1 where id = ${listOf(true)}`],
    says: [[/^ledger$/, /^The number of the last line should be \d+ and is \d+\.$/]],
  },
  'the tail': {
    does: () => [`update ledger_lists set tail_at = tail_at + interval '1 hour' where id = ${listOf(true)}`],
    says: [
      [/^ledger$/, /^The beginning of the tail should be .* and is /],
      [/^ledger$/, /^The size of the tail should be \d+ and is \d+\.$/],
    ],
  },
  'the size of the tail': {
    does: () => [`update ledger_lists set tail_size = tail_size - 1 where id = ${listOf(true)}`],
    says: [[/^ledger$/, /^The size of the tail should be \d+ and is \d+\.$/]],
  },
  'the list is gone': {
    does: () => [`delete from ledger_lists where id = ${listOf(true)}`],
    says: [[/^account /, /^Its movement by line \d+ .* should not be there/]],
  },
  'an unsettled record is gone': {
    does: () => [
      `delete from ledger_unsettled where list_id = ${listOf(false)} and operation_id = 'unsettled 0'`,
    ],
    says: [
      [/^unsettled records$/, /^The count of buys should be 5 and is 6\.$/],
      [
        /^unsettled records, node of level 0 from -infinity \(0\)$/,
        /^Its number of lines should be \d+ and is \d+\.$/,
      ],
    ],
  },
  'an unsettled record more': {
    does: () => [
      `insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, status, network, description, purpose, updated_at)
       values (${listOf(false)}, 5000, '2027-01-01', 'buy', 'added', 'pending', 'polygon', 'Added', 'deposit', now())`,
    ],
    says: [
      [/^unsettled records$/, /^The count of buys should be 7 and is 6\.$/],
      [/^unsettled records$/, /^The size of the tail should be \d+ and is \d+\.$/],
      [/^unsettled record added$/, /^Its number should be from 1 to \d+ and is 5000\.$/],
    ],
  },
  'an unsettled record that is in the ledger': {
    does: () => [
      `update ledger_unsettled set operation_id = 'unsettled 1' where list_id = ${listOf(false)} and operation_id = 'unsettled 0'`,
    ],
    says: [[/^unsettled record unsettled 1$/, /^It should be in one set, and is in the ledger as well\.$/]],
  },
  'a withdrawal without its unsettled record': {
    does: () => [
      `delete from ledger_unsettled where withdrawal_id = (select max(withdrawal_id::text)::uuid from ledger_unsettled)`,
    ],
    says: [
      [
        /^withdrawal [0-9a-f-]{36}$/,
        /^It is queued and should be among its user’s unsettled records, and it is not there\.$/,
      ],
      [/^unsettled records$/, /^The count of sells should be 899 and is 900\.$/],
    ],
  },
  'a withdrawal in another list': {
    does: () => [
      `update ledger_unsettled set list_id = -1 where withdrawal_id = (select max(withdrawal_id::text)::uuid from ledger_unsettled)`,
    ],
    says: [
      [
        /^withdrawal /,
        /^It is queued and should be among its user’s unsettled records, and it is not there\.$/,
      ],
    ],
  },
  'an unsettled record of a completed withdrawal': {
    does: () => [
      `insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, withdrawal_id)
       values (${listOf(false)}, 1, '2026-01-01', 'sell', '${completedId}', '${completedId}')`,
    ],
    says: [
      [/^withdrawal /, /^It is completed and should not be unsettled, and there is a record of it\.$/],
      [/^unsettled record /, /^It should be in one set, and is in the ledger as well\.$/],
      [/^unsettled records$/, /^The count of sells should be 901 and is 900\.$/],
    ],
  },
  'an unsettled record of nobody’s withdrawal': {
    does: () => [
      `update ledger_unsettled set withdrawal_id = '0198a0de-ffff-7000-8000-000000000000' where list_id = ${listOf(false)}
         and withdrawal_id = (select max(withdrawal_id::text)::uuid from ledger_unsettled)`,
    ],
    says: [
      [
        /^unsettled record /,
        /^It names withdrawal 0198a0de-ffff-7000-8000-000000000000, which is not this user’s/,
      ],
    ],
  },
  'a counter of the unsettled records': {
    does: () => [`update ledger_lists set sells = sells - 1 where id = ${listOf(false)}`],
    says: [[/^unsettled records$/, /^The count of sells should be 900 and is 899\.$/]],
  },
  'the tail of the unsettled records': {
    does: () => [`update ledger_lists set tail_number = tail_number + 1 where id = ${listOf(false)}`],
    says: [[/^unsettled records$/, /^The beginning of the tail should be /]],
  },
  'a node of the unsettled records': {
    does: () => [`update ledger_nodes set sells = sells + 1 where ${node(false)}`],
    says: [[/^unsettled records, node of level 0 from /, /^Its count of sells should be \d+ and is \d+\.$/]],
  },
};

const funds = `alter table ledger_accounts add constraint ledger_accounts_funds check (
  case when user_id is null then balance is null and held is null
  else balance is not null and held is not null and balance <> 'NaN' and held between 0 and balance end)`;

/** Of the tables that some statements name. */
async function putBack(statements: readonly string[]): Promise<void> {
  const touched = tables.filter((table) => statements.some((statement) => statement.includes(table)));
  await behindTheBack(
    ...touched.flatMap((table) => [
      `delete from ${table}`,
      `insert into ${table} overriding system value table saved.${table}`,
    ]),
    'alter table ledger_accounts drop constraint if exists ledger_accounts_funds',
    funds,
  );
}

for (const [name, { does, says }] of Object.entries(tamperings)) {
  test(`changed behind its back: ${name}`, async () => {
    try {
      await behindTheBack(...does());
      const verdict = await verify(ana);
      assert.equal(verdict.isSound, false);
      assert.equal(verdict.faultCount >= verdict.faults.length && verdict.faults.length <= 200, true);
      assert.ok(verdict.faults.every(({ userId }) => userId === ana));
      for (const [subject, message] of says) {
        const isSaid = verdict.faults.some(
          (fault) => subject.test(fault.subject) && message.test(fault.message),
        );
        assert.ok(isSaid, `${subject} ${message} in ${JSON.stringify(verdict.faults.slice(0, 20), null, 1)}`);
      }
    } finally {
      await putBack(does());
    }
    assertSound(await verify(ana));
  });
}

/** Found among all postings, on the first page. */
const ofAll: Record<string, { does: () => string[]; says: RegExp }> = {
  'a posting without lines': {
    does: () => [
      `insert into ledger_postings (kind, operation_id, description, posted_at, list_id, line_number, line_count)
       values ('fund', 'x', 'x', now(), ${listOf(true)}, 999999, 1)`,
    ],
    says: /^posting \d+: A line of it should be there and is not\.$/,
  },
  'a posting that has another’s line': {
    does: () => [
      `update ledger_postings p set list_id = o.list_id, line_number = o.line_number from ledger_postings o
       where p.id = ${aPosting()} and o.id = (select max(id) from ledger_postings)`,
    ],
    says: /^posting \d+: A line of it should be there and is not\.$/,
  },
};

for (const [name, { does, says }] of Object.entries(ofAll)) {
  test(`changed behind its back, of all postings: ${name}`, async () => {
    try {
      await behindTheBack(...does());
      const { faults } = await verifyLedger(ctx(), { limit: 1 });
      const ofNobody = faults.filter(({ userId }) => userId === null);
      assert.ok(
        ofNobody.some(({ subject, message }) => says.test(`${subject}: ${message}`)),
        JSON.stringify(faults.slice(0, 20), null, 1),
      );
    } finally {
      await putBack(does());
    }
    assertSound(await verifyLedger(ctx(), { limit: 1 }));
  });
}

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
