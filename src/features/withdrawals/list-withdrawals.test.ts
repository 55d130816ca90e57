import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { checksumAddress } from '#adapters/evm';
import type { IssuedKey } from '#features/keys';
import { makeAddress, makeKey } from '#test/data/factories';
import { type Answer, useHarness } from '#test/harness';
import { sized } from '#test/sizes';
import { foldCountChanges } from './queries/counts.ts';
import { selectStatusPage } from './queries/pages.ts';
import { statuses } from './states.ts';

const harness = useHarness();
let caller: IssuedKey;
beforeEach(async () => {
  caller = await makeKey(harness);
});

const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const newHash = () => `0x${randomBytes(32).toString('hex')}`;

interface Entry {
  id: string;
  bulkId: string;
  status: string;
  externalId: string | null;
}

const ask = (query = '', as = caller): Promise<Answer> =>
  harness.request('GET', `/api/crypto/${as.userId}/withdraws${query}`, { token: as.token });

async function list(query = '', as = caller): Promise<Entry[]> {
  const { status, body } = await ask(query, as);
  assert.equal(status, 200, body.error);
  return body.data.withdraws;
}

const idsOf = (entries: { id: string }[]) => entries.map(({ id }) => id);

async function create(fields: object = {}, as = caller): Promise<string> {
  const { status, body } = await harness.request('POST', `/api/crypto/${as.userId}/withdraw`, {
    token: as.token,
    body: { amount: '1', to: makeAddress(), ...fields },
  });
  assert.equal(status, 200, body.error);
  return body.data.bulkId;
}

/** Inserts a long list of queued withdrawals directly, without HTTP. */
async function seed(count: number, as = caller): Promise<void> {
  await sql(
    `with list as (
       insert into withdrawal_lists (partner_id, user_id, last_position) values ($1, $2, $3) returning id)
     insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals, amount,
       to_address, external_id, created_at, updated_at)
     select list.id, n, $1, $2, $4, 'polygon', 'USDT', $5, 6, n, $5, 'label ' || n % 3, now(), now()
     from list, generate_series(1, $3::bigint) n`,
    [as.partnerId, as.userId, count, as.id, makeAddress()],
  );
}

/** The list's ids in the order in which pages show them. */
async function expectedIds(condition = 'true', as = caller): Promise<string[]> {
  const rows = await sql(
    `select id from withdrawals where partner_id = $1 and user_id = $2 and ${condition} order by position desc`,
    [as.partnerId, as.userId],
  );
  return rows.map(({ id }) => id as string);
}

const mine = 'partner_id = $1 and user_id = $2';
const toFailed = (condition: string) =>
  sql(
    `update withdrawals set status = 'failed', error_message = 'a test', updated_at = now() where ${mine} and ${condition}`,
    [caller.partnerId, caller.userId],
  );
const toPending = (condition: string) =>
  sql(`update withdrawals set status = 'pending', updated_at = now() where ${mine} and ${condition}`, [
    caller.partnerId,
    caller.userId,
  ]);
/** Gives pending ones a nonce and bytes, as signing does. */
async function toProcessing(condition: string): Promise<void> {
  await harness.deps.db.transaction(async (db) => {
    await db.query(
      `insert into payout_signers (network, address, next_nonce, created_at) values ('polygon', $1, 0, now()) on conflict do nothing`,
      [hotWallet],
    );
    await db.query(
      `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at)
       select 'polygon', $3, (select coalesce(max(nonce), -1) from payout_slots) + row_number() over (order by id), id, now()
       from withdrawals where ${mine} and status = 'pending' and ${condition}`,
      [caller.partnerId, caller.userId, hotWallet],
    );
    await db.query(
      `update withdrawals w set status = 'processing', transfer_status = 'signed', updated_at = now()
       from payout_slots s where s.withdrawal_id = w.id and w.status = 'pending'`,
    );
  });
}
/** Ends processing ones with a final transaction. */
async function toCompleted(condition: string): Promise<void> {
  await harness.deps.db.transaction(async (db) => {
    await db.query(
      `update payout_slots s set state = 'final', mined_hash = '0x' || encode(sha256(w.id::text::bytea), 'hex'), settled_at = now()
       from withdrawals w where w.id = s.withdrawal_id and ${mine} and status = 'processing' and ${condition}`,
      [caller.partnerId, caller.userId],
    );
    await db.query(
      `insert into ledger_postings (kind, operation_id, description, posted_at)
       select 'withdrawal', w.id::text, 'paid', now() from withdrawals w join payout_slots s on s.withdrawal_id = w.id
       where s.state = 'final' and w.status = 'processing'`,
    );
    await db.query(
      `update withdrawals w set status = 'completed', transfer_status = 'confirmed', transaction_hash = s.mined_hash, updated_at = now()
       from payout_slots s where s.withdrawal_id = w.id and s.state = 'final' and w.status = 'processing'`,
    );
  });
}
const hotWallet = makeAddress();

