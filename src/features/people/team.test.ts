import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInStaff } from '#test/callers/staff-session';
import { makeIntegration, makePartner } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { makePerson } from '#test/worlds/people';

const harness = useHarness();

/** A signed-in person, by a session that began just now. */
async function signedIn(given: Parameters<typeof makePerson>[1]) {
  const { person, headers } = await signInStaff(harness, given);
  const call = async (name: string, body: object = {}, more: Record<string, string> = {}) => {
    const answer = await harness.request('POST', `/people/team/${name}`, {
      body,
      headers: { ...headers, ...more },
    });
    if (answer.body.data?.url) noteSecret(answer.body.data.url.split('/').at(-1));
    return answer;
  };
  return { person, call };
}

let made = 0;
const colleague = (role: string) => {
  made += 1;
  return { name: 'Rui Lima', email: `rui-${made}@example.org`, role };
};

for (const [kind, makeEmployer] of [
  ['partner', async () => ({ partnerId: (await makePartner(harness)).id })],
  ['integration', async () => ({ integrationId: (await makeIntegration(harness)).id })],
] as const) {
  test(`200 an owner at a ${kind} invites, changes and removes colleagues; others see the team`, async () => {
    const employer = await makeEmployer();
    const owner = await signedIn({ role: 'owner', ...employer });
    const { status, body } = await owner.call('invite', colleague('developer'));
    assert.equal(status, 200, body.error);
    const { person } = body.data;
    assert.deepEqual([person.kind, person.role], [kind, 'developer']);
    assert.deepEqual(
      [person.partnerId, person.integrationId],
      [owner.person.partnerId, owner.person.integrationId],
    );
    const [personId, developer] = [person.id, await signedIn({ role: 'developer', ...employer })];
    assert.equal((await owner.call('update', { personId, role: 'owner' })).body.data.role, 'owner');
    assert.equal((await owner.call('reinvite', { personId })).status, 200);
    assert.ok((await owner.call('remove', { personId })).body.data.removedAt);
    const team = await developer.call('list');
    assert.deepEqual(
      team.body.data.items.map(({ id }: { id: string }) => id),
      [owner.person.id, personId, developer.person.id],
    );
    const log = await harness.operator('audit.list', { subject: `person:${personId}` });
    const owners = log.body.data.items.map((row: { actorKind: string; actorId: string }) => [
      row.actorKind,
      row.actorId,
    ]);
    assert.deepEqual(owners, Array(4).fill(['person', owner.person.id]));
  });

  test(`404 people of another ${kind} and of the operator, whatever an owner does`, async () => {
    const owner = await signedIn({ role: 'owner', ...(await makeEmployer()) });
    const strangers = [
      await makePerson(harness, { role: 'owner', ...(await makeEmployer()) }),
      await makePerson(harness),
    ];
    for (const { id: personId } of strangers) {
      for (const [name, input] of [
        ['update', { role: 'developer' }],
        ['reinvite', {}],
        ['remove', {}],
      ] as const)
        assert.equal((await owner.call(name, { personId, ...input })).status, 404, name);
    }
    const { body } = await owner.call('list');
    assert.deepEqual(body.data.items.length, 1);
  });
}

test('403 who is not an owner: a developer, and the operator’s administrators', async () => {
  const { id: partnerId } = await makePartner(harness);
  const { id: personId } = await makePerson(harness, { role: 'owner', partnerId });
  for (const given of [{ role: 'developer', partnerId }, { role: 'finance', partnerId }, { role: 'admin' }]) {
    const { call } = await signedIn(given);
    for (const [name, input] of [
      ['invite', colleague('owner')],
      ['update', { personId, role: 'developer' }],
      ['reinvite', { personId }],
      ['remove', { personId }],
    ] as const) {
      const { status, body } = await call(name, input);
      assert.deepEqual([status, body.code], [403, 'not_owner'], `${given.role} ${name}`);
    }
  }
});

test('403 without the session’s token, and without a confirmation of the last five minutes', async () => {
  const { id: partnerId } = await makePartner(harness);
  const { call } = await signedIn({ role: 'owner', partnerId });
  const foreign = await call('invite', colleague('developer'), { 'x-csrf-token': 'x' });
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'foreign_request']);
  harness.advance(6 * 60_000);
  const stale = await call('invite', colleague('developer'));
  assert.deepEqual([stale.status, stale.body.code], [403, 'step_up_required']);
  assert.equal((await call('list')).status, 200);
});

test('400 a role of the operator, 409 the own rights', async () => {
  const { id: partnerId } = await makePartner(harness);
  const { person, call } = await signedIn({ role: 'owner', partnerId });
  assert.equal((await call('invite', colleague('admin'))).body.code, 'wrong_role');
  assert.equal((await call('remove', { personId: person.id })).body.code, 'own_rights');
});

test('401 staff of a suspended partner, until it is resumed, and of a revoked integration', async () => {
  const { id: partnerId } = await makePartner(harness);
  const { call } = await signedIn({ role: 'owner', partnerId });
  await harness.operator('partners.suspend', { partnerId, reason: 'a test' });
  assert.equal((await call('list')).status, 401);
  await harness.operator('partners.resume', { partnerId });
  assert.equal((await call('list')).status, 200);
  const { id: integrationId } = await makeIntegration(harness);
  const developer = await signedIn({ role: 'developer', integrationId });
  assert.equal((await developer.call('list')).status, 200);
  await harness.operator('integrations.revoke', { integrationId });
  assert.equal((await developer.call('list')).status, 401);
});

test('401 a session that outlives its person, as one that begins while the person is removed', async () => {
  const { id: partnerId } = await makePartner(harness);
  const { person, call } = await signedIn({ role: 'owner', partnerId });
  assert.equal((await call('list')).status, 200);
  await harness.deps.db.query('update people set removed_at = now() where id = $1', [person.id]);
  assert.equal((await call('list')).status, 401);
});

test('429 the 31st request of a person in ten seconds; a colleague still has an allowance', async () => {
  const { id: partnerId } = await makePartner(harness);
  const { call } = await signedIn({ role: 'owner', partnerId });
  const answers = await Promise.all(Array.from({ length: 31 }, () => call('list')));
  const limited = answers.filter(({ status }) => status === 429);
  assert.deepEqual(
    limited.map(({ body, headers }) => [body.code, headers.has('retry-after')]),
    [['too_many_changes', true]],
  );
  assert.equal((await (await signedIn({ role: 'developer', partnerId })).call('list')).status, 200);
});
