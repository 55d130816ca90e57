import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { ConsentScope, RegisteredIntegration } from '#features/connect/integrations';
import {
  consentRequest,
  integrationContextOf,
  makeConsent,
  makeConsentRequest,
  makeIntegration,
  makeUser,
  userContextOf,
} from '#test/factories';
import { noteSecret, useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { jobs } from '../../../app.ts';
import {
  decideConsent,
  listConnections,
  openConsentLink,
  reduceConsent,
  requestConsent,
  revokeConsent,
} from './index.ts';
import { readConsentedData } from './read-consented-data.ts';

const harness = useHarness();
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const minuteMs = 60_000;
const dayMs = 86_400_000;

const wireRequest = {
  scopes: ['kyc', 'email'],
  optional_scopes: ['kyc'],
  redirect_uri: 'https://app.example.com/back',
  state: 'x y&z=é',
  purpose: 'Open an account',
  duration: { type: 'days', days: 30 },
};
const call = (
  { token }: { token: string },
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) =>
  harness.request(method, `/api/v1/consent/${path}`, { headers: { 'x-api-key': token, ...headers }, body });
const makeOwner = async () => userContextOf(harness, (await makeUser(harness)).id);
const actionsOf = async (consentId: string) =>
  (
    await sql('select actor_kind, action from audit_log where subject = $1 order by id', [
      `consent:${consentId}`,
    ])
  ).map(({ actor_kind, action }) => `${actor_kind} ${(action as string).replace('consents.', '')}`);
const runJob = (name: string) => jobs.find((job) => job.name === name)!.run(harness.deps);

test('201: a request is answered with a link, which is kept only as a hash', async () => {
  const integration = await makeIntegration(harness);
  const { status, headers, body } = await call(integration, 'POST', 'requests', wireRequest);
  assert.equal(status, 201);
  assert.equal(headers.get('cache-control'), 'no-store');
  const { consent_id, link, link_expires_at, ...rest } = body;
  assert.deepEqual(rest, { status: 'awaiting' });
  const [, linkToken] = new RegExp(`^${harness.url}/connect/requests/([A-Za-z0-9_-]{43})$`).exec(link)!;
  noteSecret(linkToken!);
  const lifetimeMs = Date.parse(link_expires_at) - harness.deps.clock().getTime();
  assert.ok(lifetimeMs <= 15 * minuteMs && lifetimeMs > 14 * minuteMs);

  const shown = await call(integration, 'GET', consent_id);
  assert.equal(shown.headers.get('cache-control'), 'no-store');
  const { requested_at, ...state } = shown.body;
  assert.ok(Date.parse(requested_at));
  assert.deepEqual(state, {
    consent_id,
    integration_id: integration.id,
    status: 'awaiting',
    purpose: 'Open an account',
    requested_scopes: ['email', 'kyc'],
    optional_scopes: ['kyc'],
    scopes: null,
    duration: { type: 'days', days: 30 },
    link_expires_at,
    granted_at: null,
    expires_at: null,
    revoked_at: null,
    revoked_by: null,
  });
});

test('the way of a consent: asked, opened, granted, read, reduced, revoked, each in the audit log', async () => {
  const integration = await makeIntegration(harness);
  const { consent, linkToken } = await makeConsentRequest(harness, integration, {
    optionalScopes: ['kyc'],
    state: 'x y&z=é',
    duration: { kind: 'days', days: 30 },
  });
  const owner = await makeOwner();
  const opened = await openConsentLink(owner, { linkToken });
  assert.deepEqual(opened.integration, {
    id: integration.id,
    name: integration.name,
    logoColor: integration.logoColor,
  });
  assert.equal(opened.consent.userId, owner.actor.userId);
  assert.deepEqual(Object.keys(opened.shared), ['profile', 'email', 'wallet', 'kyc']);
  assert.deepEqual(await openConsentLink(owner, { linkToken }), opened, 'a page can be loaded again');

  const { consent: granted, redirectTo } = await decideConsent(owner, {
    linkToken,
    decision: 'grant',
    scopes: ['wallet', 'email', 'profile'],
  });
  assert.equal(redirectTo, `https://app.example.com/back?consent_id=${consent.id}&state=x+y%26z%3D%C3%A9`);
  assert.deepEqual(granted.scopes, ['profile', 'email', 'wallet']);
  const state = (await call(integration, 'GET', consent.id)).body;
  assert.deepEqual([state.status, state.scopes], ['active', ['profile', 'email', 'wallet']]);
  assert.equal(Date.parse(state.expires_at) - Date.parse(state.granted_at), 30 * dayMs);

  assert.equal((await call(integration, 'GET', `${consent.id}/user`)).status, 200);
  const reduced = await call(integration, 'PATCH', consent.id, { scopes: ['wallet', 'email'] });
  assert.deepEqual([reduced.status, reduced.body.scopes], [200, ['email', 'wallet']]);
  const revoked = await call(integration, 'DELETE', consent.id);
  assert.deepEqual(
    [revoked.status, revoked.body.status, revoked.body.revoked_by],
    [200, 'revoked', 'integration'],
  );
  harness.advance(1_000);
  const again = await call(integration, 'DELETE', consent.id);
  assert.deepEqual([again.status, again.body], [200, revoked.body], 'revoked already is no error');
  assert.deepEqual(await actionsOf(consent.id), [
    'integration request',
    'user open',
    'user grant',
    'integration read',
    'integration reduce',
    'integration revoke',
  ]);
});

test('the audit log has who was asked for what, and neither state nor link', async () => {
  const integration = await makeIntegration(harness);
  const state = randomBytes(12).toString('hex');
  const { consent, linkToken } = await makeConsentRequest(harness, integration, { state });
  const owner = await makeOwner();
  await openConsentLink(owner, { linkToken });
  await decideConsent(owner, { linkToken, decision: 'refuse' });
  const [row] = await sql(`select string_agg(a::text, chr(10)) as text from audit_log a where subject = $1`, [
    `consent:${consent.id}`,
  ]);
  assert.match(row!.text as string, /rejected/);
  for (const hidden of [state, linkToken]) assert.ok(!(row!.text as string).includes(hidden));
});

for (const [redirectUri, state, refused] of [
  ['https://app.example.com', undefined, 'https://app.example.com?error=access_denied'],
  ['https://app.example.com/a', 's', 'https://app.example.com/a?error=access_denied&state=s'],
  ['https://app.example.com/a?b=c%20d', 's', 'https://app.example.com/a?b=c%20d&error=access_denied&state=s'],
  ['https://app.example.com/a?', 's', 'https://app.example.com/a?error=access_denied&state=s'],
  ['https://app.example.com/a?b&', 's', 'https://app.example.com/a?b&error=access_denied&state=s'],
  [
    'https://app.example.com/a',
    '#&consent_id=1',
    'https://app.example.com/a?error=access_denied&state=%23%26consent_id%3D1',
  ],
] as const) {
  test(`a refusal goes back to ${redirectUri} with state ${state}`, async () => {
    const integration = await makeIntegration(harness, { redirectUris: [redirectUri] });
    const { linkToken } = await makeConsentRequest(harness, integration, { redirectUri, state });
    const owner = await makeOwner();
    await openConsentLink(owner, { linkToken });
    const { consent, redirectTo } = await decideConsent(owner, { linkToken, decision: 'refuse' });
    assert.equal(redirectTo, refused);
    assert.deepEqual([consent.status, consent.scopes], ['rejected', null]);
  });
}

for (const [field, fields] of [
  ['scopes', { scopes: [] }],
  ['scopes', { scopes: ['email', 'email'] }],
  ['scopes.0', { scopes: ['cards'] }],
  ['scopes', { scopes: 'email' }],
  ['scopes', { scopes: undefined }],
  ['optional_scopes.0', { optional_scopes: ['admin'] }],
  ['redirect_uri', { redirect_uri: 7 }],
  ['state', { state: 'x'.repeat(501) }],
  ['state', { state: 'a\nb' }],
  ['state', { state: '' }],
  ['purpose', { purpose: undefined }],
  ['duration', { duration: 'one-time' }],
  ['duration', { duration: undefined }],
  ['duration.type', { duration: { type: 'for-ever' } }],
  ['duration.days', { duration: { type: 'days' } }],
  ['duration.days', { duration: { type: 'days', days: 0 } }],
  ['duration.days', { duration: { type: 'days', days: 3651 } }],
  ['duration.days', { duration: { type: 'days', days: 1.5 } }],
  ['duration.days', { duration: { type: 'days', days: '7' } }],
  ['duration.days', { duration: { type: 'one-time', days: 7 } }],
  ['duration.days', { duration: { type: 'until-revoked', days: 7 } }],
  ['user_id', { user_id: '0198a0de-ffff-7000-8000-000000000000' }],
  ['status', { status: 'active' }],
] as const) {
  test(`400 request: ${JSON.stringify(fields).slice(0, 70)}`, async () => {
    const integration = await makeIntegration(harness);
    const { status, body } = await call(integration, 'POST', 'requests', { ...wireRequest, ...fields });
    assert.equal(status, 400);
    assert.ok(
      body.details.some((detail: { field: string }) => detail.field === field),
      body.error,
    );
  });
}

for (const [code, fields] of [
  ['scope_not_registered', { scopes: ['email', 'kyc'], optional_scopes: [] }],
  ['scope_not_registered', { scopes: ['email', 'kyc'], optional_scopes: ['kyc'] }],
  ['nothing_required', { scopes: ['email'], optional_scopes: ['email'] }],
  ['nothing_required', { scopes: ['email'], optional_scopes: ['profile'] }],
  ['nothing_required', { scopes: ['email'], optional_scopes: ['kyc'] }],
  ['redirect_not_registered', { redirect_uri: 'https://app.example.com/back/' }],
  ['redirect_not_registered', { redirect_uri: 'https://app.example.com/back?x=1' }],
  ['redirect_not_registered', { redirect_uri: 'https://APP.example.com/back' }],
  ['redirect_not_registered', { redirect_uri: 'https://evil.example.com/back' }],
  ['redirect_not_registered', { redirect_uri: ' https://app.example.com/back' }],
  ['redirect_not_registered', { redirect_uri: '' }],
  ['purpose_not_registered', { purpose: 'Open an account ' }],
  ['purpose_not_registered', { purpose: 'Sell your data' }],
] as const) {
  test(`400 ${code}: ${JSON.stringify(fields)}`, async () => {
    const integration = await makeIntegration(harness, { scopes: ['profile', 'email'] });
    const asked = { ...wireRequest, scopes: ['email'], optional_scopes: [], ...fields };
    const { status, body } = await call(integration, 'POST', 'requests', asked);
    assert.deepEqual([status, body.code], [400, code]);
    const { items } = (await harness.operator('consents.list', { integrationId: integration.id })).body.data;
    assert.equal(items.length, 0, 'nothing is stored');
  });
}

test('401: an integration that was revoked after its key was looked at asks for nothing more', async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration);
  const ctx = integrationContextOf(harness, integration);
  await harness.operator('integrations.revoke', { integrationId: integration.id });
  await assert.rejects(requestConsent(ctx, consentRequest()), { code: 'invalid_api_key' });
  await assert.rejects(reduceConsent(ctx, { consentId: id, scopes: ['email'] }), { code: 'invalid_api_key' });
});

