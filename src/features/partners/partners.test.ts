import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePartner, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { selectUserAccess } from './index.ts';

const harness = useHarness();
const call = (command: string, input?: unknown) => harness.operator(`partners.${command}`, input);
const unknownId = '0198a0de-ffff-7000-8000-000000000000';

test('200 partners.create: an id, the name and the instant', async () => {
  const name = 'Pay Oceano – 支付 🌊';
  const { status, body } = await call('create', { name });
  assert.equal(status, 200);
  assert.match(body.data.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.equal(body.data.name, name);
  assert.ok(Math.abs(Date.parse(body.data.createdAt) - Date.now()) < 10_000);
  const [row] = await harness.deps.db.query<{ name: string }>('select name from partners where id = $1', [
    body.data.id,
  ]);
  assert.equal(row!.name, name);
});

for (const [field, input] of [
  ['name', {}],
  ['name', { name: '' }],
  ['name', { name: 'x'.repeat(201) }],
  ['name', { name: 'a bell \u0007' }],
  ['name', { name: '\u001b[31mred' }],
  ['name', { name: ['Partner'] }],
  ['id', { name: 'Partner', id: unknownId }],
] as const) {
  test(`400 partners.create: ${JSON.stringify(input).slice(0, 40)}`, async () => {
    const { status, body } = await call('create', input);
    assert.equal(status, 400);
    assert.equal(body.details[0].field, field);
  });
}

test('200 partners.allow-user, disallow-user: twice is once, and each change is in the audit log', async () => {
  const [{ id: partnerId }, { id: userId }] = [await makePartner(harness), await makeUser(harness)];
  const isAllowed = async () => (await selectUserAccess(harness.deps.db, partnerId, userId)) === 'allowed';
  assert.equal(await isAllowed(), false, 'nobody is on a new list');
  for (const pair of [
    { partnerId, userId },
    { partnerId: partnerId.toUpperCase(), userId: userId.toUpperCase() },
  ]) {
    const { status, body } = await call('allow-user', pair);
    assert.deepEqual([status, body.data], [200, { partnerId, userId, allowed: true }]);
    assert.equal(await isAllowed(), true);
  }
  for (let time = 0; time < 2; time++) {
    const { status, body } = await call('disallow-user', { partnerId, userId });
    assert.deepEqual([status, body.data], [200, { partnerId, userId, allowed: false }]);
    assert.equal(await isAllowed(), false);
  }
  const { items } = (await harness.operator('audit.list', { subject: `partner:${partnerId}` })).body.data;
  assert.deepEqual(
    items
      .map(({ action, before, after }: Record<string, unknown>) => ({ action, before, after }))
      .slice(0, 2),
    [
      { action: 'partners.disallow-user', before: { userId }, after: null },
      { action: 'partners.allow-user', before: null, after: { userId } },
    ],
  );
  assert.equal(items.length, 3, 'and the creation');
});

/** Every item of a list; between two pages, something else happens. */
async function readPages(command: string, input: object, meanwhile: () => Promise<unknown>) {
  const seen: Record<string, string>[] = [];
  let cursor: string | null = null;
  do {
    const page: object = { ...input, ...(cursor && { cursor }) };
    const { status, body } = await call(command, page);
    assert.equal(status, 200, body.error);
    seen.push(...body.data.items);
    cursor = body.data.nextCursor;
    if (seen.length < 40) await meanwhile();
  } while (cursor);
  return seen;
}

test('200 partners.list: each once, oldest first, page by page, while partners are created', async () => {
  const made: string[] = [];
  for (let at = 0; at < 11; at++) made.push((await makePartner(harness, `Listed ${at}`)).id);
  const seen = await readPages('list', { limit: 3 }, () => makePartner(harness));
  assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length, 'none twice');
  const found = seen.filter(({ id }) => made.includes(id!));
  assert.deepEqual(
    found.map(({ id, name }) => [id, name]),
    made.map((id, at) => [id, `Listed ${at}`]),
    'none left out, in the order in which they were made',
  );
  for (const { createdAt } of found) assert.ok(Math.abs(Date.parse(createdAt!) - Date.now()) < 10_000);
});

