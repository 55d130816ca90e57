import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { browserTest as test, useBrowser } from '#test/callers/browser';
import { useIssuer } from '#test/outside/issuer';
import { noteSecret } from './harness.ts';

// The file that callers are given, in a browser that they would load it into.

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '..', file));
const vectors = JSON.parse(read('docs/reveal-vectors.json').toString());
// As a value: TypeScript would look for a file of that name.
const module = '/reveal-in-browser.js';
const timeout = 600_000;
const browser = useBrowser();
const sandbox = useIssuer();

const server = createServer((request, response) => {
  const isModule = request.url === module;
  response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html; charset=utf-8');
  // A page without an icon requests one and logs an error if it is missing.
  response.end(
    isModule ? read('src/adapters/issuer/reveal-in-browser.js') : '<link rel="icon" href="data:,">',
  );
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(() => {
  server.close();
  server.closeAllConnections();
});

/** In a new page, which asks nobody but us for anything and complains of nothing. */
async function inPage(work: (page: Page) => Promise<void>): Promise<void> {
  const { page, strayed, errors } = await browser.open(origin);
  await page.goto(`${origin}/`, { timeout });
  await work(page);
  assert.deepEqual({ strayed, errors }, { strayed: [], errors: [] });
  await page.close();
}

const checkVectors = (page: Page, vectors: unknown): Promise<string[]> =>
  page.evaluate(async ({ module, vectors }) => (await import(module)).checkRevealVectors(vectors), {
    module,
    vectors,
  });

test('a browser’s WebCrypto agrees with the published vectors', { timeout }, () =>
  inPage(async (page) => {
    assert.equal(await page.evaluate('isSecureContext'), true);
    assert.match(await page.evaluate('navigator.userAgent'), /Chrome/);
    assert.deepEqual(await checkVectors(page, vectors), []);
  }),
);

test('the check in a browser finds what does not fit', { timeout }, () =>
  inPage(async (page) => {
    const spoilt = structuredClone(vectors);
    spoilt.valid[0].secrets[0].plaintext = '4111111111111112';
    spoilt.invalid[0].sessionId = spoilt.valid[0].sessionId;
    const faults = (await checkVectors(page, spoilt)).join('\n');
    assert.match(faults, /pan opened/);
    assert.match(faults, /is refused/);
  }),
);

test('a page opens what the issuer encrypted for it: the number of the vault, and a code', { timeout }, () =>
  inPage(async (page) => {
    const { issuer } = sandbox;
    const card = await makeCard();
    const publicKey = await issuer.readRevealKey();
    // The session's key stays in the page, as it would with a caller.
    const sessionId = await page.evaluate(
      async ({ module, publicKey }) => {
        const session = await (await import(module)).startSession(publicKey);
        Object.assign(globalThis, { session });
        return session.sessionId as string;
      },
      { module, publicKey },
    );
    const request = { cardId: card.id, cardIssuerUserId: card.cardIssuerUserId, sessionId };
    const { encryptedPan, encryptedCvc } = await issuer.reveal(request);
    const open = (encrypted: string) =>
      page.evaluate(
        async ({ module, encrypted }) => {
          const { key } = (globalThis as unknown as { session: { key: Uint8Array } }).session;
          const opening: Promise<string> = (await import(module)).openSecret(key, encrypted);
          return opening.catch((error: Error) => error.name);
        },
        { module, encrypted },
      );

    const number = noteSecret(await open(encryptedPan));
    assert.deepEqual([number], await sandbox.vaultNumbers());
    assert.equal(number.slice(-4), card.lastFourDigits);
    assert.match(await open(encryptedCvc), /^[0-9]{3}$/);
    const altered = Buffer.from(encryptedPan, 'base64');
    altered[14]! ^= 1;
    assert.equal(await open(altered.toString('base64')), 'OperationError');
    await assert.rejects(issuer.reveal(request), { reason: 'session-used' });
  }),
);

async function makeCard() {
  const { issuer } = sandbox;
  const user = await issuer.createUser({ reference: randomUUID(), idempotencyKey: randomUUID() });
  const [card] = await issuer.createCards({
    cardIssuerUserId: user.id,
    cards: [{ name: 'Test Person', nickname: null, spendingLimit: '1.00', spendingInterval: 'monthly' }],
    idempotencyKey: randomUUID(),
  });
  return card!;
}