test('401: a key that was ended after it was looked at does nothing more, its successor goes on', async () => {
  const integration = await makeIntegration(harness);
  const { id: consentId } = await makeConsent(harness, integration);
  const keyIds = [integration.keyId];
  for (let time = 0; time < 2; time++) {
    // The first rotation leaves the first key an hour, and the second takes it.
    const { body } = await harness.operator('integrations.rotate-key', {
      integrationId: integration.id,
      overlapHours: time === 0 ? 1 : 0,
    });
    noteSecret(body.data.token.split('_')[2]);
    keyIds.push(body.data.keyId);
  }
  const early = new Date(harness.deps.clock().getTime() - minuteMs);
  const actingBy = (keyId: string) => ({
    ...integrationContextOf(harness, { id: integration.id, keyId }),
    now: early,
  });
  const works = (keyId: string) => [
    () => requestConsent(actingBy(keyId), consentRequest()),
    () => readConsentedData(actingBy(keyId), { consentId, address: '127.0.0.1' }),
    () => reduceConsent(actingBy(keyId), { consentId, scopes: ['email'] }),
    () => revokeConsent(actingBy(keyId), { consentId }),
  ];
  for (const keyId of [keyIds[0]!, keyIds[1]!, (await makeIntegration(harness)).keyId])
    for (const work of works(keyId)) await assert.rejects(work(), { code: 'invalid_api_key', status: 401 });
  for (const work of works(keyIds[2]!)) assert.ok(await work());
});

