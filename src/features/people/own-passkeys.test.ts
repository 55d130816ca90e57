import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { signInStaff } from '#test/callers/staff-session';
import { useHarness } from '#test/harness';

const harness = useHarness();

async function makePasskeys(personId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomBytes(16));
  for (const id of ids)
    await harness.deps.db.query(
      `insert into person_passkeys (credential_id, person_id, public_key, counter, transports, is_backed_up, created_at)
       values ($1, $2, '\\x00', 0, '{}', false, now())`,
      [id, personId],
    );
  return ids.map((id) => id.toString('base64url'));
}

type Staff = Awaited<ReturnType<typeof signInStaff>>;

/** As the form on the page of the account sends it. */
async function remove(
  { headers }: Staff,
  passkeyId: string,
  csrf = headers['x-csrf-token']!,
): Promise<number> {
  const answer = await fetch(`${harness.url}/people/passkeys/${passkeyId}/remove`, {
    method: 'POST',
    headers: { cookie: headers.cookie!, 'content-type': 'application/x-www-form-urlencoded' },
    body: `csrf=${encodeURIComponent(csrf)}`,
    redirect: 'manual',
  });
  return answer.status;
}

const left = async ({ person }: Staff) =>
  (await harness.operator('people.show', { personId: person.id })).body.data;

test('a person removes one of two passkeys, which ends other sessions; the last one stays', async () => {
  const ana = await signInStaff(harness, { role: 'admin' });
  const [lost, kept] = await makePasskeys(ana.person.id, 2);
  await harness.deps.db.query(
    `insert into person_sessions (secret_sha256, person_id, created_at, last_seen_at, asserted_at, expires_at)
     values ($1, $2, now(), now(), now(), now() + interval '1 hour')`,
    [randomBytes(32), ana.person.id],
  );
  assert.equal((await left(ana)).sessions.length, 2);
  assert.equal(await remove(ana, lost!), 303);
  const { passkeys, sessions } = await left(ana);
  assert.deepEqual([passkeys.length, sessions.length], [1, 1]);
  assert.equal(await remove(ana, lost!), 404);
  assert.equal(await remove(ana, kept!), 409);
  const log = await harness.operator('audit.list', { action: 'people.remove-passkey' });
  assert.deepEqual(
    log.body.data.items.map((row: Record<string, string>) => row.actorId),
    [ana.person.id],
  );
});

test('of two passkeys that are removed at the same time, one stays', async () => {
  const ana = await signInStaff(harness, { role: 'admin' });
  const ids = await makePasskeys(ana.person.id, 2);
  const statuses = await Promise.all(ids.map((id) => remove(ana, id)));
  assert.deepEqual(statuses.sort(), [303, 409]);
});

test('404 a passkey of somebody else, 403 without the token or a confirmation', async () => {
  const [ana, rui] = [await signInStaff(harness, {}), await signInStaff(harness, {})];
  const [foreign] = await makePasskeys(rui.person.id, 2);
  const [own] = await makePasskeys(ana.person.id, 2);
  assert.equal(await remove(ana, foreign!), 404);
  assert.equal(await remove(ana, own!, 'x'), 403);
  harness.advance(6 * 60_000);
  assert.equal(await remove(ana, own!), 403);
  assert.equal((await left(ana)).passkeys.length, 2);
});

test('a refused sign-in is counted and logged, and leaves no row in the audit log', async () => {
  const figure = async () => {
    const { body } = await harness.request('GET', '/metrics');
    return Number(/causeway_sign_ins_refused_total\{way="passkey"\} (\d+)/.exec(String(body))?.[1] ?? 0);
  };
  const count = async () => (await harness.deps.db.query('select from audit_log')).length;
  const [refused, rows] = [await figure(), await count()];
  const bytes = randomBytes(16).toString('base64url');
  const response = { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes };
  const body = { id: bytes, rawId: bytes, type: 'public-key', clientExtensionResults: {}, response };
  const answer = await harness.request('POST', '/people/sign-in', { body });
  assert.deepEqual([answer.status, answer.body.code], [400, 'passkey_refused']);
  assert.deepEqual([await figure(), await count()], [refused + 1, rows]);
});
