import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLink, signIn, visit } from '#test/callers/visitor';
import { makeConsentRequest, makeIntegration, makeUser } from '#test/data/factories';
import { readTestLog } from '#test/harness';
import { signInUrl, useConnectPages } from '#test/worlds/connect-pages';

const { harness, newVisitor, sql, ask, statusOf } = useConnectPages();

test('200 the page says who asks, what for, which data with its values, and for how long; numbers are hidden', async () => {
  const user = await makeUser(harness, { givenName: 'Zoë', familyName: '<b>O’Hara</b>' });
  const visitor = await signIn(harness, user.id);
  const { path, integration } = await ask({ duration: { kind: 'days', days: 30 } });
  const { text } = await visitor.get(path);
  for (const words of [
    `${integration.name} wants to access your data`,
    'Open an account',
    'Zoë &#60;b&#62;O’Hara&#60;/b&#62;',
    user.email,
    'Document number',
    'For 30 days, until <time',
    'app.example.com',
    'Signed in as',
  ]) {
    assert.ok(text.includes(words), words);
  }
  assert.ok(!text.includes('<b>'));
  assert.ok(!/DOC-|TAX-/.test(text));
  assert.ok(text.includes('Hidden values will be shared in full.'));
  const [, decider] = /<p class="decider">(.*)<\/p>\n<div class="decision">/.exec(text)!;
  assert.ok(decider!.startsWith('Signed in as') && decider!.includes(user.email));
  assert.equal([...text.matchAll(/type="checkbox"/g)].length, 2);
  assert.ok(!text.includes('checked'), 'nothing optional is ticked beforehand');
});

test('200 where there is no number on record, none is said to be hidden', async () => {
  const user = await makeUser(harness, { documentNumber: undefined, taxId: undefined });
  const { path } = await ask();
  const { text } = await (await signIn(harness, user.id)).get(path);
  assert.ok(text.includes('Verified identity') && !text.includes('dotted out'));
});

test('200 a name that is made to deceive is shown without what hides or reorders', async () => {
  const integration = await makeIntegration(harness, { name: 'Bank\u202e\u200b of "X" <img>' });
  const { linkToken } = await makeConsentRequest(harness, integration);
  const { text } = await (await newVisitor()).get(`/connect/requests/${linkToken}`);
  assert.ok(text.includes('Bank of &#34;X&#34; &#60;img&#62; wants to access your data'));
  assert.ok(!/[\u202e\u200b]|<img/.test(text));
});

test('every page has headers that forbid frames, scripts, referrers and keeping it', async () => {
  const visitor = await newVisitor();
  const { path } = await ask();
  const strict =
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
  for (const [page, policy] of [
    [
      await visitor.get(path),
      strict.replace("form-action 'self'", "form-action 'self' https://app.example.com"),
    ],
    [await visitor.get('/connect/apps'), strict],
    [await visit(`${harness.url}/connect/apps`), strict],
    [await visitor.get('/connect/nowhere'), strict],
    [await visitor.post(path, { csrf: 'x' }), strict],
    [await visit(`${harness.url}/connect/sign-in/x`), strict],
    [await visitor.get('/connect/apps?a=%ff'), strict],
    [await visitor.get('/connect/%zz'), strict],
    [await visitor.get(`/connect/requests/${'x'.repeat(1_000)}`), strict],
    [await visitor.get('/connect/apps?done=a&done=b'), strict],
    [await visitor.get(new URL(await makeLink(harness, (await makeUser(harness)).id)).pathname), strict],
  ] as const) {
    const { headers, status, text } = page;
    assert.equal(headers.get('content-security-policy'), policy, String(status));
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.ok(!/<script|<style| style=| on[a-z]+=|javascript:/i.test(text), 'nothing inline');
    assert.deepEqual(
      text.match(/(?:src|href)="(?!\/connect\/|data:,|https:\/\/login\.example\.com\/)[^"]*"/g),
      null,
    );
  }
});

test('200 the style sheet is ours and may be kept', async () => {
  const { text } = await visit(`${harness.url}/connect/apps`);
  const [, address] = /<link rel="stylesheet" href="([^"]+)"/.exec(text)!;
  const { status, headers } = await visit(harness.url + address);
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/css; charset=utf-8']);
  assert.match(headers.get('cache-control')!, /^public, max-age=\d+/);
});

