import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { ConsentRequest } from '#features/connect/consents';
import { signIn } from '#test/callers/visitor';
import { makeConsent, makeIntegration, makeUser } from '#test/data/factories';
import { useConnectPages } from '#test/worlds/connect-pages';

const { harness, newVisitor, read } = useConnectPages();

test('a suspension of the user ends pages at the next request; integrations keep what was shared', async () => {
  const integration = await makeIntegration(harness, { name: 'Lumen Suspended' });
  const visitor = await newVisitor();
  const consent = await makeConsent(harness, integration, { userId: visitor.userId });
  const shows = async () => {
    const { status, text } = await visitor.get('/connect/apps');
    return [status, text.includes('Lumen Suspended')];
  };
  assert.deepEqual(await shows(), [200, true]);
  await harness.operator('users.suspend', { userId: visitor.userId, reason: 'Account taken over' });
  assert.deepEqual(await shows(), [401, false]);
  assert.equal((await read(integration, consent.id)).status, 200);
  await harness.operator('users.resume', { userId: visitor.userId });
  assert.deepEqual(await shows(), [200, true]);
});

test('200 connected apps: what each may read, when it last did and what; reduce; revoke, and the next read is 410', async () => {
  const user = await makeUser(harness);
  const integration = await makeIntegration(harness);
  const { id: consentId } = await makeConsent(harness, integration, { userId: user.id });
  const visitor = await signIn(harness, user.id);
  const before = (await visitor.get('/connect/apps')).text;
  assert.ok(before.includes(integration.name) && before.includes('Not read yet'));

  assert.equal((await read(integration, consentId)).status, 200);
  const after = (await visitor.get('/connect/apps')).text;
  assert.match(after, /1 read in total/);
  assert.ok(after.includes('Email address (address, verified)'));

  const reduced = await visitor.post(`/connect/apps/${consentId}/reduce`, { scopes: ['email'] });
  const changed = `/connect/apps?done=${consentId}`;
  assert.deepEqual([reduced.status, reduced.headers.get('location')], [303, changed]);
  assert.deepEqual(Object.keys((await read(integration, consentId)).body.user), ['email']);
  assert.ok(
    (await visitor.get(changed)).text.includes(`role="status">${integration.name} can read: Email address.`),
  );

  const revoked = await visitor.post(`/connect/apps/${consentId}/revoke`);
  assert.deepEqual([revoked.status, revoked.headers.get('location')], [303, changed]);
  const gone = await read(integration, consentId);
  assert.equal(gone.status, 410);
  assert.ok(gone.body.revoked_at);
  const ended = (await visitor.get(changed)).text;
  assert.ok(ended.includes(`role="status">${integration.name} can no longer read your data.`));
  assert.match(ended, /No app can read your data/);
  assert.match(ended, /No longer connected/);
});

const readsIn = (page: string) =>
  [...page.matchAll(/<li><time datetime="[^"]+">[^<]+<\/time><span class="hint">([^<]+)</g)].map(
    ([, what]) => what,
  );

test('200 connected apps: the newest ten reads, each with what it got, also once it is over', async () => {
  const user = await makeUser(harness);
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration, { userId: user.id, scopes: ['profile', 'email'] });
  const visitor = await signIn(harness, user.id);
  for (let at = 0; at < 2; at++) assert.equal((await read(integration, id)).status, 200);
  await visitor.post(`/connect/apps/${id}/reduce`, { scopes: ['email'] });
  assert.equal((await read(integration, id)).status, 200);
  const whole = 'Name (full name, first name, last name); Email address (address, verified)';
  const less = 'Email address (address, verified)';
  const few = (await visitor.get('/connect/apps')).text;
  assert.deepEqual(readsIn(few), [less, whole, whole]);
  assert.ok(!few.includes('The newest'));
  for (let at = 0; at < 9; at++) assert.equal((await read(integration, id)).status, 200);
  const many = (await visitor.get('/connect/apps')).text;
  assert.deepEqual(readsIn(many), Array(10).fill(less));
  assert.ok(many.includes('The newest 10 of 12 reads.'));
  await visitor.post(`/connect/apps/${id}/revoke`);
  const ended = (await visitor.get('/connect/apps')).text;
  assert.match(ended, /No longer connected/);
  assert.deepEqual(readsIn(ended), Array(10).fill(less));
  assert.deepEqual(readsIn((await (await newVisitor()).get('/connect/apps')).text), []);
});

test('200 connected apps: the only read of a one-time consent is shown, though it ended it', async () => {
  const user = await makeUser(harness);
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration, {
    userId: user.id,
    scopes: ['email'],
    duration: { kind: 'one-time' },
  });
  assert.equal((await read(integration, id)).status, 200);
  const { text } = await (await signIn(harness, user.id)).get('/connect/apps');
  assert.match(text, /No app can read your data/);
  assert.deepEqual(readsIn(text), ['Email address (address, verified)']);
});

test('200 ?done= shows what the app can read now', async () => {
  const user = await makeUser(harness);
  const integration = await makeIntegration(harness);
  const consentTo = (scopes: ConsentRequest['scopes']) =>
    makeConsent(harness, integration, { userId: user.id, scopes });
  const [first, second] = [await consentTo(['profile']), await consentTo(['email'])];
  const visitor = await signIn(harness, user.id);
  const noticeOf = async (id: string) =>
    /role="status">([^<]+)</.exec((await visitor.get(`/connect/apps?done=${id}`)).text)?.[1];
  const { name } = integration;
  assert.equal(await noticeOf(first.id), `${name} can read: Name and Email address.`);
  const { status } = await visitor.post(`/connect/apps/${first.id}/reduce`, { scopes: ['profile'] });
  assert.equal(status, 303, 'nothing was changed');
  assert.equal(await noticeOf(first.id), `${name} can read: Name and Email address.`);
  await visitor.post(`/connect/apps/${first.id}/revoke`);
  assert.equal(await noticeOf(first.id), `${name} can read: Email address.`);
  await visitor.post(`/connect/apps/${second.id}/revoke`);
  assert.equal(await noticeOf(first.id), `${name} can no longer read your data.`);

  const foreign = await makeConsent(harness, integration, { userId: (await makeUser(harness)).id });
  for (const done of [foreign.id, randomUUID(), 'revoked', 'reduced'])
    assert.equal(await noticeOf(done), undefined, done);
});

test('200 ?done= says only what we say', async () => {
  const visitor = await newVisitor();
  for (const done of ['<b>x', 'constructor', '__proto__', 'toString', ''])
    assert.ok(
      !(await visitor.get(`/connect/apps?done=${encodeURIComponent(done)}`)).text.includes('role="status"'),
    );
});
