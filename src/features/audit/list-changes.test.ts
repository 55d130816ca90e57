import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { makeAddress, makeKey, makePartner, makeWithdrawal } from '#test/data/factories';
import { countRowsRead } from '#test/database/rows-read';
import { useHarness } from '#test/harness';
import { listChanges } from './list-changes.ts';

const harness = useHarness();
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

before(async () => {
  for (let made = 0; made < 3; made++) await makePartner(harness);
});

interface Item {
  id: string;
  at: string;
  actorKind: string;
  actorId: string;
  action: string;
  subject: string;
  after: Record<string, unknown>;
}

async function list(input: object): Promise<{ items: Item[]; nextCursor: string | null }> {
  const { status, body } = await harness.operator('audit.list', input);
  assert.equal(status, 200, body.error);
  return body.data;
}

async function readAll(input: object, between = async () => {}): Promise<Item[]> {
  const seen: Item[] = [];
  let cursor: string | null = null;
  do {
    const page = await list({ ...input, ...(cursor && { cursor }) });
    seen.push(...page.items);
    cursor = page.nextCursor;
    await between();
  } while (cursor);
  return seen;
}

/** A row of the chain by any actor. */
const append = (actorId: string, at = harness.deps.clock()) =>
  sql('select audit_append($1::json, $2::text[])', [
    JSON.stringify([{ at, actorKind: 'key', actorId, action: 'cards.reveal', before: null, after: null }]),
    [`card:${randomUUID()}`],
  ]);

const idOf = async (bulkId: string) => {
  const [row] = await sql('select id from withdrawals where bulk_id = $1', [bulkId]);
  return row!.id as string;
};

test('200 audit.list: a withdrawal is under its key, once, with who asked for it', async () => {
  const key = await makeKey(harness);
  const to = makeAddress();
  const ask = () =>
    harness.request('POST', `/api/crypto/${key.userId}/withdraw`, {
      token: key.token,
      headers: { 'idempotency-key': 'once' },
      body: { amount: '2.50', to, externalId: 'order 7' },
    });
  const { body, headers } = await ask();
  assert.equal((await ask()).headers.get('idempotency-replayed'), 'true');
  const refused = await harness.request('POST', `/api/crypto/${key.userId}/withdraw`, {
    token: key.token,
    body: { amount: '0', to },
  });
  assert.equal(refused.status, 400);
  const { bulkId } = body.data;
  const id = await idOf(bulkId);
  const { items } = await list({ actor: key.id });
  assert.equal(items.length, 1);
  const { at, after, ...rest } = items[0]!;
  assert.deepEqual(rest, {
    id,
    actorKind: 'key',
    actorId: key.id,
    action: 'withdrawals.create',
    subject: `withdrawal:${id}`,
    before: null,
  });
  const { toAddress, ...facts } = after;
  assert.equal(String(toAddress).toLowerCase(), to);
  assert.deepEqual(facts, {
    bulkId,
    partnerId: key.partnerId,
    userId: key.userId,
    network: 'polygon',
    currency: 'USDT',
    amount: '2.5',
    externalId: 'order 7',
    callerAddress: '127.0.0.1',
    requestId: headers.get('x-request-id'),
  });
  assert.equal(new Date(at).toISOString(), at);
});

test('200 audit.list: by action and by subject; the life of a withdrawal, from its request to its cancellation', async () => {
  const key = await makeKey(harness);
  const id = await idOf(await makeWithdrawal(harness, key));
  await harness.operator('withdrawals.cancel', { withdrawalId: id, reason: 'a test' });
  const subject = `withdrawal:${id}`;
  const actions = async (input: object) =>
    (await list({ subject, ...input })).items.map(({ action }) => action);
  assert.deepEqual(await actions({}), ['withdrawals.cancel', 'withdrawals.create']);
  assert.deepEqual(await actions({ action: 'withdrawals.create' }), ['withdrawals.create']);
  assert.deepEqual(await actions({ action: 'withdrawals.cancel' }), ['withdrawals.cancel']);
  assert.deepEqual(await actions({ actor: key.id }), ['withdrawals.create']);
  assert.deepEqual(await actions({ actor: 'tester' }), ['withdrawals.cancel']);
  assert.deepEqual(await actions({ actor: 'somebody' }), []);
  assert.deepEqual((await list({ subject: 'withdrawal:x' })).items, []);
  assert.deepEqual((await list({ subject: `user:${id}` })).items, []);
});

test('200 audit.list: without an actor, a subject or their action, withdrawals do not bury the changes of operators', async () => {
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  const { items } = await list({ limit: 200 });
  assert.ok(items.length > 0);
  assert.ok(items.every(({ action }) => action !== 'withdrawals.create'));
  const created = await list({ action: 'withdrawals.create', limit: 200 });
  assert.ok(created.items.some(({ actorId }) => actorId === key.id));
  assert.ok(created.items.every(({ action }) => action === 'withdrawals.create'));
});

test('200 audit.list: a withdrawal by a rule of a user is under its job', async () => {
  const key = await makeKey(harness);
  const id = await idOf(await makeWithdrawal(harness, key));
  await harness.deps.db.transaction(async (db) => {
    await db.query('set local session_replication_role = replica');
    await db.query(
      `update withdrawals set key_id = 'cards.a-job', partner_id = (select id from partners where is_house) where id = $1`,
      [id],
    );
  });
  const [item] = (await list({ actor: 'cards.a-job' })).items;
  assert.deepEqual([item!.id, item!.actorKind], [id, 'worker']);
});

