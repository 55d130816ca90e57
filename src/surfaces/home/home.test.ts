import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import { renderHome } from './home-page.ts';

const harness = useHarness();
const home = { fault: undefined, networksWithoutNode: [], hasMetrics: true, section: undefined };

test('200 GET /: a page that says whether it is ready and where to go, and shows no key', async () => {
  const response = await fetch(harness.url);
  const text = await response.text();
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type')!, /^text\/html/);
  assert.match(response.headers.get('content-security-policy')!, /default-src 'none'/);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.match(text, /<p class="status[^>]*>Ready/);
  for (const place of ['/docs', '/openapi.json', '/metrics']) {
    assert.ok(text.includes(`href="${place}"`), place);
    assert.equal((await fetch(harness.url + place)).status, 200, place);
  }
  assert.doesNotMatch(text, /cw[kio]_|tour/);
});

test('the style sheet is served', async () => {
  const response = await fetch(`${harness.url}/home.css`);
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/css; charset=utf-8']);
});

test('the page says what is wrong, and leaves out what is elsewhere', () => {
  assert.match(
    renderHome({ ...home, fault: 'The database does not answer.' }),
    /Not ready: The database does not/,
  );
  assert.match(renderHome({ ...home, networksWithoutNode: ['base'] }), /no node answers on base/);
  assert.doesNotMatch(renderHome({ ...home, hasMetrics: false }), /\/metrics/);
});
