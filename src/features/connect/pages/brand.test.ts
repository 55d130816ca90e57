import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { signIn, visit } from '#test/callers/visitor';
import { makeConsentRequest, makeIntegration, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';

const brand = {
  name: 'Ponte & Filhos',
  address: [],
  logoFile: 'test/data/logo.png',
  color: '#7a1fa2',
  supportUrl: 'https://example.com/help?a=1&b=2',
  privacyUrl: 'https://example.com/privacy',
};
const harness = useHarness({ brand });
const plain = useHarness();

test('every page has the name and the logo of the operator, and links to help and to the privacy policy', async () => {
  const visitor = await signIn(harness, (await makeUser(harness)).id);
  const { linkToken } = await makeConsentRequest(harness, await makeIntegration(harness));
  const pages = [
    await visitor.get(`/connect/requests/${linkToken}`),
    await visitor.get('/connect/apps'),
    await visitor.get('/connect/nowhere'),
    await visit(`${harness.url}/connect/apps`),
    await visit(`${harness.url}/statements/verify`),
  ];
  for (const { text } of pages) {
    assert.match(text, /<title>[^<]+ · Ponte &#38; Filhos<\/title>/);
    assert.match(text, /<strong>Ponte &#38; Filhos<\/strong>/);
    assert.match(text, /<img src="\/connect\/brand-logo\?v=[0-9a-f]{12}" alt=""/);
    assert.match(text, /<a href="https:\/\/example.com\/help\?a=1&#38;b=2"[^>]*>Get help</);
    assert.match(text, /<a href="https:\/\/example.com\/privacy"[^>]*>Privacy policy</);
  }
});

test('the logo and the colour come from our origin', async () => {
  const { text } = await visit(`${harness.url}/connect/apps`);
  const [, logo] = /<img src="([^"]+)"/.exec(text)!;
  const response = await fetch(harness.url + logo);
  assert.equal(response.headers.get('content-type'), 'image/png');
  assert.match(response.headers.get('cache-control')!, /immutable/);
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(readFileSync(brand.logoFile)));
  const [, style] = /<link rel="stylesheet" href="([^"]+)"/.exec(text)!;
  assert.match((await visit(harness.url + style)).text, /--accent: #7a1fa2/);
});

test('without these settings there is the name, and no empty link or picture', async () => {
  const { text } = await visit(`${plain.url}/connect/apps`);
  assert.match(text, /<strong>Causeway<\/strong>/);
  assert.doesNotMatch(text, /<img|Get help|Privacy policy|href=""/);
  assert.equal((await visit(`${plain.url}/connect/brand-logo`)).status, 404);
});

test('the purpose is in the reader’s language, where the integration has it', async () => {
  const integration = await makeIntegration(harness, {
    purposes: ['Open an account', 'Check who you are'],
    purposesPt: ['Abrir uma conta', 'Conferir quem você é'],
  });
  const visitor = await signIn(harness, (await makeUser(harness)).id);
  const { linkToken } = await makeConsentRequest(harness, integration, { purpose: 'Check who you are' });
  const read = async (language: string) =>
    (await visitor.get(`/connect/requests/${linkToken}`, { 'accept-language': language })).text;
  assert.match(await read('pt-BR'), /Conferir quem você é/);
  assert.match(await read('en'), /Check who you are/);
  const update = (change: object) =>
    harness.operator('integrations.update', { integrationId: integration.id, ...change });
  const fault = await update({ purposesPt: ['Abrir uma conta'] });
  assert.deepEqual(
    [fault.status, fault.body.error],
    [400, 'purposesPt must have one translation for each purpose'],
  );
  // The request keeps what it stated, and a purpose that stays keeps its translation.
  await update({ purposesPt: ['Abrir', 'Outro texto'] });
  const { body } = await update({ purposes: ['Lend', 'Check who you are'] });
  assert.deepEqual(body.data.purposesPt, [null, 'Outro texto']);
  assert.match(await read('pt-BR'), /Conferir quem você é/);
  await update({ purposesPt: null });
  assert.match(await read('pt-BR'), /Conferir quem você é/);
});

test('a purpose that is only in English is marked as English on a Portuguese page', async () => {
  const visitor = await signIn(harness, (await makeUser(harness)).id);
  const { linkToken } = await makeConsentRequest(harness, await makeIntegration(harness));
  const { text } = await visitor.get(`/connect/requests/${linkToken}`, { 'accept-language': 'pt' });
  assert.match(text, /<span lang="en">Open an account<\/span>/);
});

test('only files of this process are kept by browsers', async () => {
  for (const file of ['style.css', 'brand-logo']) {
    const { status, headers } = await visit(`${harness.url}/connect/${file}?v=000000000000`);
    assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'], file);
  }
});

test('no page is a dead end: each refusal has a next step', async () => {
  const user = await makeUser(harness);
  const visitor = await signIn(harness, user.id);
  const { linkToken } = await makeConsentRequest(harness, await makeIntegration(harness));
  const request = `/connect/requests/${linkToken}`;
  await visitor.get(request);
  const waysOf = (text: string) =>
    [...text.matchAll(/<a class="button" href="([^"]+)">/g)].map(([, address]) => address!);
  const expected: [{ text: string; status: number }, number, string[]][] = [
    [await visitor.get('/connect/nowhere'), 404, ['/connect/apps']],
    [await visitor.get('/connect/requests/unknown'), 404, ['/connect/apps']],
    [await visitor.post(request, { decision: 'perhaps' }), 400, [request, '/connect/apps']],
    [await visitor.post(request, { csrf: 'x', decision: 'grant' }), 403, [request, '/connect/apps']],
    [await visit(`${harness.url}/connect/nowhere`), 404, ['/connect/apps']],
    [await visit(`${harness.url}/connect/sign-in/unknown`), 404, ['/connect/apps']],
    [await visit(`${harness.url}/statements/verify?code=x`), 404, ['/statements/verify']],
  ];
  for (const [page, status, ways] of expected)
    assert.deepEqual([page.status, waysOf(page.text)], [status, ways]);
  const help = 'https://example.com/help?a=1&#38;b=2';
  assert.deepEqual(waysOf((await visit(`${harness.url}/connect/apps`)).text), [help]);
  const { text } = await visit(`${plain.url}/connect/apps`);
  assert.match(text, /You can close this page and return to the app\./);
});
