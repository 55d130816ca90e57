import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import type { ConsentRequest } from '#features/connect/consents';
import type { RegisteredIntegration } from '#features/connect/integrations';
import { addWallet } from '#features/users';
import { type OpenOptions, browserTest as test, useBrowser } from '#test/callers/browser';
import { findPageFaults } from '#test/callers/page-faults';
import { makeLink } from '#test/callers/visitor';
import {
  makeAddress,
  makeConsent,
  makeConsentRequest,
  makeIntegration,
  makeUser,
} from '#test/data/factories';
import { useHarness } from './harness.ts';

// The user's pages in a real browser: without JavaScript, unless a test says otherwise.

const timeout = 600_000;
const minuteMs = 60_000;

/** Somebody else's site: where an integration's users come back to, and where attacks come from. */
const elsewhere = createServer((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  const content =
    attacks.get(new URL(request.url!, 'http://elsewhere').pathname) ?? '<h1>Back at the app</h1>';
  response.end(`<!doctype html><link rel="icon" href="data:,"><title>Elsewhere</title>${content}`);
});
const attacks = new Map<string, string>();
elsewhere.listen(0, '127.0.0.1');
await once(elsewhere, 'listening');
const { port } = elsewhere.address() as AddressInfo;
const appOrigin = `http://127.0.0.1:${port}`;
/** Another site than ours, and not only another origin: sites have no ports. */
const foreignOrigin = `http://localhost:${port}`;
after(() => {
  elsewhere.close();
  elsewhere.closeAllConnections();
});

const harness = useHarness({
  signInUrl: 'https://login.example.com/',
  brand: {
    name: 'Ponte Pagamentos',
    address: [],
    logoFile: 'test/data/logo.png',
    color: '#ffe600',
    supportUrl: 'https://example.com/help',
    privacyUrl: 'https://example.com/privacy',
  },
});
const browser = useBrowser();

let registered: Promise<RegisteredIntegration> | undefined;
const lumenCredit = () => {
  registered ??= makeIntegration(harness, {
    name: 'Lumen Credit',
    logoColor: '#e8a317',
    redirectUris: [`${appOrigin}/back`],
  });
  return registered;
};

const newUser = async () => {
  const user = await makeUser(harness, { givenName: 'Ana', familyName: 'Ribeiro', emailVerified: true });
  for (const network of ['base', 'polygon'])
    await addWallet(harness.operatorContext(), {
      userId: user.id,
      network,
      address: makeAddress(),
      custody: 'platform',
    });
  return user;
};

/** The page of a new request. */
async function ask(fields: Partial<ConsentRequest> = {}): Promise<string> {
  const { linkToken } = await makeConsentRequest(harness, await lumenCredit(), {
    redirectUri: `${appOrigin}/back`,
    state: 'a-state',
    duration: { kind: 'days', days: 30 },
    optionalScopes: ['wallet', 'kyc'],
    ...fields,
  });
  return `/connect/requests/${linkToken}`;
}

const grantTo = async (userId: string) =>
  makeConsent(harness, await lumenCredit(), { userId, redirectUri: `${appOrigin}/back` });

const read = async (consentId: string) =>
  harness.request('GET', `/api/v1/consent/${consentId}/user`, {
    headers: { 'x-api-key': (await lumenCredit()).token },
  });

/**
 * In a browser of one's own, which asks nobody but us and the app for anything, and complains of nothing but
 * statuses.
 */
async function inBrowser(work: (page: Page) => Promise<void>, options: OpenOptions = {}): Promise<void> {
  const { page, strayed, errors } = await browser.open(harness.url, {
    javaScriptEnabled: false,
    others: [appOrigin],
    locale: 'en-GB',
    ...options,
  });
  await work(page);
  const complaints = errors.filter((error) => !/^Failed to load resource: .* status of 4\d\d/.test(error));
  assert.deepEqual({ strayed, complaints }, { strayed: [], complaints: [] });
  await page.context().close();
}

/** Signs in, as the operator's login would have it, and comes to the page. */
async function comeTo(page: Page, userId: string, path: string): Promise<void> {
  await page.goto(await makeLink(harness, userId, path), { timeout });
  assert.equal(page.url(), harness.url + path);
}