// ## Shape

test('200 an entry has what the contract states, with its types, and nothing else', async () => {
  const to = makeAddress();
  const bulkId = await create({
    amount: '12.50',
    to,
    currency: 'usdc',
    network: 'BASE',
    externalId: 'order 7',
  });
  const { status, headers, body } = await ask();
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.deepEqual(Object.keys(body), ['message', 'data']);
  assert.equal(typeof body.message, 'string');
  assert.deepEqual(Object.keys(body.data), ['withdraws', 'pageInfo']);
  assert.deepEqual(body.data.pageInfo, { limit: 20, offset: 0 });
  const [entry] = body.data.withdraws;
  const { id, createdAt, updatedAt, ...rest } = entry;
  assert.deepEqual(rest, {
    bulkId,
    status: 'queued',
    amountToPayToken: '12.5',
    outCurrencyIsoCode: 'USDC',
    toAddress: checksumAddress(to),
    externalId: 'order 7',
    transactionHash: null,
    transferTokenStatus: null,
    errorMessage: null,
  });
  assert.match(id, /^[0-9a-f-]{36}$/);
  for (const instant of [createdAt, updatedAt]) assert.equal(new Date(instant).toISOString(), instant);
  assert.equal(createdAt, updatedAt);
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
});

test('200 what is not there is null: no label, no hash, no error', async () => {
  await create();
  const [entry] = await list();
  assert.deepEqual(Object.keys(entry!), [
    'id',
    'bulkId',
    'status',
    'amountToPayToken',
    'outCurrencyIsoCode',
    'toAddress',
    'externalId',
    'transactionHash',
    'transferTokenStatus',
    'errorMessage',
    'createdAt',
    'updatedAt',
  ]);
  assert.equal(entry!.externalId, null);
});

test('200 each state as it is shown: what failed says why, what completed has its hash', async () => {
  await seed(5);
  await toFailed('position = 1');
  await toPending('position in (2, 3, 4)');
  await toProcessing('position in (3, 4)');
  await toCompleted('position = 4');
  const entries = (await list()) as unknown as Record<string, unknown>[];
  assert.deepEqual(
    entries.map(({ status, transferTokenStatus, errorMessage, transactionHash }) => [
      status,
      transferTokenStatus,
      errorMessage,
      typeof transactionHash,
    ]),
    [
      ['queued', null, null, 'object'],
      ['completed', 'confirmed', null, 'string'],
      ['processing', 'signed', null, 'object'],
      ['pending', null, null, 'object'],
      ['failed', null, 'a test', 'object'],
    ],
  );
  assert.match(entries[1]!.transactionHash as string, /^0x[0-9a-f]{64}$/);
  assert.ok(entries.every(({ createdAt, updatedAt }) => (createdAt as string) <= (updatedAt as string)));
});

test('200 nothing asked for yet: an empty list', async () => {
  for (const query of ['', '?status=queued', '?status=queued&page=2', '?externalId=x', '?page=9'])
    assert.deepEqual(await list(query), []);
});

// ## Pages

test('200 newest first; pages of 20 by default; pageInfo repeats the request', async () => {
  const made: string[] = [];
  for (let n = 0; n < 23; n++) made.push(await create());
  const whole = made.toReversed();
  const first = await ask();
  assert.deepEqual(
    first.body.data.withdraws.map(({ bulkId }: Entry) => bulkId),
    whole.slice(0, 20),
  );
  for (const [query, limit, offset, from, to] of [
    ['?page=1', 20, 0, 0, 20],
    ['?page=2', 20, 20, 20, 23],
    ['?perPage=1', 1, 0, 0, 1],
    ['?perPage=200', 200, 0, 0, 23],
    ['?page=3&perPage=7', 7, 14, 14, 21],
    ['?page=4&perPage=7', 7, 21, 21, 23],
    ['?page=5&perPage=7', 7, 28, 23, 23],
    ['?page=2147483647&perPage=200', 200, 429_496_729_200, 23, 23],
    ['?page=2147483647&perPage=200&status=queued', 200, 429_496_729_200, 23, 23],
    ['?page=2147483647&perPage=200&externalId=x', 200, 429_496_729_200, 23, 23],
  ] as const) {
    const { status, body } = await ask(query);
    assert.equal(status, 200, query);
    assert.deepEqual(body.data.pageInfo, { limit, offset });
    assert.deepEqual(
      body.data.withdraws.map(({ bulkId }: Entry) => bulkId),
      whole.slice(from, to),
      query,
    );
  }
});

