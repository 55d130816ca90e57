import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import type { IssuedKey } from '../issue-key.ts';

const harness = useHarness();
const scopes = ['partner:admin', 'history:read', 'events:read'];
const makeAdmin = (terms: Parameters<typeof makeKey>[1] = {}) => makeKey(harness, { scopes, ...terms });

async function call(path: string, { token }: Pick<IssuedKey, 'token'>, body: object = {}) {
  const answer = await harness.request('POST', `/api/keys${path}`, { token, body });
  if (answer.body.token) noteSecret(answer.body.token.split('_')[2]);
  return answer;
}
const issue = async (by: IssuedKey, fields: object = {}): Promise<IssuedKey> =>
  (await call('', by, { name: 'child', scopes: ['history:read'], ...fields })).body;

async function rotateByOperator(keyId: string): Promise<IssuedKey> {
  const { data } = (await harness.operator('keys.rotate', { keyId })).body;
  noteSecret(data.token.split('_')[2]);
  return data;
}

const works = async ({ token }: Pick<IssuedKey, 'token'>) =>
  (await harness.request('GET', '/api/crypto/assets', { token })).status === 200;
const revoke = (keyId: string) => harness.operator('keys.revoke', { keyId });
const revokedAt = async (keyId: string) =>
  (await harness.deps.db.query('select revoked_at from api_keys where id = $1', [keyId]))[0]!.revoked_at;

/** Keys of the same partner, without the time that issuing them takes. */
const fill = (like: IssuedKey, count: number, issuedBy: string | null = null) =>
  harness.deps.db.query(
    `insert into api_keys (id, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at, issued_by_key)
     select substr(translate(md5($1 || n), '0189', 'wxyz'), 1, 16), secret_sha256, 'filler', partner_id, user_id, scopes,
       ip_allowlist, created_at, $3
     from api_keys, generate_series(1, $2::integer) n where id = $1`,
    [like.id, count, issuedBy],
  );

test('revoking the successor of a key also ends what the former one issued', async () => {
  const admin = await makeAdmin();
  const child = await issue(admin);
  const successor = await rotateByOperator(admin.id);
  await revoke(successor.id);
  assert.ok(!(await works(child)));
  assert.ok(await works(admin), 'the former key works until the overlap ends');
});

test('a child that another key rotated still ends with the key that issued it', async () => {
  const admin = await makeAdmin();
  const other = await makeAdmin({ partnerId: admin.partnerId, userId: admin.userId });
  const child = await issue(admin);
  const { body: successor, status } = await call(`/${child.id}/rotate`, other);
  assert.equal(status, 201, successor.error);
  await revoke(admin.id);
  assert.ok(!(await works(successor)));
  assert.ok(await works(other));
});

test('an expired child is revoked without an event', async () => {
  const admin = await makeAdmin();
  const reader = await makeKey(harness, { partnerId: admin.partnerId, userId: admin.userId });
  const child = await issue(admin, { expiresAt: new Date(+harness.deps.clock() + 1_000).toISOString() });
  harness.advance(2_000);
  await revoke(admin.id);
  assert.ok(await revokedAt(child.id));
  assert.ok(await works(reader));
  const events = await harness.deps.db.query('select from event_records where resource = $1', [
    `key:${child.id}`,
  ]);
  assert.equal(events.length, 0);
});

