import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConsentScope, RegisteredIntegration } from '#features/connect/integrations';
import {
  integrationContextOf,
  makeConsent,
  makeConsentRequest,
  makeIntegration,
  makeUser,
  userContextOf,
} from '#test/data/factories';
import { useConsents } from '#test/worlds/consent';
import { decideConsent, listConnections, openConsentLink, reduceConsent, revokeConsent } from './index.ts';

const { harness, sql, dayMs, call, makeOwner, actionsOf, runJob, grantCopies } = useConsents();

test('a grant: what is required when nothing is chosen, with what is chosen of the rest, never less, never more', async () => {
  const integration = await makeIntegration(harness);
  const owner = await makeOwner();
  const decide = async (scopes?: ConsentScope[]) => {
    const { linkToken } = await makeConsentRequest(harness, integration, {
      scopes: ['email', 'wallet', 'kyc'],
      optionalScopes: ['kyc', 'wallet'],
    });
    await openConsentLink(owner, { linkToken });
    const input = { linkToken, decision: 'grant', ...(scopes && { scopes }) } as const;
    return (await decideConsent(owner, input)).consent.scopes;
  };
  assert.deepEqual(await decide(), ['email']);
  assert.deepEqual(await decide(['email']), ['email']);
  assert.deepEqual(await decide(['kyc', 'email', 'kyc']), ['email', 'kyc']);
  await assert.rejects(decide([]), { code: 'required_scope_missing', status: 400 });
  await assert.rejects(decide(['kyc', 'wallet']), { code: 'required_scope_missing' });
  await assert.rejects(decide(['email', 'profile']), { code: 'scope_not_requested', status: 400 });
  await assert.rejects(decide(['email', 'cards' as ConsentScope]), { code: 'scope_not_requested' });
});

test('scopes are never widened: not by a grant, not by the integration, its user or an operator, not in the database', async () => {
  const integration = await makeIntegration(harness);
  const { linkToken } = await makeConsentRequest(harness, integration, {
    scopes: ['profile', 'email', 'wallet'],
    optionalScopes: ['wallet'],
  });
  const owner = await makeOwner();
  await openConsentLink(owner, { linkToken });
  await assert.rejects(
    decideConsent(owner, { linkToken, decision: 'grant', scopes: ['profile', 'email', 'kyc'] }),
    { code: 'scope_not_requested' },
  );
  const { consent } = await decideConsent(owner, { linkToken, decision: 'grant' });
  await assert.rejects(
    decideConsent(owner, { linkToken, decision: 'grant', scopes: ['profile', 'email', 'wallet'] }),
    { code: 'link_used' },
  );
  const asIntegration = integrationContextOf(harness, integration);
  for (const wider of [['profile', 'email', 'wallet'], ['kyc'], ['wallet']] as ConsentScope[][]) {
    const { status, body } = await call(integration, 'PATCH', consent.id, { scopes: wider });
    assert.deepEqual([status, body.code], [400, 'scope_not_granted']);
    for (const ctx of [asIntegration, owner, harness.operatorContext()])
      await assert.rejects(reduceConsent(ctx, { consentId: consent.id, scopes: wider }), {
        code: 'scope_not_granted',
      });
    await assert.rejects(sql('update consents set scopes = $2 where id = $1', [consent.id, wider]));
  }
  await reduceConsent(owner, { consentId: consent.id, scopes: ['email'] });
  const back = await call(integration, 'PATCH', consent.id, { scopes: ['profile', 'email'] });
  assert.deepEqual([back.status, back.body.code], [400, 'scope_not_granted']);
  for (const forged of [
    { scopes: ['email'], requested_scopes: ['kyc'] },
    { scopes: ['email'], status: 'active' },
    { scopes: ['email'], expires_at: null },
    '{"scopes":["email"],"scopes":["email","kyc"]}',
    '{"scopes":["email"],"__proto__":{"scopes":["kyc"]}}',
  ])
    assert.equal((await call(integration, 'PATCH', consent.id, forged)).status, 400);
  const { body } = await call(integration, 'GET', `${consent.id}/user`);
  assert.deepEqual([body.scopes, Object.keys(body.user)], [['email'], ['email']]);
});

for (const [what, change] of [
  ['prolonged', `expires_at = expires_at + interval '1 day'`],
  ['made endless', 'expires_at = null'],
  [
    'given to another integration',
    `integration_id = (select id from integrations where id <> c.integration_id limit 1)`,
  ],
  ['moved to another user', 'user_id = (select id from users where id <> c.user_id limit 1)'],
  ['made one of more', `requested_scopes = '{profile,email,wallet,kyc}'`],
  ['with a new date', 'decided_at = now()'],
  ['taken back to waiting', `status = 'awaiting', decided_at = null`],
] as const) {
  test(`the database refuses that a consent is ${what}`, async () => {
    await makeIntegration(harness);
    await makeUser(harness);
    const { id } = await makeConsent(harness, await makeIntegration(harness), {
      scopes: ['email'],
      duration: { kind: 'days', days: 7 },
    });
    await assert.rejects(sql(`update consents c set ${change} where id = $1`, [id]), { code: '23001' });
  });
}