for (const [query, error] of [
  ['?page=0', 'page must be >= 1'],
  ['?page=-1', 'page must be >= 1'],
  ['?page=2147483648', 'page must be <= 2147483647'],
  ['?page=1.0', 'page must be integer'],
  ['?page=1e3', 'page must be integer'],
  ['?page=', 'page must be integer'],
  ['?page=one', 'page must be integer'],
  ['?page=99999999999999999999', 'page must be integer'],
  ['?page=%201', 'page must be integer'],
  ['?page=+1', 'page must be integer'],
  ['?page=%D9%A1', 'page must be integer'],
  ['?page=null', 'page must be integer'],
  ['?page=01', 'page must be integer'],
  ['?perPage=020', 'perPage must be integer'],
  ['?perPage=0', 'perPage must be >= 1'],
  ['?perPage=-5', 'perPage must be >= 1'],
  ['?perPage=201', 'perPage must be <= 200'],
  ['?perPage=20.5', 'perPage must be integer'],
  ['?perPage=', 'perPage must be integer'],
  ['?status=lost', 'status must be one of queued, pending, processing, completed, failed'],
  ['?status=Queued', 'status must be one of queued, pending, processing, completed, failed'],
  ['?status=', 'status must be one of queued, pending, processing, completed, failed'],
  ['?status=queued,failed', 'status must be one of queued, pending, processing, completed, failed'],
  ['?bulkId=7', /^bulkId must be a UUID/],
  ['?bulkId=', /^bulkId must be a UUID/],
  [`?bulkId=%7B${randomUUID()}%7D`, /^bulkId must be a UUID/],
  [`?bulkId=${randomUUID().replaceAll('-', '')}`, /^bulkId must be a UUID/],
  [`?externalId=${'x'.repeat(256)}`, 'externalId must have at most 255 characters'],
  [`?transactionHash=${'x'.repeat(256)}`, 'transactionHash must have at most 255 characters'],
  ['?page=1&page=2', 'Query parameter "page" is given more than once'],
  ['?status=queued&status=failed', 'Query parameter "status" is given more than once'],
  ['?perpage=5', 'Unknown field: perpage'],
  ['?limit=5', 'Unknown field: limit'],
  ['?userId=1', 'Unknown field: userId'],
  ['?page[]=1', 'Unknown field: page[]'],
  ['?externalId=%ff', 'Query string is not valid UTF-8'],
  ['?externalId=%00', 'Query string must not contain the character U+0000'],
] as const) {
  test(`400 ${query.length > 80 ? `${query.slice(0, 80)}…` : query}`, async () => {
    const { status, body, headers } = await ask(query);
    assert.equal(status, 400);
    if (typeof error === 'string') assert.equal(body.error, error);
    else assert.match(body.error, error);
    assert.equal(body.code, 'invalid_request');
    assert.equal(body.requestId, headers.get('x-request-id'));
  });
}

// ## Filters

test('200 bulkId: the one, in either case; not with a status or label that it has not', async () => {
  await create();
  const bulkId = await create({ externalId: 'mine' });
  for (const query of ['', '&status=queued', '&externalId=mine', '&status=queued&externalId=mine&page=1'])
    assert.deepEqual(
      (await list(`?bulkId=${bulkId}${query}`)).map((entry) => entry.bulkId),
      [bulkId],
      query,
    );
  assert.equal((await list(`?bulkId=${bulkId.toUpperCase()}`)).length, 1);
  for (const query of ['&status=failed', '&externalId=other', '&externalId=', '&page=2', '&page=2&perPage=1'])
    assert.deepEqual(await list(`?bulkId=${bulkId}${query}`), [], query);
  assert.deepEqual(await list(`?bulkId=${randomUUID()}`), []);
});

