import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { browserTest, useBrowser } from '#test/callers/browser';
import { useHarness } from '#test/harness';
import { addressOf, openLibrary } from './library.ts';
import { renderMarkdown } from './render-markdown.ts';

const harness = useHarness();
const browser = useBrowser();
const get = (path: string) => harness.request('GET', path);

/** As it is written: fetch would resolve `..` first. */
const statusOf = (path: string) =>
  new Promise<number>((resolve, reject) =>
    request(`${harness.url}/`, { path }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end(),
  );

test('200 /guides lists every task guide, without scripts, and each page answers', async () => {
  const { status, headers, body } = await get('/guides');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(headers.get('content-security-policy')!, /^default-src 'none'; style-src 'self'/);
  assert.doesNotMatch(body, /<script|style=/);
  const { guides } = openLibrary();
  for (const { name, isTask, title } of guides.values()) {
    if (name === 'README') continue;
    if (isTask) assert.ok(body.includes(`href="/guides/${name}"`), name);
    const page = await get(`/guides/${name}`);
    assert.equal(page.status, 200, name);
    assert.ok(page.body.includes(`<title>${title.replaceAll("'", '&#39;')} · Causeway</title>`), name);
  }
});

test('every link of every page that leads to us answers, and its anchor is there', async () => {
  const { guides } = openLibrary();
  const pages = new Map<string, string>();
  const open = async (address: string) => {
    if (!pages.has(address)) {
      const { status, body } = await get(address);
      assert.equal(status, 200, address);
      pages.set(address, String(body));
    }
    return pages.get(address)!;
  };
  let count = 0;
  for (const { name } of guides.values()) {
    const own = name === 'README' ? '/guides' : `/guides/${name}`;
    for (const [, href] of (await open(own)).matchAll(/(?:href|src)="((?:\/guides|#)[^"]*)"/g)) {
      const [address, anchor] = href!.split('#');
      const page = await open(address || own);
      if (anchor) assert.ok(page.includes(`id="${anchor}"`), `${own} → ${href}`);
      count += 1;
    }
  }
  assert.ok(count > 100, String(count));
});

test('200 search finds sections by words of headings and text, task guides first', async () => {
  const { status, body } = await get('/guides?q=Wallet%20HALTS');
  assert.equal(status, 200);
  assert.match(body, /href="\/guides\/operating#when-a-wallet-halts"/);
  assert.match(body, /<mark>/);
  assert.match((await get('/guides?q=rotate')).body, /<li>\s*<a href="\/guides\/first-partner#/);
  assert.match((await get('/guides?q=nowhere-to-be-found')).body, /Nothing found/);
  assert.match((await get('/guides?q=')).body, /<h1 id="guides">/);
});

test('200 what is searched for is shown as text, whatever characters it has', async () => {
  for (const query of [
    '<script>alert(1)</script>',
    '"\'&',
    '(((',
    '\\',
    '[a-',
    '--json',
    '%',
    'ß İ',
    'a '.repeat(200),
  ]) {
    const { status, body } = await get(`/guides?q=${encodeURIComponent(query)}`);
    assert.equal(status, 200, query);
    assert.doesNotMatch(body, /<script/);
  }
});

test('404 for what is not in docs/, however its path is written; 405 for other methods', async () => {
  for (const path of [
    '/guides/nothing',
    '/guides/../package.json',
    '/guides/..%2f..%2fpackage.json',
    '/guides/%2e%2e/package.json',
    '/guides/guides/../../README',
    '/guides/quick-start.md',
    '/guides//quick-start',
    '/guides/__proto__',
  ])
    assert.equal(await statusOf(path), 404, path);
  assert.equal((await harness.request('POST', '/guides')).status, 405);
  assert.equal(await statusOf('/guides/'), 308);
});

test('200 files beside the guides are plain, and pictures are pictures', async () => {
  const { status, headers } = await get('/guides/deploy/nginx.conf');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal((await get('/guides/images/home.png')).headers.get('content-type'), 'image/png');
});

test('HTML in Markdown is shown as text, and a link to elsewhere is only its words', () => {
  const library = openLibrary();
  const from = library.guides.get('quick-start')!;
  const { text } = renderMarkdown(
    '# A <b>b</b>\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) [y](../../src/app.ts) ![z](data:x)\n\n' +
      '[g](history.md#trust-it) [w](https://example.com/"onclick="x) `<i>`\n\n```sh\n<u>\n```\n\n## Again\n\n## Again',
    (link) => addressOf(library, from, link),
  );
  assert.doesNotMatch(text, /<script|<b>|<i>|<u>|javascript:|src\/app|data:|" ?onclick/);
  assert.match(text, /<a href="\/guides\/history#trust-it">g<\/a>/);
  assert.match(text, /<h2 id="again">.*<h2 id="again-1">/s);
});

browserTest('a guide fits a telephone, and the search works there', async () => {
  const { page, strayed, errors } = await browser.open(harness.url, {
    viewport: { width: 360, height: 740 },
  });
  await page.goto(`${harness.url}/guides/production`);
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  assert.ok(Number(wide) <= 360, String(wide));
  await page.getByRole('searchbox').fill('restore');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('link', { name: 'Restore', exact: true }).first().click();
  await page.waitForURL('**/guides/backup#restore');
  assert.deepEqual([strayed, errors], [[], []]);
  await page.context().close();
});
