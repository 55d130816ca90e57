import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { checksumAddress } from '#adapters/evm';
import type { IssuedKey } from '#features/keys';
import { payoutJobs } from '#features/payouts';
import { makeAddress, makeFunds, makeKey } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { networksWithoutNodes, noteSecret, useHarness } from '#test/harness';

const harness = useHarness({
  networks: networksWithoutNodes().map((settings) => ({
    ...settings,
    signerKeys: [`0x${noteSecret(randomBytes(32).toString('hex'))}` as const],
  })),
});
let caller: IssuedKey;
beforeEach(async () => {
  caller = await makeKey(harness);
});

const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

/** A withdrawal's id. */
async function create(fields: object = {}, as = caller): Promise<string> {
  const { status, body } = await harness.request('POST', `/api/crypto/${as.userId}/withdraw`, {
    token: as.token,
    body: { amount: '1', to: makeAddress(), ...fields },
  });
  assert.equal(status, 200, body.error);
  const [row] = await sql('select id from withdrawals where bulk_id = $1', [body.data.bulkId]);
  return row!.id as string;
}

const hold = () =>
  payoutJobs()
    .find(({ name }) => name === 'payouts.hold polygon')!
    .run(harness.deps);

async function readFunds(): Promise<{ balance: bigint; held: bigint }> {
  const [row] = await sql('select balance, held from ledger_accounts where user_id = $1', [caller.userId]);
  return row as never;
}

const hotWallet = makeAddress();
const hash = `0x${randomBytes(32).toString('hex')}`;

/** As signing does: a nonce and bytes, and the state. */
async function sign(id: string): Promise<void> {
  await sql(
    `insert into payout_signers (network, address, next_nonce, created_at) values ('polygon', $1, 1, now()) on conflict do nothing`,
    [hotWallet],
  );
  await sql(
    `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1,
       (select coalesce(max(nonce), -1) + 1 from payout_slots), $2, now())`,
    [hotWallet, id],
  );
  await sql(
    `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at, sent_at, sends, last_answer)
     select case when exists (select from payout_attempts where hash = $2) then '0x' || encode(sha256(random()::text::bytea), 'hex') else $2 end,
       network, address, nonce, '\\x00', 30000000000, 1000000000, now(), now(), 2, 'already known' from payout_slots where withdrawal_id = $1`,
    [id, hash],
  );
  await sql(
    `update withdrawals set status = 'processing', transfer_status = 'signed', updated_at = now() where id = $1`,
    [id],
  );
}

// ## withdrawals.list

test('200 withdrawals.list: all partners’, newest first, page by page, each once', async () => {
  const other = await makeKey(harness);
  const made: string[] = [];
  for (let n = 0; n < 7; n++) made.push(await create({}, n % 2 ? caller : other));
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const { status, body } = await harness.operator('withdrawals.list', {
      status: 'queued',
      limit: 3,
      ...(cursor && { cursor }),
    });
    assert.equal(status, 200, body.error);
    assert.ok(body.data.items.length <= 3);
    seen.push(...body.data.items.map(({ id }: { id: string }) => id));
    cursor = body.data.nextCursor;
  } while (cursor);
  assert.deepEqual(seen, seen.toSorted().reverse());
  assert.deepEqual(
    seen.filter((id) => made.includes(id)),
    made.toReversed(),
  );
});

test('200 withdrawals.list: by status, network and age', async () => {
  const [first, second] = [await create(), await create({ network: 'base' })];
  await harness.operator('withdrawals.cancel', { withdrawalId: first, reason: 'a test' });
  const ids = async (input: object) => {
    const { status, body } = await harness.operator('withdrawals.list', { limit: 200, ...input });
    assert.equal(status, 200, body.error);
    return body.data.items.map(({ id }: { id: string }) => id) as string[];
  };
  assert.ok((await ids({})).includes(first) && (await ids({})).includes(second));
  assert.ok((await ids({ status: 'failed' })).includes(first));
  assert.ok(!(await ids({ status: 'failed' })).includes(second));
  assert.ok((await ids({ network: 'base' })).includes(second));
  assert.ok(!(await ids({ network: 'base' })).includes(first));
  assert.ok(!(await ids({ network: 'base', status: 'failed' })).includes(second));
  assert.ok(!(await ids({ olderThanSeconds: 3_600 })).includes(second));
  harness.advance(3_601_000);
  assert.ok((await ids({ olderThanSeconds: 3_600 })).includes(second));
  assert.deepEqual(await ids({ network: 'nowhere' }), []);
});