test('200 transactionHash: any hash that it was ever sent under, in either case; of nobody else', async () => {
  await seed(2);
  await toPending('true');
  await toProcessing('true');
  const [newer, older] = await list();
  const hashes = [newHash(), newHash(), newHash()] as const;
  const addAttempt = (id: string, hash: string, fee: number) =>
    sql(
      `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at)
       select $2, network, address, nonce, '\\x00', $3, 1, now() from payout_slots where withdrawal_id = $1`,
      [id, hash, fee],
    );
  await addAttempt(newer!.id, hashes[0], 100);
  await addAttempt(newer!.id, hashes[1], 110);
  await addAttempt(older!.id, hashes[2], 100);
  for (const [at, id] of [newer!.id, newer!.id, older!.id].entries()) {
    for (const spelling of [hashes[at]!, hashes[at]!.toUpperCase()]) {
      assert.deepEqual(idsOf(await list(`?transactionHash=${spelling}`)), [id]);
    }
    assert.deepEqual(idsOf(await list(`?transactionHash=${hashes[at]}&status=processing`)), [id]);
    for (const query of ['&status=completed', '&page=2', `&bulkId=${randomUUID()}`, '&externalId=nothing'])
      assert.deepEqual(await list(`?transactionHash=${hashes[at]}${query}`), [], query);
  }
  assert.deepEqual(idsOf(await list(`?transactionHash=${hashes[0]}&bulkId=${newer!.bulkId}`)), [newer!.id]);
  assert.deepEqual(await list(`?transactionHash=${hashes[0]}&bulkId=${older!.bulkId}`), []);
  for (const hash of [newHash(), '', '0x', 'nothing', hashes[0].slice(2), `${hashes[0]}0`, '%25', '💸'])
    assert.deepEqual(await list(`?transactionHash=${hash}`), [], hash);
  const stranger = await makeKey(harness, { userId: caller.userId });
  assert.deepEqual(await list(`?transactionHash=${hashes[0]}`, stranger), []);
});

test('200 externalId: every one with that label, newest first, exactly and in its case', async () => {
  const made = [];
  for (const externalId of ['a', 'A', 'a', 'a ', undefined, 'a'])
    made.push(await create(externalId === undefined ? {} : { externalId }));
  const found = async (query: string) => (await list(query)).map(({ bulkId }) => bulkId);
  assert.deepEqual(await found('?externalId=a'), [made[5], made[2], made[0]]);
  assert.deepEqual(await found('?externalId=A'), [made[1]]);
  assert.deepEqual(await found('?externalId=a+'), [made[3]]);
  assert.deepEqual(await found('?externalId=a%20'), [made[3]]);
  assert.deepEqual(await found('?externalId='), []);
  assert.deepEqual(await found('?externalId=%25'), []);
  assert.deepEqual(await found('?externalId=a&page=2&perPage=2'), [made[0]]);
  await toFailed(`external_id = 'a' and position < 4`);
  assert.deepEqual(await found('?externalId=a&status=failed'), [made[2], made[0]]);
  assert.deepEqual(await found('?externalId=a&status=queued'), [made[5]]);
  assert.deepEqual(await found('?externalId=a&status=failed&perPage=1&page=2'), [made[0]]);
});

test('200 what another partner asked for the same user is not shown, by no filter', async () => {
  const stranger = await makeKey(harness, { userId: caller.userId });
  const mine = await create({ externalId: 'shared' });
  const theirs = await create({ externalId: 'shared' }, stranger);
  for (const query of ['', '?status=queued', '?externalId=shared', '?perPage=1']) {
    assert.deepEqual(
      (await list(query)).map(({ bulkId }) => bulkId),
      [mine],
      query,
    );
    assert.deepEqual(
      (await list(query, stranger)).map(({ bulkId }) => bulkId),
      [theirs],
      query,
    );
  }
  assert.deepEqual(await list(`?bulkId=${theirs}`), []);
  assert.deepEqual(await list(`?bulkId=${mine}`, stranger), []);
  const sibling = await makeKey(harness, { partnerId: caller.partnerId, userId: caller.userId });
  assert.deepEqual(
    (await list('', sibling)).map(({ bulkId }) => bulkId),
    [mine],
    'one partner, two keys',
  );
});

test('200 what the partner asked for another user is not shown', async () => {
  const other = await makeKey(harness, { partnerId: caller.partnerId });
  const theirs = await create({}, other);
  assert.deepEqual(await list(), []);
  assert.deepEqual(await list(`?bulkId=${theirs}`), []);
});

// ## Pages of a long list

async function readPages(query: string, perPage: number): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const entries = await list(`?${query}&page=${page}&perPage=${perPage}`);
    ids.push(...idsOf(entries));
    if (entries.length < perPage) return ids;
  }
}

/** With no filter and with each: all pages together are the whole set, each item once, in order. */
async function expectWhole(what: string, perPage: number): Promise<void> {
  assert.deepEqual(await readPages('', perPage), await expectedIds(), what);
  for (const status of statuses) {
    const pages = await readPages(`status=${status}`, perPage);
    assert.deepEqual(pages, await expectedIds(`status = '${status}'`), `${what}, ${status}`);
  }
  const labelled = await readPages('externalId=label+1', perPage);
  assert.deepEqual(labelled, await expectedIds(`external_id = 'label 1'`), `${what}, by label`);
}