test('grant with a scope left out: the app gets what was ticked and not what was not', { timeout }, () =>
  inBrowser(async (page) => {
    await comeTo(page, (await newUser()).id, await ask());
    assert.equal(await page.locator('h1').textContent(), 'Lumen Credit wants to access your data');
    await page.getByLabel('Verified identity').check();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.waitForURL(`${appOrigin}/back?**`);
    const { searchParams } = new URL(page.url());
    assert.equal(searchParams.get('state'), 'a-state');
    const { status, body } = await read(searchParams.get('consent_id')!);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body.user).sort(), ['email', 'kyc', 'profile']);
  }),
);

test('refuse: one is back at the app, and nothing is shared', { timeout }, () =>
  inBrowser(async (page) => {
    const { id } = await newUser();
    await comeTo(page, id, await ask());
    await page.getByRole('button', { name: 'Don’t share' }).click();
    await page.waitForURL(`${appOrigin}/back?**`);
    const { searchParams } = new URL(page.url());
    assert.deepEqual([...searchParams.keys()].sort(), ['error', 'state']);
    await comeTo(page, id, '/connect/apps');
    assert.ok(await page.getByText('No app can read your data.').isVisible());
  }),
);

test('a used link and an expired one say so', { timeout }, () =>
  inBrowser(async (page) => {
    const { id } = await newUser();
    const [used, late] = [await ask(), await ask()];
    await comeTo(page, id, used);
    await page.getByRole('button', { name: 'Don’t share' }).click();
    await page.waitForURL(`${appOrigin}/back?**`);
    const again = await page.goto(harness.url + used);
    assert.equal(again!.status(), 410);
    assert.equal(await page.locator('h1').textContent(), 'This request was already answered');

    const signIn = await makeLink(harness, id);
    assert.equal((await page.goto(signIn))!.status(), 200);
    assert.equal((await page.goto(signIn))!.status(), 410);
    assert.equal(await page.locator('h1').textContent(), 'This sign-in link was already used');

    const unused = await makeLink(harness, id);
    harness.advance(16 * minuteMs);
    assert.equal((await page.goto(unused))!.status(), 410);
    assert.equal(await page.locator('h1').textContent(), 'This sign-in link has expired');
    await page.goto(await makeLink(harness, id, late));
    assert.equal(await page.locator('h1').textContent(), 'This request has expired');
  }),
);