for (const [what, statement] of [
  ['a consent is deleted', 'delete from consents where id = $1'],
  ['a read is changed', `update consent_reads set fields = '{}' where consent_id = $1`],
  ['a read is deleted', 'delete from consent_reads where consent_id = $1'],
  [
    'what ended goes on',
    `update consents set status = 'active', revoked_at = null, revoked_by = null where id = $1`,
  ],
] as const) {
  test(`the database refuses that ${what}`, async () => {
    const integration = await makeIntegration(harness);
    const { id } = await makeConsent(harness, integration);
    await call(integration, 'GET', `${id}/user`);
    await call(integration, 'DELETE', id);
    await assert.rejects(sql(statement, [id]));
  });
}

test('400 PATCH: no scope, none left, an unknown one, no body', async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration);
  for (const body of [{}, { scopes: [] }, { scopes: ['cards'] }, { scopes: null }, undefined, '', '[]'])
    assert.equal((await call(integration, 'PATCH', id, body)).status, 400, JSON.stringify(body));
  await assert.rejects(
    reduceConsent(
      userContextOf(
        harness,
        (await sql('select user_id from consents where id = $1', [id]))[0]!.user_id as string,
      ),
      {
        consentId: id,
        scopes: [],
      },
    ),
    { code: 'no_scope_left' },
  );
});

test('200 PATCH: reduced to what it has already is no change', async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration, { scopes: ['email', 'wallet'] });
  assert.equal((await call(integration, 'PATCH', id, { scopes: ['wallet', 'email'] })).status, 200);
  assert.ok(!(await actionsOf(id)).includes('integration reduce'));
});