test('404 Link not found: a link that there is not, of another form, or that somebody else opened', async () => {
  const integration = await makeIntegration(harness);
  const { linkToken } = await makeConsentRequest(harness, integration);
  const [owner, other] = [await makeOwner(), await makeOwner()];
  await openConsentLink(owner, { linkToken });
  const wrong = [
    randomBytes(32).toString('base64url'),
    '',
    'x',
    `${linkToken}=`,
    linkToken.slice(1),
    '\u0000',
  ];
  for (const token of wrong) {
    await assert.rejects(openConsentLink(owner, { linkToken: token }), {
      code: 'link_not_found',
      status: 404,
    });
    await assert.rejects(decideConsent(owner, { linkToken: token, decision: 'grant' }), {
      code: 'link_not_found',
    });
  }
  await assert.rejects(openConsentLink(other, { linkToken }), { code: 'link_not_found' });
  for (const decision of ['grant', 'refuse'] as const)
    await assert.rejects(decideConsent(other, { linkToken, decision }), { code: 'link_not_found' });
  await decideConsent(owner, { linkToken, decision: 'grant' });
  await assert.rejects(openConsentLink(other, { linkToken }), { code: 'link_not_found' });
});

test('404 Link not found: nobody decides what they were not shown', async () => {
  const { linkToken } = await makeConsentRequest(harness, await makeIntegration(harness));
  const owner = await makeOwner();
  await assert.rejects(decideConsent(owner, { linkToken, decision: 'grant' }), { code: 'link_not_found' });
  await openConsentLink(owner, { linkToken });
  assert.equal((await decideConsent(owner, { linkToken, decision: 'grant' })).consent.status, 'active');
});

