import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { runKeyBattery } from '#test/callers/battery';
import { signInStaff } from '#test/callers/staff-session';
import { makeAddress, makeFunds, makeKey } from '#test/data/factories';
import { type RequestOptions, useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { publish } from '#test/worlds/rules';
import { addAddress } from '../change-book.ts';

const harness = useHarness();
const call = (method: string, path: string, options: RequestOptions) =>
  harness.request(method, `/api/addresses${path}`, options);
const propose = (options: RequestOptions, fields: object = {}) =>
  call('POST', '', { ...options, body: { address: makeAddress(), name: 'Payroll', ...fields } });
const confirm = (options: RequestOptions, id: string) => call('POST', `/${id}/confirm`, options);

const none = '/0198a6a0-0000-7000-8000-000000000001';
for (const [method, path, body] of [
  ['GET', '', undefined],
  ['POST', '', { address: makeAddress(), name: 'x' }],
  ['DELETE', none, undefined],
] as const) {
  runKeyBattery(harness, {
    title: `${method} /api/addresses${path.replace(none, '/…')}`,
    call: (options) => call(method, path, { ...options, ...(body && { body }) }),
    refusals: {
      missing: { status: 401, error: 'Unauthorized' },
      invalid: { status: 401, error: 'Unauthorized' },
      address: { status: 403, error: 'Forbidden: caller address is not on the allowlist of the key' },
    },
  });
}

/** A partner with a key that pays and manages, and people in finance. */
async function makeWorld() {
  const key = await makeKey(harness, { scopes: ['partner:admin', 'withdrawals:create'] });
  const { partnerId } = key;
  const at = (role: string) => signInStaff(harness, { role, partnerId });
  return { key, partnerId, at, ana: await at('finance'), rui: await at('owner') };
}

test('a stolen key that pays and manages reaches no new recipient until a person confirms it', async (t) => {
  const { key, ana } = await makeWorld();
  await makeFunds(harness, key.userId, 'polygon', 'USDT', '100');
  await publish(harness, [{ name: 'Known', verdict: 'allow', destinations: ['book'] }]);
  t.after(() => publish(harness, []));
  const address = makeAddress();
  const pay = async () => {
    const body = { amount: '1', to: address };
    return (await harness.request('POST', `/api/crypto/${key.userId}/withdraw`, { token: key.token, body }))
      .status;
  };
  const { status, body } = await propose(key, { address });
  assert.deepEqual([status, body.status, body.addedBy], [201, 'waiting', `key:${key.id}`], body.error);
  assert.equal(await pay(), 403);
  assert.equal((await confirm({ token: key.token }, body.id)).status, 401, 'no key confirms');
  assert.equal(await pay(), 403);
  const confirmed = await confirm(ana, body.id);
  assert.deepEqual([confirmed.status, confirmed.body.status], [200, 'usable'], confirmed.body.error);
  assert.equal(await pay(), 200);
  const removed = await call('DELETE', `/${confirmed.body.id}`, { token: key.token });
  assert.equal(removed.status, 200);
  assert.equal(await pay(), 403);
});

test('404 a proposal that is confirmed while somebody removes it: the address stays, and the answer says so', async () => {
  const { key } = await makeWorld();
  const { body } = await propose(key, { address: makeAddress() });
  const holder = new pg.Client({ connectionString: harness.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('delete from rule_address_proposals where id = $1', [body.id]);
  const removing = call('DELETE', `/${body.id}`, { token: key.token });
  await waitUntil('it waits', async () => {
    const waiting = await harness.deps.db.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  });
  await holder.query('commit');
  await holder.end();
  assert.equal((await removing).status, 404);
});

test('403 who proposed an address does not confirm it; a colleague does, and the log has both', async () => {
  const { ana, rui } = await makeWorld();
  const address = makeAddress();
  const { body } = await propose(ana, { address });
  assert.equal((await confirm(ana, body.id)).body.code, 'own_proposal');
  const { body: entry } = await confirm(rui, body.id);
  assert.equal(entry.addedBy, `person:${ana.person.id} person:${rui.person.id}`);
  const log = await harness.operator('audit.list', { subject: `address:${address.toLowerCase()}` });
  assert.deepEqual(
    log.body.data.items.map((row: Record<string, string>) => [row.action, row.actorId]).sort(),
    [
      ['addresses.add', rui.person.id],
      ['addresses.propose', ana.person.id],
    ],
  );
});

test('403 who issued the key that proposed an address does not confirm it', async () => {
  const { key, ana, rui } = await makeWorld();
  await harness.deps.db.query('update api_keys set issued_by = $2 where id = $1', [key.id, rui.person.id]);
  const { body } = await propose(key);
  assert.equal((await confirm(rui, body.id)).body.code, 'own_proposal');
  assert.equal((await confirm(ana, body.id)).status, 200);
});

test('409 a proposal of a revoked key, or of a person who was removed or lost the role', async () => {
  const { key, at, rui } = await makeWorld();
  const [gone, moved] = [await at('finance'), await at('finance')];
  const ids = [await propose(key), await propose(gone), await propose(moved)].map(({ body }) => body.id);
  await harness.operator('keys.revoke', { keyId: key.id });
  await harness.operator('people.remove', { personId: gone.person.id });
  await harness.operator('people.update', { personId: moved.person.id, role: 'developer' });
  for (const id of ids) assert.equal((await confirm(rui, id)).body.code, 'proposer_gone');
  const { body } = await call('GET', '', rui);
  assert.deepEqual(
    body.items.map(({ status }: { status: string }) => status),
    ['waiting', 'waiting', 'waiting'],
  );
});

test('409 a proposal of a suspended key; it counts again when the key is resumed', async () => {
  const { key, rui } = await makeWorld();
  const { id } = (await propose(key)).body;
  await harness.operator('keys.suspend', { keyId: key.id, reason: 'stolen' });
  assert.equal((await confirm(rui, id)).body.code, 'proposer_gone');
  await harness.operator('keys.resume', { keyId: key.id });
  assert.equal((await confirm(rui, id)).status, 200);
});

test('409 an address that is in the book or proposed already; the same on another network is another entry', async () => {
  const { key, ana, rui } = await makeWorld();
  const address = makeAddress();
  const { body } = await propose(ana, { address });
  assert.equal((await propose(key, { address })).body.code, 'address_known');
  assert.equal((await confirm(rui, body.id)).status, 200);
  assert.equal((await propose(key, { address })).body.code, 'address_known');
  assert.equal((await propose(key, { address, network: 'base' })).status, 201);
  assert.equal((await propose(key, { network: 'nowhere' })).status, 400);
  assert.equal((await propose(key, { address: '0x12' })).status, 400);
});

test('entries of the operator are shown without the operator’s name, and stay; those for all are not shown', async () => {
  const { key, partnerId } = await makeWorld();
  const ctx = harness.operatorContext();
  const { id } = await addAddress(ctx, { address: makeAddress(), name: 'Treasury', partnerId });
  await addAddress(ctx, { address: makeAddress(), name: 'Everybody’s' });
  const { body } = await call('GET', '', key);
  assert.deepEqual(
    body.items.map((one: Record<string, string>) => [one.id, one.addedBy, one.status]),
    [[id, 'operator', 'usable']],
  );
  assert.equal((await call('DELETE', `/${id}`, key)).body.code, 'added_by_operator');
});

test('404 entries and proposals of another partner, and malformed ids', async () => {
  const [mine, other] = [await makeWorld(), await makeWorld()];
  const { body } = await propose(other.ana);
  for (const id of [body.id, 'x', '%00']) {
    assert.equal((await confirm(mine.rui, id)).status, 404);
    assert.equal((await call('DELETE', `/${id}`, mine.key)).status, 404);
  }
  assert.deepEqual((await call('GET', '', mine.key)).body.items, []);
  assert.equal((await confirm(other.rui, body.id)).status, 200);
});

test('403 a developer, and people without token or confirmation', async () => {
  const { at, ana, rui } = await makeWorld();
  const { body } = await propose(ana);
  const developer = await at('developer');
  assert.equal((await confirm(developer, body.id)).body.code, 'other_staff_role');
  assert.equal((await propose(developer)).body.code, 'other_staff_role');
  const { cookie } = rui.headers;
  assert.equal((await confirm({ headers: { cookie: cookie! } }, body.id)).body.code, 'foreign_request');
  harness.advance(6 * 60_000);
  for (const answer of [await confirm(rui, body.id), await propose(rui)])
    assert.equal(answer.body.code, 'step_up_required');
});

test('pages go through entries and proposals by cursor', async () => {
  const { key, ana } = await makeWorld();
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push((await propose(key)).body.id);
  await confirm(ana, ids[1]!);
  const first = (await call('GET', '?limit=2', key)).body;
  const rest = (await call('GET', `?limit=2&cursor=${first.nextCursor}`, key)).body;
  assert.equal(first.items.length + rest.items.length, 3);
  assert.equal(rest.nextCursor, null);
});

test('409 the 101st address that waits, 429 the 31st request in ten seconds', async () => {
  const { key } = await makeWorld();
  await harness.deps.db.query(
    `insert into rule_address_proposals (partner_id, address, name, proposed_by, proposed_at)
     select $1, '0x' || lpad(n::text, 40, '0'), 'x', $2, now() from generate_series(1, 100) n`,
    [key.partnerId, `key:${key.id}`],
  );
  assert.equal((await propose(key)).body.code, 'too_many_proposals');
  const answers = await Promise.all(Array.from({ length: 31 }, () => call('GET', '', key)));
  assert.ok(answers.some(({ status }) => status === 429));
});