test('200 withdrawals.list: an item has its owner, its amount and its recipient', async () => {
  const to = makeAddress();
  const id = await create({ amount: '2.50', to, externalId: 'order 7' });
  const { body } = await harness.operator('withdrawals.list', { limit: 200 });
  const item = body.data.items.find((one: { id: string }) => one.id === id);
  const { bulkId, requestId, createdAt, updatedAt, ...rest } = item;
  for (const one of [bulkId, requestId]) assert.match(one, /^[0-9a-f-]{36}$/);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    id,
    partnerId: caller.partnerId,
    userId: caller.userId,
    network: 'polygon',
    currency: 'USDT',
    amount: '2.5',
    toAddress: checksumAddress(to),
    recipientUserId: null,
    externalId: 'order 7',
    status: 'queued',
    transferTokenStatus: null,
    transactionHash: null,
    errorMessage: null,
    waitingFor: null,
    keyId: caller.id,
    callerAddress: '127.0.0.1',
  });
});

test('400 withdrawals.list: a cursor of another filter, an unknown state, an unknown field', async () => {
  for (let n = 0; n < 2; n++) await create();
  const { body } = await harness.operator('withdrawals.list', { status: 'queued', limit: 1 });
  const cursor = body.data.nextCursor;
  for (const input of [
    { cursor },
    { cursor, status: 'failed' },
    { cursor, status: 'queued', network: 'base' },
    { cursor: 'nonsense' },
    { status: 'lost' },
    { olderThanSeconds: -1 },
    { olderThanSeconds: '5' },
    { network: 'POLYGON' },
    { limit: 201 },
    { partner: 'x' },
  ])
    assert.equal((await harness.operator('withdrawals.list', input)).status, 400, JSON.stringify(input));
});

// ## withdrawals.show

test('200 withdrawals.show: every state with its time, the nonce and every transaction', async () => {
  await makeFunds(harness, caller.userId, 'polygon', 'USDT', '1');
  const id = await create();
  await hold();
  await sign(id);
  const { status, body } = await harness.operator('withdrawals.show', { withdrawalId: id.toUpperCase() });
  assert.equal(status, 200, body.error);
  const { states, payout, ...withdrawal } = body.data;
  assert.equal(withdrawal.id, id);
  assert.equal(withdrawal.status, 'processing');
  assert.deepEqual(
    states.map(({ status }: { status: string }) => status),
    ['queued', 'pending', 'processing'],
  );
  for (const { at } of states) assert.equal(new Date(at).toISOString(), at);
  const { openedAt, attempts, nonce, ...rest } = payout;
  assert.deepEqual(rest, { hotWallet: checksumAddress(hotWallet), state: 'open', settledAt: null });
  assert.equal(typeof nonce, 'number');
  assert.equal(new Date(openedAt).toISOString(), openedAt);
  assert.equal(attempts.length, 1);
  const { signedAt, sentAt, ...attempt } = attempts[0];
  assert.deepEqual(attempt, {
    hash,
    isMined: false,
    maxFeePerGas: '30000000000',
    maxPriorityFeePerGas: '1000000000',
    sends: 2,
    lastAnswer: 'already known',
  });
  assert.ok(signedAt && sentAt);
});

test('200 withdrawals.show: states in the order in which they follow, also when clocks differ', async () => {
  await makeFunds(harness, caller.userId, 'polygon', 'USDT', '1');
  const id = await create();
  await hold();
  harness.advance(-60_000);
  await harness.operator('withdrawals.cancel', { withdrawalId: id, reason: 'a test' });
  harness.advance(60_000);
  const { body } = await harness.operator('withdrawals.show', { withdrawalId: id });
  assert.deepEqual(
    body.data.states.map(({ status }: { status: string }) => status),
    ['queued', 'pending', 'failed'],
  );
  assert.equal(body.data.payout, null);
});

test('404 Withdrawal not found: withdrawals.show and withdrawals.cancel; 400 withdrawals.cancel: a malformed id', async () => {
  for (const [command, more] of [
    ['withdrawals.show', {}],
    ['withdrawals.cancel', { reason: 'a test' }],
  ] as const) {
    const unknown = await harness.operator(command, { withdrawalId: randomUUID(), ...more });
    assert.deepEqual([unknown.status, unknown.body.error], [404, 'Withdrawal not found']);
  }
  const malformed = await harness.operator('withdrawals.cancel', { withdrawalId: 'x', reason: 'a test' });
  assert.equal(malformed.status, 400);
});

// ## withdrawals.cancel

const cancel = (withdrawalId: string, reason = 'asked by phone') =>
  harness.operator('withdrawals.cancel', { withdrawalId, reason });