/** As workers do: at most some hundreds in one statement. */
async function inTurns(move: (condition: string) => Promise<unknown>, condition: string): Promise<void> {
  for (let from = 0; from < 13_500; from += 900)
    await move(`${condition} and position between ${from} and ${from + 899}`);
}

test('200 pages one after another are the whole list, each once, in each state, before and after the counts are folded', async () => {
  await seed(sized(8_956, 13_456));
  await expectWhole('all queued', 200);
  await inTurns(toFailed, 'position % 5 = 0');
  await inTurns(toPending, 'position % 5 in (1, 2, 3)');
  await expectWhole('moved', 200);
  await foldCountChanges(harness.deps.db);
  await expectWhole('folded', 199);
  await inTurns(toProcessing, 'position % 5 in (1, 2)');
  await inTurns(toCompleted, 'position % 5 = 1');
  await expectWhole('moved again', 200);
  // A block of 4,000 positions with none in a state, between blocks that have some.
  await inTurns(toFailed, `status = 'pending' and position between 4000 and 7999`);
  await inTurns(toFailed, `status = 'queued' and position between 8000 and 11999`);
  await expectWhole('blocks that are empty', 97);
  await foldCountChanges(harness.deps.db);
  await expectWhole('blocks that are empty, folded', 200);
  await foldCountChanges(harness.deps.db);
  const rows = await sql(
    `select c.status, sum(c.count)::integer as count,
       (select count(*)::integer from withdrawals w where w.list_id = c.list_id and w.status = c.status) as real
     from withdrawal_counts c join withdrawal_lists l on l.id = c.list_id
     where ${mine} group by c.list_id, c.status`,
    [caller.partnerId, caller.userId],
  );
  assert.equal(rows.length, 5);
  for (const { status, count, real } of rows) assert.equal(count, real, status as string);
});

test('200 pages of the whole list are each once, and those of a state are of one instant, while rows move and counts are folded', async () => {
  await seed(2_500);
  let isMoving = true;
  const mover = (async () => {
    for (let step = 0; isMoving; step++) {
      await toPending(`status = 'queued' and position % 50 = ${step % 50}`);
      if (step % 3 === 0) await toFailed(`status = 'pending' and position % 7 = ${step % 7}`);
      if (step % 4 === 0) await foldCountChanges(harness.deps.db);
    }
  })();
  try {
    const whole = await expectedIds();
    for (let round = 0; round < 3; round++) assert.deepEqual(await readPages('', 100), whole);
    const [row] = await sql(`select id from withdrawal_lists where ${mine}`, [
      caller.partnerId,
      caller.userId,
    ]);
    for (let round = 0; round < 40; round++) {
      const status = statuses[round % 2]!;
      const page = {
        partnerId: caller.partnerId,
        userId: caller.userId,
        limit: 20,
        offset: (round * 53) % 2_400,
      };
      await harness.deps.db.transaction(async (db) => {
        await db.query('set transaction isolation level repeatable read');
        const counted = await selectStatusPage(db, page, status);
        const walked = await db.query(
          `select id from withdrawals where list_id = $1 and status = $2 order by position desc limit 20 offset $3`,
          [row!.id, status, page.offset],
        );
        assert.deepEqual(idsOf(counted), idsOf(walked as { id: string }[]));
      });
      const entries = await list(`?status=${status}&page=${1 + (round % 100)}`);
      assert.ok(entries.every((entry) => entry.status === status));
    }
  } finally {
    isMoving = false;
    await mover;
  }
  await expectWhole('at rest again', 200);
});

test('200 a list to which others add while it is read: nothing is missed', async () => {
  await seed(300);
  const before = await expectedIds();
  const seen = new Set<string>();
  for (let page = 1; ; page++) {
    const entries = await list(`?page=${page}&perPage=50`);
    for (const { id } of entries) seen.add(id);
    if (entries.length === 0) break;
    if (page < 4) await create();
  }
  assert.ok(before.every((id) => seen.has(id)));
});

test('creations at once leave no gap and no pair in the positions', async () => {
  await Promise.all(Array.from({ length: 60 }, () => create()));
  const rows = await sql(`select position from withdrawals where ${mine} order by position`, [
    caller.partnerId,
    caller.userId,
  ]);
  assert.deepEqual(
    rows.map(({ position }) => position),
    Array.from({ length: 60 }, (_, at) => BigInt(at + 1)),
  );
  assert.deepEqual(idsOf(await list('?perPage=200')), await expectedIds());
});
