import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  integrationContextOf,
  makeConsent,
  makeConsentRequest,
  makeIntegration,
  makeUser,
} from '#test/data/factories';
import { waitUntil } from '#test/wait-until';
import { useConsents } from '#test/worlds/consent';
import { listConnections, revokeConsent } from './index.ts';
import { readConsentedData } from './read-consented-data.ts';

const { harness, sql, dayMs, call, makeOwner, runJob, grantCopies } = useConsents();

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
  const { id, name, logoColor, homepageUrl, privacyUrl, logoSha256 } = bank;
  const links = { homepageUrl, privacyUrl };
  assert.deepEqual(last!.integration, { id, name, logoColor, ...links, logoSha256 });
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