test('410 Link has expired: after 15 minutes, opened before or not', async () => {
  const integration = await makeIntegration(harness);
  const [unopened, opened] = [
    await makeConsentRequest(harness, integration),
    await makeConsentRequest(harness, integration),
  ];
  const owner = await makeOwner();
  await openConsentLink(owner, { linkToken: opened.linkToken });
  for (const { consent, linkToken } of [unopened, opened]) {
    const late = { ...owner, now: consent.linkExpiresAt };
    await assert.rejects(openConsentLink(late, { linkToken }), { code: 'link_expired', status: 410 });
    await assert.rejects(decideConsent(late, { linkToken, decision: 'grant' }), { code: 'link_expired' });
  }
  const inTime = { ...owner, now: new Date(opened.consent.linkExpiresAt.getTime() - 1) };
  const decided = await decideConsent(inTime, { linkToken: opened.linkToken, decision: 'grant' });
  assert.equal(decided.consent.status, 'active');
  const [row] = await sql('select user_id from consents where id = $1', [unopened.consent.id]);
  assert.equal(row!.user_id, null, 'an expired link is nobody’s');
});

test('410 Link was used already: after a decision of either kind, also once it has expired', async () => {
  const integration = await makeIntegration(harness);
  const owner = await makeOwner();
  for (const decision of ['grant', 'refuse'] as const) {
    const { consent, linkToken } = await makeConsentRequest(harness, integration);
    await openConsentLink(owner, { linkToken });
    await decideConsent(owner, { linkToken, decision });
    for (const now of [owner.now, consent.linkExpiresAt]) {
      const user = { ...owner, now };
      await assert.rejects(openConsentLink(user, { linkToken }), { code: 'link_used', status: 410 });
      await assert.rejects(decideConsent(user, { linkToken, decision: 'grant' }), { code: 'link_used' });
    }
  }
});

test('410 Link has expired: the link of an integration that was revoked', async () => {
  const integration = await makeIntegration(harness);
  const { linkToken } = await makeConsentRequest(harness, integration);
  const owner = await makeOwner();
  await openConsentLink(owner, { linkToken });
  await harness.operator('integrations.revoke', { integrationId: integration.id });
  await assert.rejects(decideConsent(owner, { linkToken, decision: 'grant' }), { code: 'link_expired' });
});

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
  ['dated anew', 'decided_at = now()'],
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

