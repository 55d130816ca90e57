import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { before } from 'node:test';
import { browserTest as test, useBrowser } from '#test/callers/browser';
import { buildClient } from '#test/callers/install-client';
import { testFolder } from '../harness.ts';
import { answer, type Step, useScriptedServer } from './scripted-server.ts';

const browser = useBrowser();
const server = useScriptedServer();
let built: string;
before(() => {
  built = mkdtempSync(path.join(testFolder(), 'client-'));
  buildClient(built);
});

let creates = 0;
/** The page, the built files, and an API that fails at first. */
const site: Step = (response, request) => {
  const file = path.join(built, request.url.replace('/client/', ''));
  if (request.url.startsWith('/client/') && existsSync(file)) {
    response.setHeader('content-type', 'text/javascript');
    return void response.end(readFileSync(file));
  }
  if (request.method === 'POST') {
    const step = creates++ === 0 ? answer(503, {}) : answer(200, { data: { bulkId: 'bulk-1' } });
    return step(response, request);
  }
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end('<link rel="icon" href="data:,">');
};

interface Seen {
  bulkId: string;
  event: unknown;
  refused: string;
}

// A text, because TypeScript would look for the module here.
const script = `(async () => {
  const { Causeway, webhooks } = await import('/client/index.js');
  const causeway = new Causeway({ baseUrl: location.origin, apiKey: 'cwk_test' });
  const { bulkId } = await causeway.withdrawals.create({ userId: 'ana', amount: '1', to: 'bruno@example.com' });
  const headers = new Headers({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
  const unwrap = (body) =>
    webhooks.unwrap(body, headers, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { toleranceSeconds: Infinity });
  const refused = await unwrap('{"test": 1}').catch((error) => error.name);
  return { bulkId, event: await unwrap('{"test": 2432232314}'), refused };
})()`;

test('a browser loads the built files, repeats a create under its key, and verifies a webhook', async () => {
  server.play(site);
  const { page, strayed } = await browser.open(server.url);
  await page.goto(`${server.url}/`);
  const seen = await page.evaluate<Seen>(script);
  assert.deepEqual(seen, {
    bulkId: 'bulk-1',
    event: { test: 2432232314 },
    refused: 'WebhookVerificationError',
  });
  const keys = server.received
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) => headers['idempotency-key']);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  assert.deepEqual(strayed, []);
  await page.close();
});
