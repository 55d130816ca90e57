import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { before, beforeEach, describe, test } from 'node:test';
import { checksumAddress } from '#adapters/evm';
import type { IssuedKey } from '#features/keys';
import { lowestUuidAt } from '#platform/values/uuid-time';
import { makeAddress, makeKey, makeUser } from '#test/data/factories';
import { countRowsRead } from '#test/database/rows-read';
import { useHarness } from '#test/harness';
import { type AcrossPartners, listAcrossPartners } from './list-across-partners.ts';
import { selectByAnyIdempotencyKey } from './queries.ts';

const harness = useHarness({ trustedProxies: ['127.0.0.1'] });
let caller: IssuedKey;
beforeEach(async () => {
  caller = await makeKey(harness);
});

const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const makeHash = () => `0x${randomBytes(32).toString('hex')}`;

interface Made {
  id: string;
  bulkId: string;
  requestId: string;
}

async function create(fields: object = {}, as = caller, headers: Record<string, string> = {}): Promise<Made> {
  const answer = await harness.request('POST', `/api/crypto/${as.userId}/withdraw`, {
    token: as.token,
    headers,
    body: { amount: '1', to: makeAddress(), ...fields },
  });
  assert.equal(answer.status, 200, answer.body.error);
  const { bulkId } = answer.body.data;
  const [row] = await sql('select id from withdrawals where bulk_id = $1', [bulkId]);
  return { id: row!.id as string, bulkId, requestId: answer.headers.get('x-request-id')! };
}

async function list(input: object) {
  const { status, body } = await harness.operator('withdrawals.list', input);
  assert.equal(status, 200, body.error);
  return body.data as { items: { id: string }[]; nextCursor: string | null };
}

const idsOf = async (input: object) => (await list({ limit: 200, ...input })).items.map(({ id }) => id);

const show = (withdrawalId: string) => harness.operator('withdrawals.show', { withdrawalId });

/** As signing does, twice for the same nonce: the second transaction replaces the first. */
async function sign(id: string): Promise<string[]> {
  const address = makeAddress();
  await sql(
    `insert into payout_signers (network, address, next_nonce, created_at) values ('polygon', $1, 1, now())`,
    [address],
  );
  await sql(
    `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1, 0, $2, now())`,
    [address, id],
  );
  const hashes = [makeHash(), makeHash()];
  await sql(
    `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at)
     select hash, 'polygon', $1, 0, '\\x00', 2, 1, now() from unnest($2::text[]) hash`,
    [address, hashes],
  );
  return hashes;
}

// ## Who asked for it

