import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import { signIn } from '#test/worlds/console';

const harness = useHarness();
const refresh = { 'x-refresh': '1' };

test('303 an open page that refreshes its figures does not keep an idle session open', async () => {
  const visitor = await signIn(harness);
  harness.advance(10 * 60_000);
  assert.equal((await visitor.get('/console', refresh)).status, 200);
  harness.advance(6 * 60_000);
  const { status, headers } = await visitor.get('/console', refresh);
  assert.deepEqual([status, headers.get('location')?.startsWith('/people/sign-in')], [303, true]);
});

test('a click keeps the session open, also between refreshes', async () => {
  const visitor = await signIn(harness);
  harness.advance(10 * 60_000);
  await visitor.get('/console', refresh);
  assert.equal((await visitor.get('/console/commands')).status, 200);
  harness.advance(10 * 60_000);
  assert.equal((await visitor.get('/console', refresh)).status, 200);
});
