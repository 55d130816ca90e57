import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  consentRequest,
  integrationContextOf,
  makeConsent,
  makeConsentRequest,
  makeIntegration,
} from '#test/data/factories';
import { noteSecret } from '#test/harness';
import { useConsents } from '#test/worlds/consent';
import { decideConsent, openConsentLink, reduceConsent, requestConsent, revokeConsent } from './index.ts';
import { readConsentedData } from './read-consented-data.ts';

const { harness, sql, minuteMs, dayMs, wireRequest, call, makeOwner, actionsOf } = useConsents();

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
    homepageUrl: null,
    privacyUrl: null,
    logoSha256: null,
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

test('404 Link not found: an unknown or malformed link, or one that somebody else opened', async () => {
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