for (const limit of [1, 2, 3, 50]) {
  test(`200 audit.list: pages of ${limit} with both kinds, each once, newest first, while rows are written`, async () => {
    const key = await makeKey(harness);
    const expected: string[] = [];
    for (const isCreation of [false, true, true, false, false, true]) {
      if (isCreation) expected.unshift(await idOf(await makeWithdrawal(harness, key)));
      else {
        await append(key.id);
        const [row] = await sql('select max(id)::text as id from audit_log where actor_id = $1', [key.id]);
        expected.unshift(row!.id as string);
      }
      // Two rows of one millisecond have no order.
      harness.advance(5);
    }
    const seen = await readAll({ actor: key.id, limit }, async () => {
      await makeWithdrawal(harness, key);
      await append(key.id);
    });
    assert.deepEqual(
      seen.map(({ id }) => id),
      expected,
    );
  });
}

test('200 audit.list: each row once although the clocks of servers differ', async () => {
  const key = await makeKey(harness);
  const now = Date.now();
  for (const offsetMs of [0, -50_000, 20_000, -10_000, 40_000]) {
    await append(key.id, new Date(now + offsetMs));
    harness.advance(offsetMs);
    await makeWithdrawal(harness, key);
    harness.advance(-offsetMs);
  }
  const seen = await readAll({ actor: key.id, limit: 1 });
  assert.equal(seen.length, 10);
  assert.equal(new Set(seen.map(({ id }) => id)).size, 10);
});

test('200 audit.list: by the period, to the millisecond, also with a filter', async () => {
  const key = await makeKey(harness);
  const withdrawalId = await idOf(await makeWithdrawal(harness, key));
  const [{ id: partnerId }] = [await makePartner(harness)];
  for (const filter of [
    { subject: `withdrawal:${withdrawalId}` },
    { subject: `partner:${partnerId}` },
    { subject: `partner:${partnerId}`, actor: 'tester', action: 'partners.create' },
  ]) {
    const [item] = (await list(filter)).items;
    const at = (ms: number) => new Date(Date.parse(item!.at) + ms).toISOString();
    const count = async (period: object) => (await list({ ...filter, ...period })).items.length;
    assert.equal(await count({ startDate: at(0), endDate: at(0) }), 1);
    assert.equal(await count({ startDate: at(1) }), 0);
    assert.equal(await count({ endDate: at(-1) }), 0);
    assert.equal(await count({ startDate: at(0).slice(0, 10), endDate: at(0).slice(0, 10) }), 1);
  }
  const none = await list({ startDate: '2020-01-01', endDate: '2020-12-31' });
  assert.deepEqual(none, { items: [], nextCursor: null });
});

for (const [field, input] of [
  ['actor', { actor: '' }],
  ['actor', { actor: 'a\nb' }],
  ['startDate', { startDate: 'yesterday' }],
  ['endDate', { endDate: '2026-02-30' }],
  ['startDate', { startDate: '2026-02-02', endDate: '2026-02-01' }],
] as const) {
  test(`400 audit.list: ${JSON.stringify(input)}`, async () => {
    const { status, body } = await harness.operator('audit.list', input);
    assert.deepEqual([status, body.details[0].field], [400, field]);
  });
}

test('400 cursor is not from this list: with other filters; 200: a cursor of the release before', async () => {
  const key = await makeKey(harness);
  for (let made = 0; made < 2; made++) await makeWithdrawal(harness, key);
  const { nextCursor: cursor } = await list({ actor: key.id, limit: 1 });
  for (const filter of [{}, { actor: 'tester' }, { actor: key.id, action: 'withdrawals.create' }]) {
    const { status, body } = await harness.operator('audit.list', { ...filter, cursor });
    assert.deepEqual([status, body.error], [400, 'cursor is not from this list']);
  }
  const old = Buffer.from('audit.list 3').toString('base64url');
  assert.deepEqual(
    (await list({ cursor: old })).items.map(({ id }) => id),
    ['2', '1'],
  );
});

test('a page reads few rows of a long log', async () => {
  const count = 20_000;
  await append('rare', new Date(Date.now() - 40 * 86_400_000));
  const changes = Array.from({ length: count }, (_, n) => ({
    at: new Date(Date.now() - (count - n) * 120_000),
    actorKind: 'operator',
    actorId: 'common',
    action: 'a.common',
    before: null,
    after: { n },
  }));
  await sql('select audit_append($1::json, $2::text[])', [
    JSON.stringify(changes),
    changes.map((_, n) => `x:${n}`),
  ]);
  const few = await makeKey(harness);
  await sql('analyze audit_log');
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const perDay = 720;
  for (const [input, rowsMax] of [
    [{}, 100],
    [{ actor: 'rare' }, 100],
    [{ actor: 'common' }, 100],
    [{ actor: few.id }, 100],
    [{ actor: 'common', action: 'a.common' }, 100],
    [{ startDate: day(20), endDate: day(20) }, 4 * perDay],
    [{ endDate: day(41) }, 4 * perDay],
    [{ startDate: day(1) }, 4 * perDay],
  ] as const) {
    const rows = await countRowsRead(harness.deps.db, (db) =>
      listChanges({ ...harness.operatorContext(), db }, { limit: 20, ...input }),
    );
    assert.ok(rows <= rowsMax, `${JSON.stringify(input)}: ${rows} rows`);
  }
});