test('401 without a session: a redirect to the operator’s login, with the way back', async () => {
  const { path, consentId } = await ask();
  for (const [method, where, returnTo] of [
    ['GET', path, path],
    ['POST', path, path],
    ['GET', '/connect/apps', '/connect/apps'],
    ['GET', '/connect/apps?done=//evil.example', '/connect/apps'],
    ['POST', `/connect/apps/${consentId}/revoke`, '/connect/apps'],
    ['GET', '/connect/requests/%2F%2Fevil.example', '/connect/apps'],
  ] as const) {
    const { status, text } = await visit(harness.url + where, {
      method,
      ...(method === 'POST' && { form: '' }),
    });
    assert.equal(status, 401, where);
    const href = /<a class="button" href="([^"]+)"/.exec(text)![1]!.replaceAll('&#38;', '&');
    assert.equal(href, `${signInUrl}&return_to=${encodeURIComponent(returnTo)}`);
  }
  assert.equal(await statusOf(consentId), 'awaiting');
});

test('404 a sign-in link that does not work leads to the operator’s login', async () => {
  const { text } = await visit(`${harness.url}/connect/sign-in/x`);
  assert.ok(text.includes('href="https://login.example.com/start?tenant=a&#38;return_to=%2Fconnect%2Fapps"'));
});

test('pages and errors are in Portuguese for who reads it', async () => {
  const visitor = await newVisitor();
  const { path, integration } = await ask({ duration: { kind: 'days', days: 1 } });
  const portuguese = { 'accept-language': 'pt-BR,pt;q=0.9,en;q=0.5' };
  const { text, headers } = await visitor.get(path, portuguese);
  assert.ok(
    text.includes('<html lang="pt-BR">') && text.includes(`${integration.name} quer acessar seus dados`),
  );
  assert.match(text, /Por 1 dia, até <time datetime="[^"]+">\d+ de [a-zç]+ de \d{4}<\/time>\./);
  assert.match(headers.get('vary')!, /Accept-Language/);
  for (const [where, words] of [
    ['/connect/nowhere', 'Esta página não existe'],
    ['/connect/sign-in/x', 'Este link de acesso não funciona'],
    [`/connect/requests/${'a'.repeat(43)}`, 'Este pedido não existe'],
    ['/connect/apps', 'Nenhum aplicativo pode ler seus dados.'],
  ] as const) {
    assert.ok((await visitor.get(where, portuguese)).text.includes(words), words);
  }
});

test('404 what is not there is a page too, and HEAD opens nothing', async () => {
  const visitor = await newVisitor();
  for (const where of ['/connect/apps/', '/connect/requests', '/connect/Apps']) {
    const { status, headers } = await visitor.get(where);
    assert.equal(status, 404, where);
    assert.match(headers.get('content-type')!, /^text\/html/, where);
  }
  for (const where of ['/connect', '/connect/']) {
    const { status, headers } = await visitor.get(where);
    assert.deepEqual([status, headers.get('location')], [303, '/connect/apps'], where);
  }
  const { path } = await ask();
  assert.equal(
    (await visit(harness.url + path, { method: 'HEAD', headers: { cookie: visitor.cookie } })).status,
    405,
  );
  const second = await newVisitor();
  assert.equal((await second.get(path)).status, 200);
});

test('500 what fails within is a page without its reason, with a reference', async () => {
  const visitor = await newVisitor();
  await sql('alter table consents rename to consents_away');
  try {
    const { status, text, headers } = await visitor.get('/connect/apps');
    assert.equal(status, 500);
    assert.match(text, /Something went wrong on our side/);
    assert.ok(text.includes(headers.get('x-request-id')!) && !text.includes('consents_away'));
  } finally {
    await sql('alter table consents_away rename to consents');
  }
});

test('the log has routes by their pattern, and no end of a link, cookie or token', async () => {
  const visitor = await newVisitor();
  const { path: asked } = await ask();
  await visitor.get(asked);
  const log = readTestLog();
  assert.ok(log.includes('"route":"/connect/requests/:linkToken"'));
  assert.ok(log.includes('"route":"/connect/sign-in/:linkSecret"'));
  for (const secret of [asked.split('/').at(-1)!, visitor.cookie.split('=')[1]!, visitor.csrf])
    assert.ok(!log.includes(secret));
});