test('200 withdrawals.show: the key, the address of the caller and the id of the request', async () => {
  const { id, requestId } = await create({}, caller, { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' });
  const { body } = await show(id);
  const { keyId, callerAddress } = body.data;
  assert.deepEqual(
    [keyId, callerAddress, body.data.requestId],
    [caller.id, '198.51.100.7', requestId],
    'the hop that the trusted proxy saw, not what the caller wrote before it',
  );
  const [item] = (await list({ bulkId: body.data.bulkId })).items as never as [Record<string, unknown>];
  assert.deepEqual([item.keyId, item.callerAddress, item.requestId], [keyId, callerAddress, requestId]);
});

test('200 withdrawals.show: the request that made it, not the one that repeated it', async () => {
  const fields = { amount: '3', to: makeAddress() };
  const key = { 'idempotency-key': randomUUID() };
  const first = await create(fields, caller, { ...key, 'x-forwarded-for': '198.51.100.1' });
  const again = await create(fields, caller, { ...key, 'x-forwarded-for': '198.51.100.2' });
  assert.equal(again.id, first.id);
  const { callerAddress, requestId } = (await show(first.id)).body.data;
  assert.deepEqual([callerAddress, requestId], ['198.51.100.1', first.requestId]);
});

test('200: a proxy that forwards a text instead of an address; the text is not stored', async () => {
  const { id } = await create({}, caller, { 'x-forwarded-for': 'unknown' });
  assert.equal((await show(id)).body.data.callerAddress, null);
});

// ## withdrawals.list

test('200 withdrawals.list: newest first, each once, none missed while new ones arrive', async () => {
  const made: string[] = [];
  for (let n = 0; n < 7; n++) made.unshift((await create()).id);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await list({ partnerId: caller.partnerId, limit: 2, ...(cursor && { cursor }) });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
    await create();
  } while (cursor);
  assert.deepEqual(seen, made);
});

test('200 withdrawals.list: open and ended ones in one order', async () => {
  const made: string[] = [];
  for (let n = 0; n < 6; n++) made.unshift((await create()).id);
  for (const withdrawalId of [made[1], made[3], made[5]])
    await harness.operator('withdrawals.cancel', { withdrawalId, reason: 'a test' });
  assert.deepEqual(await idsOf({ keyId: caller.id }), made);
  assert.deepEqual(await idsOf({ keyId: caller.id, status: 'failed' }), [made[1], made[3], made[5]]);
  assert.deepEqual(await idsOf({ keyId: caller.id, status: 'queued' }), [made[0], made[2], made[4]]);
});

describe('200 withdrawals.list: by', () => {
  let wanted: Made;
  let owner: IssuedKey;
  let email: string;
  let hashes: string[];
  const to = makeAddress();
  const externalId = `Order ${randomUUID()}`;
  before(async () => {
    const user = await makeUser(harness);
    email = user.email;
    owner = await makeKey(harness, { userId: user.id });
    wanted = await create({ amount: '987.654321', to, externalId }, owner);
    hashes = await sign(wanted.id);
    await create();
  });
  const filters: Record<string, () => object> = {
    'id of the user': () => ({ user: owner.userId }),
    'id of the user, in capitals': () => ({ user: owner.userId.toUpperCase() }),
    'email of the user': () => ({ user: ` ${email.toUpperCase()}` }),
    partner: () => ({ partnerId: owner.partnerId }),
    key: () => ({ keyId: owner.id }),
    'external id': () => ({ externalId }),
    'bulk id, in capitals': () => ({ bulkId: wanted.bulkId.toUpperCase() }),
    hash: () => ({ transactionHash: hashes[1] }),
    'hash of a replaced transaction, in capitals': () => ({ transactionHash: hashes[0]!.toUpperCase() }),
    address: () => ({ toAddress: to }),
    'address with a checksum': () => ({ toAddress: checksumAddress(to) }),
    'exact amount': () => ({ amountMin: '987.654321', amountMax: '987.654321' }),
    'a range finer than the token': () => ({ amountMin: '987.6543209999', amountMax: '987.6543210001' }),
    'least amount': () => ({ amountMin: '987' }),
    'all at once': () => ({
      user: email,
      partnerId: owner.partnerId,
      keyId: owner.id,
      externalId,
      bulkId: wanted.bulkId,
      transactionHash: hashes[0],
      toAddress: to,
      amountMin: '1',
      amountMax: '1000',
      startDate: '2000-01-01',
      endDate: '2999-12-31',
      status: 'queued',
      network: 'polygon',
    }),
  };
  for (const [what, input] of Object.entries(filters)) {
    test(what, async () => assert.deepEqual(await idsOf(input()), [wanted.id]));
  }

  const others: Record<string, () => object> = {
    'another user': () => ({ user: randomUUID() }),
    'another partner': () => ({ partnerId: randomUUID() }),
    'another key': () => ({ keyId: 'a'.repeat(16) }),
    'an external id in other letters': () => ({ externalId: externalId.toUpperCase() }),
    'an unknown bulk id': () => ({ bulkId: randomUUID() }),
    'an unknown hash': () => ({ transactionHash: makeHash() }),
    'another address': () => ({ toAddress: makeAddress() }),
    'amounts around it': () => ({ externalId, amountMin: '987.654322' }),
    'smaller amounts': () => ({ externalId, amountMax: '987.65432' }),
    'days before it': () => ({ externalId, endDate: '2025-01-01' }),
    'days after it': () => ({ externalId, startDate: '2999-01-01' }),
    'a status with a reason that it does not have': () => ({ status: 'completed', waitingFor: 'gas' }),
    'one filter of two': () => ({ externalId, keyId: 'a'.repeat(16) }),
  };
  for (const [what, input] of Object.entries(others)) {
    test(`${what}: nothing`, async () => assert.deepEqual(await idsOf(input()), []));
  }
});

test('200 withdrawals.list: by the period of their creation, to the millisecond', async () => {
  const { id } = await create();
  const [row] = await sql('select created_at as "createdAt" from withdrawals where id = $1', [id]);
  const at = (row!.createdAt as Date).getTime();
  const text = (ms: number) => new Date(at + ms).toISOString();
  const keyId = caller.id;
  assert.deepEqual(await idsOf({ keyId, startDate: text(0), endDate: text(0) }), [id]);
  assert.deepEqual(await idsOf({ keyId, startDate: text(1) }), []);
  assert.deepEqual(await idsOf({ keyId, endDate: text(-1) }), []);
  assert.deepEqual(await idsOf({ keyId, startDate: text(0).slice(0, 10) }), [id]);
});

test('200 withdrawals.list: by what pending ones wait for', async () => {
  const [{ id }] = [await create(), await create()];
  await sql(`update withdrawals set status = 'pending', updated_at = now() where key_id = $1`, [caller.id]);
  await sql(`update withdrawals set waiting_for = 'found payment' where id = $1`, [id]);
  const waitingFor = 'found payment';
  for (const more of [{}, { keyId: caller.id }, { network: 'polygon' }, { status: 'pending' }])
    assert.deepEqual(await idsOf({ waitingFor, ...more }), [id]);
  for (const more of [{ network: 'base' }, { status: 'failed' }, { waitingFor: 'gas' }])
    assert.deepEqual(await idsOf({ waitingFor, ...more }), []);
});

for (const [what, status, input] of [
  ['an unknown email', 404, { user: 'nobody@example.com' }],
  ['a user that is neither id nor email', 400, { user: 'nobody' }],
  ['a short hash', 400, { transactionHash: '0x12' }],
  ['a short address', 400, { toAddress: '0x12' }],
  ['a negative amount', 400, { amountMin: '-1' }],
  ['an amount as a number', 400, { amountMin: 1 }],
  ['amounts in the wrong order', 400, { amountMin: '2', amountMax: '1.999999' }],
  ['an unknown day', 400, { startDate: '2026-02-30' }],
  ['days in the wrong order', 400, { startDate: '2026-02-02', endDate: '2026-02-01' }],
] as const) {
  test(`${status} withdrawals.list: ${what}`, async () => {
    assert.equal((await harness.operator('withdrawals.list', input)).status, status);
  });
}

test('400 cursor is not from this list: of the list oldest first, and of another filter', async () => {
  const { id } = await create();
  await create();
  const old = Buffer.from(`withdrawals   ${id}`).toString('base64url');
  const { nextCursor } = await list({ keyId: caller.id, limit: 1 });
  for (const input of [
    { cursor: old },
    { cursor: nextCursor },
    { cursor: nextCursor, partnerId: caller.partnerId },
    { cursor: nextCursor, keyId: 'a'.repeat(16) },
  ]) {
    const { status, body } = await harness.operator('withdrawals.list', input);
    assert.deepEqual([status, body.error], [400, 'cursor is not from this list']);
  }
  assert.equal((await list({ keyId: caller.id, limit: 1, cursor: nextCursor })).items[0]!.id, id);
});

// ## withdrawals.show

test('200 withdrawals.show: by id, bulk id, hash, hash of a replaced transaction and external id', async () => {
  const externalId = `invoice ${randomUUID()}`;
  const { id, bulkId } = await create({ externalId });
  const hashes = await sign(id);
  for (const text of [id, id.toUpperCase(), bulkId, bulkId.toUpperCase(), externalId, ...hashes]) {
    const { status, body } = await show(text);
    assert.deepEqual([status, body.data?.id, body.data?.payout.attempts.length], [200, id, 2], text);
  }
  assert.equal((await show(hashes[0]!.toUpperCase())).body.data.id, id);
});

test('200 withdrawals.show: by Idempotency-Key; 409 if two partners use the same', async () => {
  const key = `key-${randomUUID()}`;
  const headers = { 'idempotency-key': key };
  const { id } = await create({}, caller, headers);
  assert.equal((await show(key)).body.data.id, id);
  assert.equal((await show(key.toUpperCase())).status, 404);
  const other = await makeKey(harness);
  const second = await create({}, other, headers);
  const { status, body } = await show(key);
  assert.deepEqual(
    [status, body.error, body.details.length],
    [409, '2 withdrawals have this idempotency key: pass the id of one of them', 2],
  );
  await create({ externalId: key }, other);
  assert.notEqual((await show(key)).body.data.id, second.id, 'an external id comes first');
});

test('200 withdrawals.show: an id of ours comes before an equal external id of another', async () => {
  const { id, bulkId } = await create();
  for (const externalId of [id, bulkId]) await create({ externalId });
  assert.equal((await show(id)).body.data.id, id);
  assert.equal((await show(bulkId)).body.data.id, id);
  const hash = makeHash();
  const labelled = await create({ externalId: hash });
  assert.equal((await show(hash)).body.data.id, labelled.id, 'a hash that nothing was sent under is a label');
});

test('409 withdrawals.show: an external id that several have; the refusal lists them', async () => {
  const externalId = `order ${randomUUID()}`;
  const made: string[] = [];
  for (let n = 0; n < 2; n++) made.unshift((await create({ externalId, amount: '2.50' })).id);
  const { status, body } = await show(externalId);
  assert.deepEqual(
    [status, body.code, body.error],
    [409, 'ambiguous_id', '2 withdrawals have this external id: pass the id of one of them'],
  );
  for (const [at, { field, message }] of body.details.entries()) {
    assert.equal(field, 'withdrawalId');
    assert.ok(message.startsWith(`${made[at]}: 2.5 USDT on polygon, queued, created at 2`), message);
  }
  assert.equal(body.details.length, 2);
  for (let n = 0; n < 9; n++) await create({ externalId });
  const many = (await show(externalId)).body;
  assert.match(many.error, /^More than 10 withdrawals/);
  assert.equal(many.details.length, 10);
});

test('404 withdrawals.show: unknown ids of each form; 400: an empty one, one with a line break', async () => {
  for (const text of [randomUUID(), makeHash(), 'nothing', '0x12'])
    assert.equal((await show(text)).status, 404);
  for (const text of ['', 'a\nb', 'x'.repeat(256)]) assert.equal((await show(text)).status, 400);
});

// ## Cost

describe('a page reads few rows of a long table', () => {
  const count = 30_000;
  const rare = { to: makeAddress(), externalId: 'rare', at: new Date('2026-01-01T12:00:00Z') };
  let few: IssuedKey;
  let many: IssuedKey;
  let early: IssuedKey;
  const shared = makeAddress();
  before(async () => {
    [few, many, early] = [await makeKey(harness), await makeKey(harness), await makeKey(harness)];
    // Without triggers: withdrawals that begin as ended, and lists that nobody has.
    await harness.deps.db.transaction(async (db) => {
      await db.query('set local session_replication_role = replica');
      const add = (values: string, own: readonly unknown[]) =>
        db.query(
          `insert into withdrawals (id, list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
             amount, to_address, external_id, status, error_message, created_at, updated_at) ${values}`,
          own,
        );
      await add(
        `values ($1, 1000000, 1, $2, $3, $4, 'base', 'USDC', $5, 6, 5555000000, $5, $6, 'failed', 'a test', $7, $7)`,
        [lowestUuidAt(rare.at), few.partnerId, few.userId, few.id, rare.to, rare.externalId, rare.at],
      );
      await add(
        `select uuidv7(n * interval '-1 minute'), 1000001, n, $1, $2, $3, 'polygon', 'USDC', $4, 6, n % 1000 + 1, $4, 'common',
           case when n < 300 then 'queued' else 'completed' end, null, now() - n * interval '1 minute', now()
         from generate_series(1, $5) n`,
        [many.partnerId, many.userId, many.id, makeAddress(), count],
      );
      // A tenth of all, but none of the newest nine tenths.
      await add(
        `select uuidv7(n * interval '-1 minute'), 1000002, n, $1, $2, $3, 'polygon', 'USDC', $4, 6, n % 1000 + 1, $4, 'early',
           'completed', null, now() - n * interval '1 minute', now() from generate_series($5 + 1, $5 + $5 / 10) n`,
        [early.partnerId, early.userId, early.id, shared, count],
      );
    });
    await sql('analyze withdrawals');
  });

  const filters: Record<string, () => AcrossPartners> = {
    'no filter': () => ({}),
    'status failed': () => ({ status: 'failed' }),
    'status completed': () => ({ status: 'completed' }),
    'a network with one': () => ({ network: 'base' }),
    'a status that the network does not have': () => ({ status: 'completed', network: 'base' }),
    'a user with one': () => ({ user: few.userId }),
    'a user with all': () => ({ user: many.userId }),
    'a partner with one': () => ({ partnerId: few.partnerId }),
    'a partner with all': () => ({ partnerId: many.partnerId }),
    'a key with one': () => ({ keyId: few.id }),
    'a key with all': () => ({ keyId: many.id }),
    'a rare external id': () => ({ externalId: rare.externalId }),
    'a common external id': () => ({ externalId: 'common' }),
    'a rare address': () => ({ toAddress: rare.to }),
    'a user long ago': () => ({ user: early.userId }),
    'a partner long ago': () => ({ partnerId: early.partnerId }),
    'a key long ago': () => ({ keyId: early.id }),
    'an external id long ago': () => ({ externalId: 'early' }),
    'an address long ago': () => ({ toAddress: shared }),
    'a user and a network long ago': () => ({ user: early.userId, network: 'polygon' }),
    'an unknown bulk id': () => ({ bulkId: randomUUID() }),
    'an unknown hash': () => ({ transactionHash: makeHash() }),
    'a rare amount': () => ({ amountMin: '5000' }),
    'a common amount': () => ({ amountMax: '1' }),
    'an early day': () => ({ startDate: '2026-01-01', endDate: '2026-01-01' }),
    'early days': () => ({ endDate: '2026-01-02' }),
    'what they wait for': () => ({ waitingFor: 'gas' }),
  };
  for (const [what, input] of Object.entries(filters)) {
    test(what, async () => {
      const rows = await countRowsRead(harness.deps.db, (db) =>
        listAcrossPartners({ ...harness.operatorContext(), db }, { limit: 20, ...input() }),
      );
      assert.ok(rows < 500, `${rows} rows`);
    });
  }

  test('an idempotency key reads a row for each partner, not the withdrawals', async () => {
    const partners = Number((await sql('select count(*) as count from partners'))[0]!.count);
    const rows = await countRowsRead(harness.deps.db, (db) => selectByAnyIdempotencyKey(db, 'unknown', 11));
    assert.ok(rows <= partners, `${rows} rows of ${partners} partners`);
  });

  test('the rare one is found by each filter that names it', async () => {
    const [row] = await sql(`select id from withdrawals where external_id = 'rare'`);
    const names = Object.entries(filters).filter(([name]) => /\b(one|rare|early|failed)\b/.test(name));
    assert.equal(names.length, 10);
    for (const [name, input] of names) {
      const ids = await idsOf(input());
      assert.ok(ids.includes(row!.id as string), name);
    }
  });
});