/** Statements that lock keys wait, and this many do. */
const untilBlocked = (count: number) =>
  waitUntil(`${count} wait`, async () => {
    const waiting = await harness.deps.db.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%rotated_from%for update%'
         and datname = current_database()`,
    );
    return waiting.length === count;
  });

test('a child that is rotated while the revocation waits for it ends, too', async () => {
  const admin = await makeAdmin();
  const child = await issue(admin);
  let waiting: Promise<unknown> | undefined;
  const successor = 'abcdefghijklmnop';
  await harness.deps.db.transaction(async (db) => {
    await db.query('select from api_keys where id = $1 for update', [child.id]);
    waiting = revoke(admin.id);
    await untilBlocked(1);
    await db.query(
      `insert into api_keys (id, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at, rotated_from,
         issued_by_key)
       select $2, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at, id, issued_by_key
       from api_keys where id = $1`,
      [child.id, successor],
    );
  });
  await waiting;
  assert.ok(await revokedAt(successor));
});

test('a key that rotates its child while it is revoked does not deadlock with that', async () => {
  const admin = await makeAdmin();
  // A rotation locks the lesser id first, which must be that of the child.
  const child = { id: '2222222222222222' };
  await harness.deps.db.query(
    `insert into api_keys (id, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at, issued_by_key)
     select $2, secret_sha256, name, partner_id, user_id, '{history:read}', ip_allowlist, created_at, id
     from api_keys where id = $1`,
    [admin.id, child.id],
  );
  const answers = await harness.deps.db.transaction(async (db) => {
    await db.query('select from api_keys where id = $1 for update', [child.id]);
    const rotation = call(`/${child.id}/rotate`, admin);
    await untilBlocked(1);
    const revocation = revoke(admin.id);
    await untilBlocked(2);
    return [rotation, revocation] as const;
  });
  const [rotated, revoked] = await Promise.all(answers);
  assert.deepEqual([rotated.status, revoked.status], [201, 200]);
  assert.ok(!(await works(rotated.body)));
});

test('a key with 1,200 children is revoked with all of them, each in the log', async () => {
  const admin = await makeAdmin();
  await fill(admin, 1_200, admin.id);
  const { status } = await revoke(admin.id);
  assert.equal(status, 200);
  const [left] = await harness.deps.db.query(
    `select count(*) filter (where revoked_at is null)::integer as working,
       (select count(*)::integer from audit_log l join api_keys c on l.subject = 'key:' || c.id
        where c.issued_by_key = $1 and l.action = 'keys.revoke') as logged
     from api_keys where issued_by_key = $1`,
    [admin.id],
  );
  assert.deepEqual(left, { working: 0, logged: 1_200 });
});

test('409 rotating with an overlap at 100 keys that work; without one it replaces', async () => {
  const admin = await makeAdmin();
  const child = await issue(admin);
  await fill(admin, 98);
  const refused = await call(`/${child.id}/rotate`, admin, { overlapHours: 1 });
  assert.deepEqual([refused.status, refused.body.code], [409, 'too_many_keys']);
  assert.equal((await call(`/${child.id}/rotate`, admin, { overlapHours: 0 })).status, 201);
});

test('suspending a key suspends what it and its predecessor issued; resuming it resumes just these', async () => {
  const admin = await makeAdmin();
  const [early, alone] = [await issue(admin), await issue(admin)];
  const successor = await rotateByOperator(admin.id);
  const late = await issue(successor);
  await harness.operator('keys.suspend', { keyId: alone.id, reason: 'another' });
  await harness.operator('keys.suspend', { keyId: successor.id, reason: 'stolen' });
  for (const key of [early, alone, late, successor]) assert.ok(!(await works(key)));
  assert.ok(await works(admin));
  await harness.operator('keys.resume', { keyId: successor.id });
  for (const key of [early, late, successor]) assert.ok(await works(key));
  assert.ok(!(await works(alone)));
  const log = await harness.operator('audit.list', { subject: `key:${early.id}` });
  assert.deepEqual(log.body.data.items.map(({ action }: { action: string }) => action).sort(), [
    'keys.issue',
    'keys.resume',
    'keys.suspend',
  ]);
});

test('a child that is suspended once more, alone, stays so when its issuer is resumed', async () => {
  const admin = await makeAdmin();
  const child = await issue(admin);
  await harness.operator('keys.suspend', { keyId: admin.id, reason: 'stolen' });
  await harness.operator('keys.suspend', { keyId: child.id, reason: 'this one, too' });
  await harness.operator('keys.resume', { keyId: admin.id });
  assert.deepEqual([await works(admin), await works(child)], [true, false]);
});
