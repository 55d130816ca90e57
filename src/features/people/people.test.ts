import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { hourMs } from '#platform/values/duration';
import { visit } from '#test/callers/visitor';
import { makeIntegration, makePartner } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { localhostOf, makePerson } from '#test/worlds/people';
import { invitePerson } from './invite-person.ts';
import { peopleJobs } from './jobs.ts';
import { texts } from './pages/texts.ts';
import { removePerson } from './remove-person.ts';

const harness = useHarness();
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const admin = { name: 'Bruno Costa', email: 'bruno@example.com', role: 'admin' };

test('200 people.invite: a link that works once within 72 hours, of which only the hash is stored', async () => {
  const { url, id } = await makePerson(harness);
  assert.match(url, /^http:\/\/localhost:\d+\/people\/invitation\/[A-Za-z0-9_-]{43}$/);
  const [row] = await sql('select * from person_invitations where person_id = $1', [id]);
  assert.ok(!JSON.stringify(row).includes(url.split('/').at(-1)!));
  const { status, text, headers } = await visit(url);
  assert.equal(status, 200);
  assert.match(text, /Create your passkey/);
  assert.match(
    headers.get('content-security-policy')!,
    /default-src 'none'.*script-src 'self'; connect-src 'self'/,
  );
  harness.advance(72 * hourMs + 1);
  const expired = await visit(url);
  assert.deepEqual([expired.status, /This invitation has expired/.test(expired.text)], [410, true]);
});

test('409 people.invite: the same email in another spelling; it may work for somebody else too', async () => {
  const { id: partnerId } = await makePartner(harness);
  assert.equal((await harness.operator('people.invite', admin)).status, 200);
  const again = await harness.operator('people.invite', { ...admin, email: ' BRUNO@Example.com' });
  assert.deepEqual([again.status, again.body.code], [409, 'person_exists']);
  const elsewhere = { ...admin, role: 'owner', partnerId };
  assert.equal((await harness.operator('people.invite', elsewhere)).status, 200);
});

test('400 people.invite: a role of another kind of staff, two employers, not an email', async () => {
  const { id: partnerId } = await makePartner(harness);
  const { id: integrationId } = await makeIntegration(harness);
  for (const [input, code] of [
    [{ role: 'owner' }, 'wrong_role'],
    [{ role: 'admin', partnerId }, 'wrong_role'],
    [{ role: 'finance', integrationId }, 'wrong_role'],
    [{ role: 'sign-in' }, 'invalid_request'],
    [{ role: 'owner', partnerId, integrationId }, 'one_employer'],
    [{ email: 'nobody' }, 'invalid_email'],
  ] as const) {
    const { status, body } = await harness.operator('people.invite', {
      ...admin,
      email: 'x@example.com',
      ...input,
    });
    assert.deepEqual([status, body.code], [400, code], JSON.stringify(input));
  }
  for (const input of [{ partnerId: randomUUID() }, { integrationId: randomUUID() }]) {
    const { status } = await harness.operator('people.invite', { ...admin, role: 'owner', ...input });
    assert.equal(status, 404);
  }
});

test('200 people.remove: the open invitation ends, and the email may be invited again', async () => {
  const { id, url, email } = await makePerson(harness);
  const { body } = await harness.operator('people.remove', { personId: id });
  assert.ok(body.data.removedAt);
  assert.equal((await visit(url)).status, 404);
  assert.equal((await harness.operator('people.remove', { personId: id })).status, 404);
  assert.equal((await harness.operator('people.invite', { ...admin, email })).status, 200);
});

test('two administrators who remove each other at once: one remains', async () => {
  const [ana, bruno] = [await makePerson(harness), await makePerson(harness)];
  const as = (personId: string) => {
    const ctx = harness.operatorContext();
    return { ...ctx, actor: { ...ctx.actor, personId } };
  };
  const outcomes = await Promise.allSettled([
    removePerson(as(ana.id), { personId: bruno.id }),
    removePerson(as(bruno.id), { personId: ana.id }),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const left = await sql('select id from people where removed_at is null and id = any ($1)', [
    [ana.id, bruno.id],
  ]);
  assert.equal(left.length, 1);
});

test('200 people.list, people.show: staff of a partner, and no secret of anybody', async () => {
  const { id: partnerId } = await makePartner(harness);
  const { person } = await invitePerson(harness.operatorContext(), { ...admin, role: 'finance', partnerId });
  const { body } = await harness.operator('people.list', { partnerId });
  assert.deepEqual(
    body.data.items.map(({ id, kind, role, canSignIn }: Record<string, unknown>) => [
      id,
      kind,
      role,
      canSignIn,
    ]),
    [[person.id, 'partner', 'finance', false]],
  );
  const shown = await harness.operator('people.show', { personId: person.id });
  assert.ok(shown.body.data.invitationEndsAt);
  assert.deepEqual([shown.body.data.passkeys, shown.body.data.sessions], [[], []]);
});

test('a page that is opened by the address of the machine leads to the name that passkeys work for', async () => {
  const { status, headers } = await visit(`${harness.url}/people/sign-in`);
  assert.deepEqual([status, headers.get('location')], [302, `${localhostOf(harness)}/people/sign-in`]);
});

test('403 a ceremony that another site begins', async () => {
  const { status, body } = await harness.request('POST', '/people/sign-in/options', {
    body: {},
    headers: { origin: 'https://evil.example' },
  });
  assert.deepEqual([status, body.code], [403, 'foreign_request']);
});

test('the sweep deletes challenges that expired, and sessions a day after their end', async () => {
  await harness.request('POST', '/people/sign-in/options', { body: {} });
  const { id } = await makePerson(harness);
  await sql(
    `insert into person_sessions (secret_sha256, person_id, created_at, last_seen_at, asserted_at, expires_at)
     select sha256('a test'), $1, t, t, t, t from (values ($2::timestamptz)) as v (t)`,
    [id, harness.deps.clock()],
  );
  const sweep = () => peopleJobs[0]!.run(harness.deps);
  await sweep();
  const count = async (table: string) => (await sql(`select 1 from ${table}`)).length;
  assert.deepEqual([await count('person_challenges'), await count('person_sessions')], [1, 1]);
  harness.advance(25 * hourMs);
  await sweep();
  assert.deepEqual([await count('person_challenges'), await count('person_sessions')], [0, 0]);
});

test('the sweep deletes invitations 30 days after they expired; until then they are answered as expired', async () => {
  const { url } = await invitePerson(harness.operatorContext(), { ...admin, email: 'late@example.com' });
  const sweep = () => peopleJobs[0]!.run(harness.deps);
  harness.advance((72 + 29 * 24) * hourMs);
  await sweep();
  assert.equal((await visit(url)).status, 410);
  harness.advance(25 * hourMs);
  await sweep();
  assert.equal((await visit(url)).status, 404);
});

test('both languages say everything, each in its own words', async () => {
  const flatten = (value: unknown, path = ''): [string, unknown][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => flatten(inner, `${path}.${key}`))
      : [[path, value]];
  const [en, pt] = [new Map(flatten(texts.en)), new Map(flatten(texts['pt-BR']))];
  assert.deepEqual([...pt.keys()], [...en.keys()]);
  const same = [...en].filter(([path, text]) => typeof text === 'string' && pt.get(path) === text);
  assert.deepEqual(same, []);
  const { text } = await visit(`${localhostOf(harness)}/people/sign-in`, {
    headers: { 'accept-language': 'pt' },
  });
  assert.match(text, /<html lang="pt-BR">[\s\S]*Entrar com chave de acesso/);
});