test('connected apps: share less, then stop, and the integration’s next read is 410', { timeout }, () =>
  inBrowser(async (page) => {
    const { id } = await newUser();
    const consent = await grantTo(id);
    assert.equal((await read(consent.id)).status, 200);
    await comeTo(page, id, '/connect/apps');
    const card = page.getByRole('article', { name: 'Lumen Credit' });
    assert.ok(await card.getByText(/1 read in total/).isVisible());
    assert.ok(await card.getByText(/^Data: Name \(full name/).isVisible());

    await card.getByText('Share less').click();
    await card.getByLabel('Wallets').uncheck();
    await card.getByLabel('Verified identity').uncheck();
    await card.getByRole('button', { name: 'Save' }).click();
    assert.equal(
      await page.getByRole('status').textContent(),
      'Lumen Credit can read: Name and Email address.',
    );
    assert.deepEqual(Object.keys((await read(consent.id)).body.user).sort(), ['email', 'profile']);

    assert.ok(
      !(await card.getByRole('button', { name: 'Yes, stop sharing' }).isVisible()),
      'one step too early',
    );
    await card.locator('summary', { hasText: 'Stop sharing' }).click();
    await card.getByRole('button', { name: 'Yes, stop sharing' }).click();
    assert.equal(await page.getByRole('status').textContent(), 'Lumen Credit can no longer read your data.');
    assert.equal((await read(consent.id)).status, 410);
    assert.ok(await page.getByText('No longer connected').isVisible());

    await page.getByRole('button', { name: 'Sign out' }).click();
    assert.equal(await page.locator('h1').textContent(), 'You are signed out');
    assert.equal((await page.goto(`${harness.url}/connect/apps`))!.status(), 401);
  }),
);

test('a link for somebody else asks before it takes the place of who is signed in', { timeout }, () =>
  inBrowser(async (page) => {
    const [own, other] = [await newUser(), await newUser()];
    await comeTo(page, own.id, '/connect/apps');
    await page.goto(await makeLink(harness, other.id));
    assert.equal(await page.locator('h1').textContent(), 'Switch to another user?');
    assert.ok(await page.locator('main').getByText(own.email).isVisible());
    await page.getByRole('button', { name: 'Continue with this link' }).click();
    assert.equal(page.url(), `${harness.url}/connect/apps`);
    assert.ok(await page.locator('footer').getByText(other.email).isVisible());
  }),
);

test('everything is in Portuguese for a browser that asks for it', { timeout }, () =>
  inBrowser(
    async (page) => {
      const { id } = await newUser();
      await comeTo(page, id, await ask());
      assert.equal(await page.locator('html').getAttribute('lang'), 'pt-BR');
      assert.equal(await page.locator('h1').textContent(), 'Lumen Credit quer acessar seus dados');
      assert.match((await page.locator('main').textContent())!, /Por 30 dias, até \d+ de [a-zç]+ de \d{4}\./);
      await page.getByLabel('Carteiras').check();
      await page.getByRole('button', { name: 'Compartilhar', exact: true }).click();
      await page.waitForURL(`${appOrigin}/back?**`);
      await comeTo(page, id, '/connect/apps');
      assert.ok(await page.getByText('Nome, E-mail e Carteiras').isVisible());
    },
    { locale: 'pt-BR' },
  ),
);

test('by keyboard alone: tick, share', { timeout }, () =>
  inBrowser(async (page) => {
    await comeTo(page, (await newUser()).id, await ask());
    const [refuse, share] = await Promise.all(
      ['refuse', 'grant'].map((value) => page.locator(`button[value=${value}]`).boundingBox()),
    );
    assert.deepEqual([refuse!.width, refuse!.height, refuse!.y], [share!.width, share!.height, share!.y]);
    const stop = async () => {
      await page.keyboard.press('Tab');
      const focused = page.locator(':focus');
      return (await focused.getAttribute('value')) ?? (await focused.textContent());
    };
    const stopsUntil = async (last: string) => {
      const stops = [await stop()];
      while (stops.at(-1) !== last && stops.length < 10) stops.push(await stop());
      return stops;
    };
    assert.deepEqual(await stopsUntil('wallet'), [
      'See the data: Name',
      'See the data: Email address',
      'wallet',
    ]);
    assert.equal(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid');
    await page.keyboard.press('Space');
    assert.equal(await stop(), 'See the data: Wallets');
    assert.equal(await page.locator('dl', { hasText: 'polygon' }).isVisible(), false);
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('dl', { hasText: 'polygon' }).isVisible(), true);
    assert.deepEqual(await stopsUntil('grant'), [
      'kyc',
      'See the data: Verified identity',
      'Connected apps',
      'refuse',
      'grant',
    ]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${appOrigin}/back?**`);
    const { body } = await read(new URL(page.url()).searchParams.get('consent_id')!);
    assert.deepEqual(Object.keys(body.user).sort(), ['email', 'profile', 'wallet']);
  }),
);

test('Enter on a checkbox does not share: the first button refuses', { timeout }, () =>
  inBrowser(async (page) => {
    await comeTo(page, (await newUser()).id, await ask());
    await page.getByLabel('Verified identity').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${appOrigin}/back?**`);
    assert.equal(new URL(page.url()).searchParams.get('consent_id'), null);
  }),
);

test('with JavaScript on it is the same, and no script can read the session', { timeout }, () =>
  inBrowser(
    async (page) => {
      await comeTo(page, (await newUser()).id, await ask());
      assert.equal(await page.evaluate('document.cookie'), '');
      assert.equal(await page.evaluate('document.scripts.length'), 0);
      const [cookie] = await page.context().cookies();
      assert.deepEqual([cookie!.httpOnly, cookie!.sameSite, cookie!.path], [true, 'Lax', '/']);
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await page.waitForURL(`${appOrigin}/back?**`);
    },
    { javaScriptEnabled: true },
  ),
);

/** Every page there is, opened one after the other by somebody who has apps, and then by nobody. */
async function* everyPage(page: Page): AsyncGenerator<string> {
  const { id } = await newUser();
  await comeTo(page, id, '/connect/apps');
  yield 'no apps';
  const consent = await grantTo(id);
  for (let at = 0; at < 12; at++) await read(consent.id);
  const ended = await grantTo(id);
  await read(ended.id);
  const used = await ask();
  await comeTo(page, id, used);
  yield 'consent';
  await page.getByRole('button', { name: /^(Don’t share|Não compartilhar)$/ }).click();
  await page.waitForURL(`${appOrigin}/back?**`);
  await page.goto(`${harness.url}/connect/apps`);
  const card = page.locator('article').filter({ has: page.locator(`form[action*="${ended.id}"]`) });
  await card.locator('summary').last().click();
  await card.locator('button.grave').click();
  for (const summary of await page.locator('summary').all()) await summary.click();
  yield 'apps';
  await page.goto(await makeLink(harness, (await newUser()).id));
  yield 'continue as somebody else?';
  await page.goto(harness.url + used);
  yield 'used link';
  await page.goto(`${harness.url}/connect/nowhere`);
  yield 'not found';
  await page.goto(`${harness.url}/connect/apps`);
  await Promise.all([page.waitForURL('**/sign-out'), page.locator('footer button').click()]);
  yield 'signed out';
  await page.goto(`${harness.url}/connect/apps`);
  yield 'sign in';
  await page.goto(`${harness.url}/connect/sign-in/x`);
  yield 'sign-in link that does not work';
}

const measure = `({
  width: document.documentElement.scrollWidth,
  small: [...document.querySelectorAll('button, summary, label, a.button')]
    .filter((element) => element.getBoundingClientRect().height < 44)
    .map((element) => element.textContent),
})`;

for (const locale of ['en', 'pt-BR']) {
  test(
    `360 px, ${locale}: nothing is wider than the screen, and what is touched has 44 px`,
    { timeout },
    () =>
      inBrowser(
        async (page) => {
          const pages: string[] = [];
          for await (const name of everyPage(page)) {
            pages.push(name);
            assert.deepEqual(await page.evaluate(measure), { width: 360, small: [] }, name);
          }
          assert.equal(pages.length, 9);
        },
        { viewport: { width: 360, height: 740 }, locale },
      ),
  );
}

test('axe, light and dark, 360 and 1440 px: no page has a fault or is too wide', { timeout }, () =>
  inBrowser(
    async (page) => {
      for await (const name of everyPage(page)) assert.deepEqual(await findPageFaults(page), [], name);
    },
    { javaScriptEnabled: true },
  ),
);

test('clickjacking: no site can show a page of ours in a frame', { timeout }, async () => {
  const { page, errors } = await browser.open(harness.url, { others: [foreignOrigin, appOrigin] });
  const path = await ask();
  await comeTo(page, (await newUser()).id, path);
  attacks.set('/frame', `<iframe src="${harness.url}${path}" width="800" height="800"></iframe>`);
  for (const origin of [foreignOrigin, appOrigin]) {
    await page.goto(`${origin}/frame`);
    await page.waitForTimeout(300);
    const frame = page.frames()[1]!;
    assert.ok(!(await frame.content()).includes('Lumen Credit'));
  }
  assert.ok(errors.some((error) => error.includes('frame-ancestors')));
  await page.context().close();
});

test('CSRF: a form of another site, sent by the victim’s own browser, changes nothing', {
  timeout,
}, async () => {
  const { page } = await browser.open(harness.url, { others: [foreignOrigin, appOrigin] });
  const { id } = await newUser();
  const consent = await grantTo(id);
  await comeTo(page, id, '/connect/apps');
  attacks.set(
    '/forge',
    `<form method="post" action="${harness.url}/connect/apps/${consent.id}/revoke"></form><script>document.forms[0].submit()</script>`,
  );
  // From another site the cookie stays behind; from a neighbour of the same site it comes along, and the form
  // is refused.
  for (const [origin, status] of [
    [foreignOrigin, 401],
    [appOrigin, 403],
  ] as const) {
    const answered = page.waitForResponse((response) => response.url().endsWith('/revoke'));
    await page.goto(`${origin}/forge`);
    assert.equal((await answered).status(), status);
  }
  assert.equal((await read(consent.id)).status, 200);
  await page.context().close();
});
