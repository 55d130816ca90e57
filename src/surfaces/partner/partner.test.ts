import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { signIn } from '#test/worlds/console';
import { localhostOf } from '#test/worlds/people';

const harness = useHarness();
const pages = [
  '/partner',
  '/partner/users',
  '/partner/addresses',
  '/partner/addresses/new',
  '/partner/keys',
  '/partner/keys/new',
  '/partner/webhooks',
  '/partner/webhooks/new',
  '/partner/requests',
  '/partner/team',
  '/partner/team/new',
  '/partner/withdrawals',
  '/partner/withdrawals/new',
  '/partner/limits',
  '/partner/statements',
  '/partner/payouts/upload',
];

test('303 without a session: to the sign-in page, and back', async () => {
  const { host } = new URL(localhostOf(harness));
  for (const path of pages) {
    const { status, headers } = await harness.request('GET', path, { headers: { host } });
    assert.equal(status, 303, path);
    const location = new URL(headers.get('location')!, localhostOf(harness));
    const page = await harness.request('GET', location.pathname + location.search, { headers: { host } });
    assert.ok(page.body.includes(`data-next="${path}"`));
  }
});

test('403 a page in words for staff of the operator', async () => {
  const visitor = await signIn(harness);
  for (const path of pages) {
    const { status, body } = await visitor.get(path);
    assert.equal(status, 403, path);
    assert.ok(body.includes('These pages are for staff of partners'));
  }
});

test('404 a page in words for a path that does not exist', async () => {
  const { partnerId } = await makeKey(harness);
  const visitor = await signIn(harness, { role: 'owner', partnerId });
  const { status, headers, body } = await visitor.get('/partner/unknown');
  assert.equal(status, 404);
  assert.match(headers.get('content-type')!, /^text\/html/);
  assert.ok(body.includes('Page not found'));
});

test('every page has the strict headers and fits into 60 kB', async () => {
  const { partnerId } = await makeKey(harness);
  const visitor = await signIn(harness, { role: 'owner', partnerId });
  for (const path of pages) {
    const { status, headers, body } = await visitor.get(path);
    assert.equal(status, 200, path);
    assert.match(headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.ok(Buffer.byteLength(body) < 60_000, `${path}: ${Buffer.byteLength(body)} bytes`);
  }
});