test('200 withdrawals.cancel: a queued one fails and says so to the partner; nothing was held', async () => {
  await makeFunds(harness, caller.userId, 'polygon', 'USDT', '1');
  const id = await create();
  const { status, body } = await cancel(id);
  assert.equal(status, 200, body.error);
  assert.deepEqual(
    [body.data.id, body.data.status, body.data.errorMessage],
    [id, 'failed', 'Canceled: asked by phone'],
  );
  await hold();
  assert.deepEqual(await readFunds(), { balance: 1_000_000n, held: 0n });
  const list = await harness.request('GET', `/api/crypto/${caller.userId}/withdraws?status=failed`, {
    token: caller.token,
  });
  assert.equal(list.body.data.withdraws[0].errorMessage, 'Canceled: asked by phone');
  const [audit] = await sql(
    `select before, after from audit_log where subject = $1 and action = 'withdrawals.cancel'`,
    [`withdrawal:${id}`],
  );
  assert.deepEqual(audit, {
    before: { status: 'queued' },
    after: { status: 'failed', reason: 'asked by phone' },
  });
});

test('200 withdrawals.cancel: a pending one gives back what was held for it, and only that', async () => {
  await makeFunds(harness, caller.userId, 'polygon', 'USDT', '10');
  const [one, other] = [await create({ amount: '4' }), await create({ amount: '5' })];
  await hold();
  assert.deepEqual(await readFunds(), { balance: 10_000_000n, held: 9_000_000n });
  assert.equal((await cancel(one)).status, 200);
  assert.deepEqual(await readFunds(), { balance: 10_000_000n, held: 5_000_000n });
  assert.equal((await cancel(other)).status, 200);
  assert.deepEqual(await readFunds(), { balance: 10_000_000n, held: 0n });
  const third = await create({ amount: '10' });
  await hold();
  const { body } = await harness.operator('withdrawals.show', { withdrawalId: third });
  assert.equal(body.data.status, 'pending', 'what was given back can be spent');
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});

test('409 withdrawals.cancel: signed, so only the chain decides; what is held stays held', async () => {
  await makeFunds(harness, caller.userId, 'polygon', 'USDT', '1');
  const id = await create();
  await hold();
  await sign(id);
  const { status, body } = await cancel(id);
  assert.deepEqual(
    [status, body.error],
    [409, 'The withdrawal is signed and can no longer be canceled: the chain decides its outcome'],
  );
  assert.deepEqual(await readFunds(), { balance: 1_000_000n, held: 1_000_000n });
});

test('409 withdrawals.cancel: final already, and no second audit row', async () => {
  const id = await create();
  assert.equal((await cancel(id)).status, 200);
  const { status, body } = await cancel(id, 'again');
  assert.deepEqual([status, body.error], [409, 'The withdrawal is final']);
  const rows = await sql('select from audit_log where subject = $1', [`withdrawal:${id}`]);
  assert.equal(rows.length, 1);
});

test('one 200 and nine 409: withdrawals.cancel ten times at once releases once', async () => {
  await makeFunds(harness, caller.userId, 'polygon', 'USDT', '3');
  const id = await create({ amount: '1' });
  await create({ amount: '2' });
  await hold();
  const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(id)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 409).length, 9);
  assert.deepEqual(await readFunds(), { balance: 3_000_000n, held: 2_000_000n });
});

test('400 withdrawals.cancel: no reason, an empty one, one with a line break, one too long', async () => {
  const withdrawalId = await create();
  for (const reason of [undefined, '', 'a\nb', 'x'.repeat(201)])
    assert.equal((await harness.operator('withdrawals.cancel', { withdrawalId, reason })).status, 400);
});

// ## What the database itself refuses

for (const [what, statement] of [
  ['queued → processing', `update withdrawals set status = 'processing' where id = $1`],
  ['queued → completed', `update withdrawals set status = 'completed' where id = $1`],
  ['another amount', 'update withdrawals set amount = amount + 1 where id = $1'],
  ['another recipient', `update withdrawals set to_address = '0x${'1'.repeat(40)}' where id = $1`],
  ['another user', 'update withdrawals set user_id = uuidv7() where id = $1'],
  ['a delete', 'delete from withdrawals where id = $1'],
  ['failed without a reason', `update withdrawals set status = 'failed' where id = $1`],
] as const) {
  test(`the database refuses ${what}`, async () => {
    const id = await create();
    await assert.rejects(sql(statement, [id]));
  });
}

test('the database refuses pending → queued, processing without a nonce, and processing → failed without a final transaction', async () => {
  await makeFunds(harness, caller.userId, 'polygon', 'USDT', '1');
  const id = await create();
  await hold();
  await assert.rejects(sql(`update withdrawals set status = 'queued' where id = $1`, [id]), /does not move/);
  await assert.rejects(sql(`update withdrawals set status = 'processing' where id = $1`, [id]), /nonce/);
  await sign(id);
  for (const status of ['failed', 'completed', 'pending'])
    await assert.rejects(
      sql(
        `update withdrawals set status = $2, error_message = case when $2 = 'failed' then 'x' end where id = $1`,
        [id, status],
      ),
      /final transaction|does not move/,
    );
});
