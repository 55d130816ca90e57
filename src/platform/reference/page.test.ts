import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { browserTest, useBrowser } from '#test/callers/browser';
import { useHarness } from '#test/harness';

const harness = useHarness();
const browser = useBrowser();

const viewerAddress = async () => {
  const { body } = await harness.request('GET', '/docs');
  const [, address] = /src="(\/docs\/[0-9a-f]{12}-scalar\.js)"/.exec(body)!;
  return address!;
};

test('200: the viewer is the file of the published package, compressed for browsers that take it', async () => {
  const address = await viewerAddress();
  const plain = await fetch(harness.url + address, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  // dist/browser/standalone.js of @scalar/api-reference 1.72.1.
  assert.equal(
    createHash('sha256')
      .update(Buffer.from(await plain.arrayBuffer()))
      .digest('hex'),
    'bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c',
  );
  const packed = await fetch(harness.url + address, { headers: { 'accept-encoding': 'gzip, br' } });
  assert.equal(packed.headers.get('content-encoding'), 'br');
  assert.match(packed.headers.get('cache-control')!, /immutable/);
});

test('404: another file, or the same under another hash', async () => {
  for (const name of ['scalar.js', '000000000000-scalar.js', 'page.ts', '..%2fpage.ts'])
    assert.equal((await harness.request('GET', `/docs/${name}`)).status, 404, name);
});

const screenshots = process.env.CAUSEWAY_SCREENSHOTS;
const looks = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const;

/** Headings of operations and their anchors: the viewer shows the others when they are scrolled to. */
const places = {
  'Create a withdrawal': 'withdrawals/POST/api/crypto/{userId}/withdraw',
  'Read history': 'history/GET/api/history',
  'Call a tool': 'mcp/POST/mcp',
  'Read consented data': 'connect/GET/api/v1/consent/{consentId}/user',
};

for (const { width, colorScheme } of looks) {
  browserTest(`/docs at ${width} px, ${colorScheme}: operations, and no request to elsewhere`, async () => {
    const viewport = { width, height: 900 };
    const { page, strayed, errors } = await browser.open(harness.url, { viewport, colorScheme });
    page.setDefaultTimeout(120_000);
    const take = async (name: string) => {
      if (screenshots)
        await page.screenshot({ path: `${screenshots}/docs-${width}-${colorScheme}-${name}.png` });
    };
    await page.goto(`${harness.url}/docs`, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { name: 'Causeway', exact: true }).waitFor();
    await take('top');
    for (const [heading, place] of Object.entries(places)) {
      await page.goto(`${harness.url}/docs#tag/${place}`);
      await page.getByRole('heading', { name: heading, exact: true }).first().waitFor();
      await take(place.split('/')[0]!);
    }
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    assert.equal(overflow, 0, 'the page does not scroll sideways');
    assert.deepEqual(strayed, []);
    assert.deepEqual(errors, []);
  });
}

browserTest('/operator/docs asks for a token, refuses a wrong one, and shows the commands', async () => {
  const { page, strayed, errors } = await browser.open(harness.url);
  page.setDefaultTimeout(120_000);
  await page.goto(`${harness.url}/operator/docs`, { waitUntil: 'networkidle' });
  if (screenshots) await page.screenshot({ path: `${screenshots}/operator-form.png` });
  await page.getByLabel('Operator token').fill('wrong');
  await page.getByRole('button').click();
  await page.getByText('The token is not valid.').waitFor();
  // The browser itself reports the refused request.
  assert.deepEqual(
    errors.splice(0).map((text) => /401/.test(text)),
    [true],
  );
  await page.getByLabel('Operator token').fill(harness.operatorToken);
  await page.getByRole('button').click();
  await page.getByRole('heading', { name: 'Causeway for operators' }).waitFor();
  await page.getByRole('heading', { name: 'users create' }).first().waitFor();
  if (screenshots) await page.screenshot({ path: `${screenshots}/operator-docs.png` });
  assert.deepEqual(strayed, []);
  assert.deepEqual(errors, []);
});