test('a consent expires by itself, audited as the worker, once', async () => {
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

/** So many consents like one, by the moves that the database allows. */
async function grantCopies(id: string, userId: string, count: number): Promise<void> {
  await sql(
    `insert into consents (integration_id, purpose, requested_scopes, optional_scopes, duration, duration_days,
       redirect_uri, link_sha256, link_expires_at, requested_at)
     select integration_id, purpose, requested_scopes, optional_scopes, duration, duration_days, redirect_uri,
       sha256((id::text || n)::bytea), link_expires_at, requested_at
     from consents, generate_series(1, $2::integer) n where id = $1`,
    [id, count],
  );
  const copies = `c.status = 'awaiting' and c.integration_id = o.integration_id and o.id = $1`;
  await sql(`update consents c set user_id = $2 from consents o where ${copies}`, [id, userId]);
  await sql(
    `update consents c set status = 'active', scopes = o.scopes, decided_at = o.decided_at, expires_at = o.expires_at
     from consents o where ${copies}`,
    [id],
  );
}

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

test('consents.list: by user, integration and status, newest first, page by page', async () => {
  const [one, two] = [await makeIntegration(harness), await makeIntegration(harness)];
  const { id: userId } = await makeUser(harness);
  const made: string[] = [];
  for (let at = 0; at < 5; at++)
    made.unshift((await makeConsent(harness, at % 2 ? one : two, { userId })).id);
  await makeConsent(harness, one);
  await harness.operator('consents.revoke', { consentId: made[0] });
  const idsOf = async (filter: object) => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await harness.operator('consents.list', {
        ...filter,
        limit: 2,
        ...(cursor && { cursor }),
      });
      ids.push(...body.data.items.map(({ id }: { id: string }) => id));
      cursor = body.data.nextCursor;
    } while (cursor);
    return ids;
  };
  assert.deepEqual(await idsOf({ userId }), made);
  assert.deepEqual(await idsOf({ userId, integrationId: one.id }), [made[1], made[3]]);
  assert.deepEqual(await idsOf({ userId, status: 'revoked' }), [made[0]]);
  assert.deepEqual(await idsOf({ integrationId: two.id, status: 'active' }), [made[2], made[4]]);
  const { body } = await harness.operator('consents.list', { userId, limit: 1 });
  assert.ok(!('state' in body.data.items[0]));
});

test('consents.reads: by consent, user and integration, newest first', async () => {
  const [one, two] = [await makeIntegration(harness), await makeIntegration(harness)];
  const { id: userId } = await makeUser(harness);
  const [first, second] = [
    await makeConsent(harness, one, { userId, scopes: ['email'] }),
    await makeConsent(harness, two, { userId, scopes: ['email'] }),
  ];
  for (let time = 0; time < 3; time++) await call(one, 'GET', `${first.id}/user`);
  await call(two, 'GET', `${second.id}/user`);
  const consentsOf = async (filter: object) =>
    (await harness.operator('consents.reads', filter)).body.data.items.map(
      ({ consentId }: { consentId: string }) => consentId,
    );
  assert.deepEqual(await consentsOf({ userId }), [second.id, first.id, first.id, first.id]);
  assert.deepEqual(await consentsOf({ consentId: first.id }), [first.id, first.id, first.id]);
  assert.deepEqual(await consentsOf({ integrationId: two.id }), [second.id]);
  assert.deepEqual(await consentsOf({ consentId: first.id, integrationId: two.id }), []);
});

test('a user sees who can read their data, when it was last read, and what ended within 90 days', async () => {
  const owner = await makeOwner();
  const { userId } = owner.actor;
  const [shop, bank] = [await makeIntegration(harness), await makeIntegration(harness)];
  const unread = await makeConsent(harness, shop, { userId });
  const readTwice = await makeConsent(harness, bank, { userId, scopes: ['email', 'wallet'] });
  for (let time = 0; time < 2; time++) await call(bank, 'GET', `${readTwice.id}/user`);
  const ended = await makeConsent(harness, shop, { userId });
  await revokeConsent(owner, { consentId: ended.id });
  const lapsed = await makeConsent(harness, shop, { userId, duration: { kind: 'days', days: 1 } });
  await makeConsentRequest(harness, shop);
  await makeConsent(harness, shop);

  const list = async (now: Date) => (await listConnections({ ...owner, now })).connections;
  const now = new Date(lapsed.expiresAt!.getTime());
  const connections = await list(now);
  assert.deepEqual(
    connections.map(({ consent, readCount }) => [consent.id, consent.status, readCount]),
    [
      [readTwice.id, 'active', 2],
      [unread.id, 'active', 0],
      [lapsed.id, 'expired', 0],
      [ended.id, 'revoked', 0],
    ],
  );
  const [last, never] = connections;
  assert.deepEqual(last!.integration, { id: bank.id, name: bank.name, logoColor: bank.logoColor });
  assert.deepEqual(last!.lastRead!.fields, [
    'email.address',
    'email.verified',
    'wallet.addresses',
    'wallet.is_business',
  ]);
  assert.equal(never!.lastRead, null);
  while (((await runJob('consents.expire')) as number) > 0);
  const later = await list(new Date(owner.now.getTime() + 200 * dayMs));
  assert.deepEqual(
    later.map(({ consent }) => consent.id).filter((id) => id === ended.id),
    [],
  );
});