test('200 partners.list-users: each once, page by page, while users come and go; no other partner’s', async () => {
  const [{ id: partnerId }, other] = [await makePartner(harness), await makePartner(harness)];
  const allow = async (partnerId: string) => {
    const user = await makeUser(harness);
    await call('allow-user', { partnerId, userId: user.id });
    return user;
  };
  const made = [];
  for (let at = 0; at < 11; at++) made.push(await allow(partnerId));
  const [leaving, stranger] = [await allow(partnerId), await allow(other.id)];
  const seen = await readPages('list-users', { partnerId: partnerId.toUpperCase(), limit: 3 }, async () => {
    await allow(partnerId);
    await call('disallow-user', { partnerId, userId: leaving.id });
  });
  assert.equal(new Set(seen.map(({ userId }) => userId)).size, seen.length, 'none twice');
  for (const { id, email } of made) {
    const found = seen.find(({ userId }) => userId === id);
    assert.equal(found?.email, email, 'none left out');
    assert.ok(Math.abs(Date.parse(found!.allowedAt!) - Date.now()) < 10_000);
  }
  assert.ok(!seen.some(({ userId }) => userId === stranger.id));
  const empty = await call('list-users', { partnerId: (await makePartner(harness)).id });
  assert.deepEqual(empty.body.data, { items: [], nextCursor: null });
});

test('404 partners.list-users: Partner not found', async () => {
  const { status, body } = await call('list-users', { partnerId: unknownId });
  assert.deepEqual([status, body.error, body.code], [404, 'Partner not found', 'partner_not_found']);
});

test('400 partners.list-users: a cursor of another partner’s list', async () => {
  const [one, other] = [await makePartner(harness), await makePartner(harness)];
  for (let at = 0; at < 2; at++) {
    const { id: userId } = await makeUser(harness);
    for (const { id: partnerId } of [one, other]) await call('allow-user', { partnerId, userId });
  }
  const cursor = (await call('list-users', { partnerId: one.id, limit: 1 })).body.data.nextCursor;
  assert.equal((await call('list-users', { partnerId: one.id, cursor })).body.data.items.length, 1);
  const { status, body } = await call('list-users', { partnerId: other.id, cursor });
  assert.deepEqual([status, body.error], [400, 'cursor is not from this list']);
});

test('a list belongs to one partner: what another one allows does not count', async () => {
  const [one, other, user] = [
    await makePartner(harness),
    await makePartner(harness),
    await makeUser(harness),
  ];
  await call('allow-user', { partnerId: one.id, userId: user.id });
  assert.equal(await selectUserAccess(harness.deps.db, one.id, user.id), 'allowed');
  assert.equal(await selectUserAccess(harness.deps.db, other.id, user.id), 'refused');
});

for (const command of ['allow-user', 'disallow-user']) {
  test(`404 partners.${command}: Partner not found, User not found`, async () => {
    const [partner, user] = [await makePartner(harness), await makeUser(harness)];
    const noPartner = await call(command, { partnerId: unknownId, userId: user.id });
    assert.deepEqual(
      [noPartner.status, noPartner.body.error, noPartner.body.code],
      [404, 'Partner not found', 'partner_not_found'],
    );
    const noUser = await call(command, { partnerId: partner.id, userId: unknownId });
    assert.deepEqual(
      [noUser.status, noUser.body.error, noUser.body.code],
      [404, 'User not found', 'user_not_found'],
    );
  });

  test(`400 partners.${command}: every field that is missing or malformed is named`, async () => {
    const { status, body } = await call(command, { partnerId: 'p-1' });
    assert.equal(status, 400);
    assert.deepEqual(body.details.map(({ field }: { field: string }) => field).sort(), [
      'partnerId',
      'userId',
    ]);
  });
}
