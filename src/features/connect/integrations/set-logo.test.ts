import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decode } from 'fast-png';
import { signIn } from '#test/callers/visitor';
import { makeConsent, makeConsentRequest, makeIntegration, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';

const harness = useHarness();
const picture = readFileSync('test/data/logo.png');

const setLogo = (integrationId: string, logo: string | null) =>
  harness.operator('integrations.set-logo', { integrationId, logo });
const fetchLogo = (integrationId: string, sha256: string) =>
  fetch(`${harness.url}/connect/logos/${integrationId}/${sha256}`);

test('200 the logo is drawn again, served by us, and shown on the request and among connected apps', async () => {
  const integration = await makeIntegration(harness);
  const { status, body } = await setLogo(integration.id, picture.toString('base64'));
  assert.equal(status, 200, body.error);
  const { logoSha256 } = body.data;
  const response = await fetchLogo(integration.id, logoSha256);
  assert.equal(response.headers.get('content-type'), 'image/png');
  assert.match(response.headers.get('cache-control')!, /immutable/);
  const served = Buffer.from(await response.arrayBuffer());
  assert.equal(hash('sha256', served), logoSha256);
  assert.ok(!served.equals(picture));
  const { width, height } = decode(served);
  assert.ok(width === height && width <= 192);

  const user = await makeUser(harness);
  await makeConsent(harness, integration, { userId: user.id });
  const visitor = await signIn(harness, user.id);
  const { linkToken } = await makeConsentRequest(harness, integration);
  for (const path of [`/connect/requests/${linkToken}`, '/connect/apps'])
    assert.ok(
      (await visitor.get(path)).text.includes(`src="/connect/logos/${integration.id}/${logoSha256}"`),
    );
});

test('integrations.set-logo: null removes it, the same again is not audited, a former one is gone', async () => {
  const { id } = await makeIntegration(harness);
  const first = (await setLogo(id, picture.toString('base64'))).body.data;
  await setLogo(id, picture.toString('base64'));
  const removed = (await setLogo(id, null)).body.data;
  assert.equal(removed.logoSha256, null);
  assert.equal((await fetchLogo(id, first.logoSha256)).status, 404);
  const filter = { subject: `integration:${id}`, action: 'integrations.set-logo' };
  const { items } = (await harness.operator('audit.list', filter)).body.data;
  assert.deepEqual(
    items.map(({ before, after }: Record<string, { logoSha256: string }>) => [
      before!.logoSha256,
      after!.logoSha256,
    ]),
    [
      [first.logoSha256, null],
      [null, first.logoSha256],
    ],
  );
});

test('integrations.set-logo refuses what is no picture, an unknown integration and a revoked one', async () => {
  const { id } = await makeIntegration(harness);
  const text = Buffer.from('<svg onload="alert(1)"/>').toString('base64');
  for (const [integrationId, logo, status, error] of [
    [id, text, 400, 'logo must be a PNG file: save a picture of another kind as PNG'],
    [id, '!!!', 400, 'logo must be a PNG file: save a picture of another kind as PNG'],
    [id, 'A'.repeat(700_000), 400, 'logo must be a file of at most 500 KB'],
    ['0198a6a0-0000-7000-8000-00000000ffff', picture.toString('base64'), 404, 'Integration not found'],
  ] as const) {
    const answer = await setLogo(integrationId, logo);
    assert.deepEqual([answer.status, answer.body.error], [status, error]);
  }
  await harness.operator('integrations.revoke', { integrationId: id });
  assert.equal((await setLogo(id, picture.toString('base64'))).status, 409);
  assert.equal((await setLogo(id, null)).status, 200);
});

test('404 for a logo that is not there, whatever its name', async () => {
  const { id } = await makeIntegration(harness);
  for (const path of [`${id}/${'0'.repeat(64)}`, `${id}/x`, `${id}/%00`, 'x/x'])
    assert.equal((await fetch(`${harness.url}/connect/logos/${path}`)).status, 404, path);
});