test('what a revoked integration had is shown as revoked at once, before the worker has come by', async () => {
  const owner = await makeOwner();
  const integration = await makeIntegration(harness);
  const consent = await makeConsent(harness, integration, { userId: owner.actor.userId });
  const lapsing = await makeConsent(harness, integration, {
    userId: owner.actor.userId,
    duration: { kind: 'days', days: 1 },
  });
  const { body } = await harness.operator('integrations.revoke', { integrationId: integration.id });
  const [row] = await sql('select status from consents where id = $1', [consent.id]);
  assert.equal(row!.status, 'active');
  const { connections } = await listConnections({ ...owner, now: lapsing.expiresAt! });
  assert.deepEqual(
    connections.map(({ consent: { id, status, revokedAt, revokedBy } }) => [
      id,
      status,
      revokedAt?.toISOString(),
      revokedBy,
    ]),
    [lapsing, consent].map(({ id }) => [id, 'revoked', body.data.revokedAt, 'operator']),
  );
});

test('every connection that lasts is listed, however many; of those that ended, the newest 500', async () => {
  const owner = await makeOwner();
  const { userId } = owner.actor;
  const [lasting, ending] = [await makeIntegration(harness), await makeIntegration(harness)];
  const { id } = await makeConsent(harness, lasting, { userId });
  await grantCopies(id, userId, 520);
  const { id: short } = await makeConsent(harness, ending, { userId, duration: { kind: 'days', days: 1 } });
  await grantCopies(short, userId, 510);
  const count = async (now: Date) => {
    const { connections } = await listConnections({ ...owner, now });
    const active = connections.filter(({ consent }) => consent.status === 'active').length;
    return [active, connections.length - active];
  };
  assert.deepEqual(await count(owner.now), [1032, 0]);
  assert.deepEqual(await count(new Date(owner.now.getTime() + 2 * dayMs)), [521, 500]);
  while (((await runJob('consents.expire')) as number) > 0);
});

test('reads are counted with the consent, and no end is dated before the last of them', async () => {
  const owner = await makeOwner();
  const [own, orphaned] = [await makeIntegration(harness), await makeIntegration(harness)];
  for (const integration of [own, orphaned]) {
    const made = await makeConsent(harness, integration, { userId: owner.actor.userId });
    const ctx = integrationContextOf(harness, integration);
    const later = new Date(ctx.now.getTime() + 60_000);
    for (const now of [ctx.now, later, ctx.now])
      await readConsentedData({ ...ctx, now }, { consentId: made.id, address: '127.0.0.1' });
    if (integration === own) await revokeConsent(owner, { consentId: made.id });
    else {
      await harness.operator('integrations.revoke', { integrationId: integration.id });
      while (((await runJob('consents.revoke-orphans')) as number) > 0);
    }
    const { items } = (await harness.operator('consents.list', { integrationId: integration.id })).body.data;
    const { status, revokedAt, lastReadAt, readCount } = items[0];
    assert.deepEqual(
      [status, revokedAt, lastReadAt, readCount],
      ['revoked', later.toISOString(), later.toISOString(), 3],
    );
  }
  const { id: consentId } = await makeConsent(harness, own, { userId: owner.actor.userId });
  const behind = { ...owner, now: new Date(owner.now.getTime() - 3_600_000) };
  const { revokedAt, decidedAt } = await revokeConsent(behind, { consentId });
  assert.deepEqual(revokedAt, decidedAt, 'nor before it was granted');
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

test('the gauge counts active consents, a minute later at most', async () => {
  const gauge = async (name = 'causeway_consents_active') =>
    Number(new RegExp(`^${name} (\\d+)`, 'm').exec((await harness.request('GET', '/metrics')).body)![1]);
  const before = await gauge();
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration);
  await makeConsentRequest(harness, integration);
  assert.equal(await gauge(), before, 'a scrape counts nothing');
  harness.advance(60_000);
  assert.ok((await gauge('causeway_consents_active_age_seconds')) >= 60);
  await waitUntil('it is counted in the background', async () => (await gauge()) === before + 1);
  await call(integration, 'DELETE', id);
  harness.advance(60_000);
  await waitUntil('the end is counted', async () => (await gauge()) === before);
});