test('404 PATCH, DELETE: what was not granted can be neither reduced nor revoked', async () => {
  const integration = await makeIntegration(harness);
  const { consent } = await makeConsentRequest(harness, integration);
  for (const [method, body] of [
    ['PATCH', { scopes: ['email'] }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await call(integration, method, consent.id, body);
    assert.deepEqual([answer.status, answer.body.code], [404, 'consent_not_granted']);
  }
});

test('410 PATCH, DELETE, consents.revoke: of a consent whose time is over; who gets as far as its row moves it to expired', async () => {
  const integration = await makeIntegration(harness);
  const made = await Promise.all(
    Array.from({ length: 3 }, () =>
      makeConsent(harness, integration, { duration: { kind: 'days', days: 1 } }),
    ),
  );
  harness.advance(dayMs);
  const shown = await call(integration, 'GET', made[0]!.id);
  assert.equal(shown.body.status, 'expired');
  const patched = await call(integration, 'PATCH', made[0]!.id, { scopes: ['email'] });
  const deleted = await call(integration, 'DELETE', made[1]!.id);
  for (const [at, { status, body }] of [patched, deleted].entries()) {
    assert.deepEqual(
      [status, body.error, body.expired_at],
      [410, 'Consent has expired', made[at]!.expiresAt!.toISOString()],
    );
  }
  const operator = await harness.operator('consents.revoke', { consentId: made[2]!.id });
  assert.deepEqual([operator.status, operator.body.error], [410, 'Consent has expired']);
  const asIntegration = integrationContextOf(harness, integration);
  await assert.rejects(revokeConsent(asIntegration, { consentId: made[1]!.id }), { code: 'consent_expired' });
  assert.deepEqual((await actionsOf(made[1]!.id)).at(-1), 'integration expire');
  assert.deepEqual((await actionsOf(made[2]!.id)).at(-1), 'operator expire');
});

test('a consent expires automatically, audited as the worker, once', async () => {
  const integration = await makeIntegration(harness);
  const short = await makeConsent(harness, integration, { duration: { kind: 'days', days: 1 } });
  const long = await makeConsent(harness, integration, { duration: { kind: 'days', days: 3 } });
  const endless = await makeConsent(harness, integration);
  const oneTime = await makeConsent(harness, integration, { duration: { kind: 'one-time' } });
  harness.advance(dayMs);
  while (((await runJob('consents.expire')) as number) > 0);
  const listed = await harness.operator('consents.list', {
    integrationId: integration.id,
    status: 'expired',
  });
  assert.deepEqual(
    listed.body.data.items.map(({ id }: { id: string }) => id),
    [short.id],
  );
  assert.equal(listed.body.data.items[0].expiresAt, short.expiresAt!.toISOString());
  assert.deepEqual((await actionsOf(short.id)).at(-1), 'worker expire');
  for (const { id } of [long, endless, oneTime])
    assert.equal((await call(integration, 'GET', `${id}/user`)).status, 200);
});

test('more consents than one turn takes expire turn by turn', async () => {
  const integration = await makeIntegration(harness);
  const { userId, id } = await makeConsent(harness, integration, { duration: { kind: 'days', days: 1 } });
  await grantCopies(id, userId, 150);
  harness.advance(dayMs);
  const turns: unknown[] = [];
  do turns.push(await runJob('consents.expire'));
  while (turns.at(-1) !== 0);
  assert.ok(turns.length >= 3);
  const [row] = await sql(
    `select count(*)::integer as n from consents where integration_id = $1 and status = 'expired'`,
    [integration.id],
  );
  assert.equal(row!.n, 151);
});

test('consents of a revoked integration are revoked soon after, in the operator’s name', async () => {
  const integration = await makeIntegration(harness);
  const made = await makeConsent(harness, integration);
  const { consent: awaiting } = await makeConsentRequest(harness, integration);
  await harness.operator('integrations.revoke', { integrationId: integration.id });
  while (((await runJob('consents.revoke-orphans')) as number) > 0);
  const { items } = (await harness.operator('consents.list', { integrationId: integration.id })).body.data;
  assert.deepEqual(
    items.map(({ id, status, revokedBy }: Record<string, string>) => [id, status, revokedBy]),
    [
      [awaiting.id, 'awaiting', null],
      [made.id, 'revoked', 'operator'],
    ],
  );
  assert.deepEqual((await actionsOf(made.id)).at(-1), 'worker revoke');
});

test('a user reduces and revokes their own consents', async () => {
  const integration = await makeIntegration(harness);
  const { id: consentId, userId } = await makeConsent(harness, integration);
  const owner = userContextOf(harness, userId);
  assert.deepEqual((await reduceConsent(owner, { consentId, scopes: ['email'] })).scopes, ['email']);
  const revoked = await revokeConsent(owner, { consentId });
  assert.deepEqual([revoked.status, revoked.revokedBy], ['revoked', 'user']);
  assert.deepEqual(await revokeConsent(owner, { consentId }), revoked);
  assert.deepEqual((await actionsOf(consentId)).slice(-2), ['user reduce', 'user revoke']);
});

/**
 * A consent id of somebody else's gets nobody anywhere: each operation, each state, each kind of stranger.
 */
const operations: [
  name: string,
  run: (integration: RegisteredIntegration, consentId: string) => ReturnType<typeof call>,
][] = [
  ['read', (integration, id) => call(integration, 'GET', `${id}/user`)],
  ['show', (integration, id) => call(integration, 'GET', id)],
  ['reduce', (integration, id) => call(integration, 'PATCH', id, { scopes: ['email'] })],
  ['revoke', (integration, id) => call(integration, 'DELETE', id)],
];
const states: [name: string, make: (integration: RegisteredIntegration) => Promise<string>][] = [
  ['awaiting', async (integration) => (await makeConsentRequest(harness, integration)).consent.id],
  ['active', async (integration) => (await makeConsent(harness, integration)).id],
  [
    'expired',
    async (integration) => {
      const { id } = await makeConsent(harness, integration, { duration: { kind: 'one-time' } });
      await call(integration, 'GET', `${id}/user`);
      return id;
    },
  ],
  [
    'revoked',
    async (integration) => {
      const { id } = await makeConsent(harness, integration);
      await call(integration, 'DELETE', id);
      return id;
    },
  ],
];
const rowOf = async (id: string) =>
  (
    await sql(
      `select c::text, (select count(*) from consent_reads where consent_id = c.id) as reads,
    (select count(*) from audit_log where subject = 'consent:' || c.id) as changes from consents c where id = $1`,
      [id],
    )
  )[0];

for (const [operation, run] of operations) {
  for (const [state, make] of states) {
    test(`403 ${operation}: a consent of another integration that is ${state}, also of the same user; nothing happens to it`, async () => {
      const [own, other] = [await makeIntegration(harness), await makeIntegration(harness)];
      const id = await make(other);
      const [row] = await sql('select user_id from consents where id = $1', [id]);
      if (row!.user_id) await makeConsent(harness, own, { userId: row!.user_id as string });
      const before = await rowOf(id);
      const { status, body } = await run(own, id);
      assert.deepEqual(
        [status, body.code, Object.keys(body)],
        [403, 'foreign_consent', ['error', 'code', 'requestId']],
      );
      assert.deepEqual(await rowOf(id), before);
    });
  }
}

test('404: another user’s consent, to reduce or to revoke, as if there were none; nothing happens to it', async () => {
  const integration = await makeIntegration(harness);
  const stranger = await makeOwner();
  for (const [, make] of states) {
    const consentId = await make(integration);
    const before = await rowOf(consentId);
    await assert.rejects(revokeConsent(stranger, { consentId }), { code: 'consent_not_found' });
    await assert.rejects(reduceConsent(stranger, { consentId, scopes: ['email'] }), {
      code: 'consent_not_found',
    });
    assert.deepEqual(await rowOf(consentId), before);
  }
  assert.deepEqual((await listConnections(stranger)).connections, []);
});
