import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn } from '#test/callers/visitor';
import { makeConsentRequest, makeIntegration, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';

const harness = useHarness();

const update = (integrationId: string, change: object) =>
  harness.operator('integrations.update', { integrationId, ...change });

async function openRequest(integration: Awaited<ReturnType<typeof makeIntegration>>) {
  const { linkToken } = await makeConsentRequest(harness, integration);
  const visitor = await signIn(harness, (await makeUser(harness)).id);
  return { visitor, path: `/connect/requests/${linkToken}` };
}

test('200 integrations.update: the page of a request shows the new name and the links', async () => {
  const integration = await makeIntegration(harness);
  const { visitor, path } = await openRequest(integration);
  const { status, body } = await update(integration.id, {
    name: 'Lumen & Sons',
    logoColor: '#AABBCC',
    homepageUrl: 'https://lumen.example.com/',
    privacyUrl: 'https://lumen.example.com/privacy?a=1&b=2',
  });
  assert.equal(status, 200, body.error);
  assert.deepEqual(
    [body.data.name, body.data.logoColor, body.data.purposes],
    ['Lumen & Sons', '#aabbcc', ['Open an account', 'Check who you are']],
  );
  const page = (await visitor.get(path)).text;
  assert.match(page, /Lumen &#38; Sons/);
  assert.match(page, /<a href="https:\/\/lumen.example.com\/" target="_blank" rel="noopener noreferrer">/);
  assert.match(
    page,
    /href="https:\/\/lumen.example.com\/privacy\?a=1&#38;b=2"[^>]*>Lumen &#38; Sons privacy policy</,
  );
  await update(integration.id, { homepageUrl: null, privacyUrl: null });
  assert.doesNotMatch((await visitor.get(path)).text, /lumen.example.com/);
});

test('integrations.update: what is left out stays, the same again is not audited, both sides are', async () => {
  const integration = await makeIntegration(harness);
  const change = { purposes: ['Lend you money'] };
  await update(integration.id, change);
  const again = await update(integration.id, change);
  assert.deepEqual(again.body.data.purposes, change.purposes);
  assert.equal(again.body.data.name, integration.name);
  const filter = { subject: `integration:${integration.id}`, action: 'integrations.update' };
  const { items } = (await harness.operator('audit.list', filter)).body.data;
  assert.deepEqual(
    items.map(({ before, after }: { before: typeof change; after: typeof change }) => [
      before.purposes,
      after.purposes,
    ]),
    [[['Open an account', 'Check who you are'], ['Lend you money']]],
  );
});

test('a removed redirect URI is not used again: open links end, decided ones do not lead there', async () => {
  const integration = await makeIntegration(harness);
  const [open, decided] = [await openRequest(integration), await openRequest(integration)];
  const fields = { decision: 'refuse' };
  await decided.visitor.get(decided.path);
  assert.equal((await decided.visitor.post(decided.path, fields)).status, 303);
  assert.equal((await open.visitor.get(open.path)).status, 200);
  await update(integration.id, { redirectUris: ['https://new.example.com/back'] });
  assert.equal((await open.visitor.get(open.path)).status, 410);
  assert.equal((await open.visitor.post(open.path, fields)).status, 410);
  assert.equal((await decided.visitor.post(decided.path, fields)).headers.get('location'), null);
});

for (const [change, status, error] of [
  [{}, 400, 'body must have at least 2 fields'],
  [{ redirectUris: [] }, 400, 'redirectUris must not be empty'],
  [{ redirectUris: ['http://app.example.com'] }, 400, 'redirectUris.0 must be https://'],
  [{ homepageUrl: 'javascript:alert(1)' }, 400, 'homepageUrl must'],
  [{ privacyUrl: 'http://lumen.example.com/' }, 400, 'privacyUrl must be https://'],
  [{ privacyUrl: 'https://user:secret@lumen.example.com/' }, 400, 'privacyUrl must have no user name'],
  [{ scopes: ['kyc'] }, 400, 'Unknown field: scopes'],
] as const) {
  test(`${status} integrations.update: ${JSON.stringify(change)}`, async () => {
    const answer = await update((await makeIntegration(harness)).id, change);
    assert.equal(answer.status, status);
    assert.ok(answer.body.error.startsWith(error), answer.body.error);
  });
}

test('404 and 409 integrations.update: unknown, revoked', async () => {
  const unknown = await update('0198a0de-ffff-7000-8000-000000000000', { name: 'Nobody' });
  assert.deepEqual([unknown.status, unknown.body.error], [404, 'Integration not found']);
  const { id } = await makeIntegration(harness);
  await harness.operator('integrations.revoke', { integrationId: id });
  const revoked = await update(id, { name: 'Late' });
  assert.deepEqual([revoked.status, revoked.body.error], [409, 'Integration is revoked']);
});
