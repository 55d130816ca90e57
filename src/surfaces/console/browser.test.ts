import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { browserTest, useBrowser } from '#test/callers/browser';
import { findPageFaults } from '#test/callers/page-faults';
import {
  makeAddress,
  makeDeposit,
  makeFunds,
  makeKey,
  makeLines,
  makeWithdrawal,
} from '#test/data/factories';
import { scriptTexts } from '#test/data/script-texts';
import { numberAll } from '#test/database/number-events';
import { useHarness } from '#test/harness';
import { makeApplication } from '#test/worlds/application';
import { signIn, type Visitor } from '#test/worlds/console';
import { localhostOf, makePerson, openWithPasskeys, register } from '#test/worlds/people';

const harness = useHarness({ fourEyesCommands: ['ledger.fund'] });
const funding = { network: 'polygon', currency: 'USDT', amount: '1' };
const browser = useBrowser();
const timeout = 600_000;

const carry = ({ cookie }: Visitor) => {
  const [name = '', value = ''] = cookie.split('=');
  return [{ name, value, url: localhostOf(harness) }];
};

/** A browser of somebody who is signed in. */
async function openAs(visitor: Visitor, options: object = {}) {
  const opened = await browser.open(localhostOf(harness), options);
  await opened.page.context().addCookies(carry(visitor));
  return opened;
}

/** One that waits for gas. */
async function makeStuck() {
  const key = await makeKey(harness);
  await makeFunds(harness, key.userId, 'polygon', 'USDT', '1');
  const withdrawalId = await makeWithdrawal(harness, key);
  const { body } = await harness.operator('withdrawals.show', { withdrawalId });
  const { id } = body.data as { id: string };
  const { db } = harness.deps;
  await db.query("update withdrawals set status = 'pending', waiting_for = 'gas' where id = $1", [id]);
  await db.query('update ledger_accounts set held = balance where user_id = $1', [key.userId]);
  return { id, userId: key.userId, partnerId: key.partnerId };
}

const draftedRule = {
  verdict: 'approve',
  approvals: { count: 2, role: 'compliance' },
  networks: ['polygon'],
  amount: { over: '1000' },
  sum: { over: '5000', window: 'day', per: 'partner' },
};

/** An endpoint with one delivery whose second attempt was answered. */
async function makeDelivery(partnerId: string, text: string) {
  const url = 'https://hooks.example.com/causeway';
  const endpoint = await harness.operator('webhooks.create', { url, partnerId, description: text });
  const endpointId = endpoint.body.data.id as string;
  await harness.operator('webhooks.test', { endpointId });
  await numberAll(harness);
  const { body } = await harness.operator('webhooks.deliveries', { endpointId });
  const deliveryId = body.data.items[0].id as string;
  const { db } = harness.deps;
  for (const [number, status, error] of [
    [1, null, text],
    [2, 200, null],
  ])
    await db.query(
      `insert into webhook_attempts (delivery_id, number, url, started_at, duration_ms, status, error, answer)
       values ($1, $2, $3, now(), 42, $4, $5, $6)`,
      [deliveryId, number, url, status, error, text],
    );
  return { endpointId, deliveryId };
}

/** A comparison with a shortfall. */
async function storeComparison(currency = 'USDT', name = 'unknown transfers out') {
  const { db } = harness.deps;
  await db.query(
    `insert into treasury_networks (network, opening_block, opening_posting, opening_gas, opening_sent, block_number, block_hash,
       posting, is_counting, gas, sent, reconciled_at)
     values ('polygon', 1, 0, 0, 0, 4711, '0x', 0, true, 0, 0, now()) on conflict do nothing`,
  );
  await db.query(
    `insert into treasury_assets (network, currency, chain, owed, shortfall) values ('polygon', $1, 95000000, 100000000, 5000000)
     on conflict do nothing`,
    [currency],
  );
  await db.query(
    `insert into treasury_totals (network, currency, name, amount, count) values ('polygon', $1, $2, -5000000, 1)
     on conflict do nothing`,
    [currency, name],
  );
}

for (const locale of ['en-US', 'pt-BR']) {
  browserTest(
    `axe, ${locale}, light and dark, 360 and 1440 px: no page of the console has a fault or is too wide`,
    { timeout },
    async () => {
      const visitor = await signIn(harness);
      const { page, strayed, errors } = await openAs(visitor, { locale });
      const { id, userId, partnerId } = await makeStuck();
      const { endpointId, deliveryId } = await makeDelivery(partnerId, 'a note');
      await harness.operator('rules.draft', { rules: [{ ...draftedRule, name: 'Large ones' }] });
      const { body } = await harness.operator('rules.list', { limit: 1 });
      const { revision } = body.data.items[0];
      await storeComparison();
      const { id: applicationId } = await makeApplication(harness);
      const { transactionHash } = await makeDeposit(harness, userId);
      await storeFault(userId, 'account 1');
      for (const path of [
        '',
        `/deposits?userId=${userId}`,
        '/deposits?currency=USDT',
        `/deposits/${transactionHash}`,
        '/approvals',
        '/webhooks',
        `/webhooks/${endpointId}`,
        `/webhooks/${endpointId}/deliveries/${deliveryId}`,
        '/rules',
        `/rules/edit?base=${revision}&last=${revision}&at=0`,
        `/rules/replay?revision=${revision}`,
        '/reconcile',
        '/ledger',
        `/ledger?userId=${userId}`,
        '/audit',
        '/audit?actor=tester',
        '/audit/1',
        `/audit/${id}`,
        `/users/${userId}/life`,
        '/commands',
        '/commands/ledger.post',
        '/commands/keys.issue',
        '/commands/withdrawals.list?run=1',
        '/commands/audit.list?run=1',
        '/commands/roles.show?run=1',
        `/search?q=${id}`,
        '/wallets',
        `/withdrawals/${id}`,
        `/users/${userId}`,
        `/applications/${applicationId}`,
      ]) {
        await page.goto(`${localhostOf(harness)}/console${path}`);
        await check(page, path);
      }
      await page.goto(`${localhostOf(harness)}/console/commands/partners.create?name=Acme`);
      await page.locator('form.command button').click();
      await page.locator('form#run').waitFor();
      await check(page, 'confirmation');
      await page.locator('form#run button').click();
      await page.locator('h1', { hasText: /Done|Feito/ }).waitFor();
      await check(page, 'result');
      await page.goto(`${localhostOf(harness)}/console/commands/withdrawals.list?run=1`);
      await page.locator('input[name=withdrawalId]').first().check();
      await page.getByRole('button', { name: /Cancel what|Cancelar os/ }).click();
      await page.locator('form#run').waitFor();
      await check(page, 'confirmation of several');
      assert.deepEqual({ strayed, errors }, { strayed: [], errors: [] });
      await page.goto(`${localhostOf(harness)}/console/withdrawals/unknown`);
      await check(page, 'error');
      await page.goto(`${localhostOf(harness)}/console/deposits?startDate=never`);
      await check(page, 'refused filters');
      await page.close();
    },
  );
}

async function check(page: Page, name: string): Promise<void> {
  assert.deepEqual(await findPageFaults(page), [], name);
}

browserTest('without JavaScript: found, explained, canceled', { timeout }, async () => {
  const { page } = await openAs(await signIn(harness), { javaScriptEnabled: false });
  const { id } = await makeStuck();
  await page.goto(`${localhostOf(harness)}/console`);
  await page.locator('#attention a').first().click();
  await page.locator(`a[href="/console/withdrawals/${id}"]`).click();
  await page.getByText('Send coins to the hot wallet.').waitFor();
  await page.getByRole('link', { name: 'Cancel it' }).click();
  await page.locator('#field-reason').fill('Ticket 4711');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Run it' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  const { body } = await harness.operator('withdrawals.show', { withdrawalId: id });
  assert.equal(body.data.status, 'failed');
  await page.close();
});

browserTest('figures and the page of a withdrawal change without a reload', { timeout }, async () => {
  const { page } = await openAs(await signIn(harness));
  const { id } = await makeStuck();
  await page.goto(`${localhostOf(harness)}/console/withdrawals/${id}`);
  await page.evaluate('window.isSame = true');
  await page.getByText('Send coins to the hot wallet.').waitFor();
  const refreshed = await page.waitForRequest((request) => request.url() === page.url());
  assert.equal(await refreshed.headerValue('x-refresh'), '1');
  await harness.operator('withdrawals.cancel', { withdrawalId: id, reason: 'Ticket 4711' });
  await page.getByText('State: failed').waitFor();
  assert.equal(await page.evaluate('window.isSame'), true);
  await page.close();
});

browserTest('a page that is no longer refreshed says so, and since when', { timeout }, async () => {
  const { page } = await openAs(await signIn(harness));
  const home = `${localhostOf(harness)}/console`;
  await page.goto(home);
  const notice = page.getByText(/^Not updated since [0-9-]{10} [0-9:]{5} UTC\. Reload$/);
  assert.equal(await notice.count(), 1);
  const refresh = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.route(home, (route) => route.abort());
  await refresh();
  await notice.waitFor();
  await page.unroute(home);
  await refresh();
  await notice.waitFor({ state: 'hidden' });
  const shown = await page.locator('#attention').textContent();
  harness.advance(16 * 60_000);
  await refresh();
  await notice.waitFor();
  assert.deepEqual([page.url(), await page.locator('#attention').textContent()], [home, shown]);
  await check(page, 'no longer refreshed');
  await notice.getByRole('link', { name: 'Reload' }).click();
  await page.waitForURL('**/people/sign-in?next=%2Fconsole');
  await page.close();
});

browserTest('keyboard: / goes to the search and ? opens the help', { timeout }, async () => {
  const { page } = await openAs(await signIn(harness));
  await page.goto(`${localhostOf(harness)}/console`);
  await page.keyboard.press('?');
  await page.locator('dialog[open]').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type('no-such-thing');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing found.').waitFor();
  await page.close();
});

browserTest('a passkey runs a command that needs a confirmation', { timeout }, async () => {
  const opened = await openWithPasskeys(harness, browser);
  const { page } = opened;
  await register(opened, (await makePerson(harness)).url);
  harness.advance(6 * 60_000);
  await page.goto(`${localhostOf(harness)}/console/commands/partners.create`);
  await page.locator('#field-name').fill('Acme');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Confirm with your passkey' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  await page.close();
});

browserTest('after the sign-in, the page of the console opens that was asked for', { timeout }, async () => {
  const opened = await openWithPasskeys(harness, browser);
  const { page } = opened;
  await register(opened, (await makePerson(harness)).url);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.goto(`${localhostOf(harness)}/console/commands/roles.show?run=1`);
  await page.locator('[data-ceremony] button').click();
  await page.locator('#answer table').first().waitFor();
  await page.close();
});

browserTest('CSP: no script runs that is not a file of ours', { timeout }, async () => {
  const { page, errors } = await openAs(await signIn(harness));
  const home = `${localhostOf(harness)}/console`;
  const injected = `<script>window.hit=1</script><img src=x onerror="window.hit=2">
    <script src="data:text/javascript,window.hit=3"></script><a href="javascript:window.hit=4">Follow me</a>`;
  await page.route(home, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('</h1>', `</h1>${injected}`);
    await route.fulfill({ response, body });
  });
  await page.goto(home);
  await page.getByRole('link', { name: 'Follow me' }).click();
  assert.equal(await page.evaluate('window.hit'), undefined);
  const blocked = errors.filter((error) => error.includes('Content Security Policy'));
  assert.ok(blocked.length >= 4, errors.join('\n'));
  await page.close();
});

/** A halted wallet, a payout of it that a node refused, and one that failed, all in these words. */
async function storeTrouble(text: string) {
  const key = await makeKey(harness);
  const { db } = harness.deps;
  const address = makeAddress().toLowerCase();
  await db.query(
    `insert into payout_signers (network, address, next_nonce, halted_at, halted_reason, server, created_at)
     values ('polygon', $1, 1, now(), $2, database_server(), now())`,
    [address, text],
  );
  const ids: string[] = [];
  for (const status of ['processing', 'failed']) {
    const bulkId = await makeWithdrawal(harness, key);
    const { id } = (await harness.operator('withdrawals.show', { withdrawalId: bulkId })).body.data;
    ids.push(id);
    const message = status === 'failed' ? text : null;
    await db.query("update withdrawals set status = 'pending' where id = $1", [id]);
    if (status === 'processing') {
      await db.query(
        "insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1, 0, $2, now())",
        [address, id],
      );
      await db.query(
        `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at,
           sent_at, sends, last_answer)
         values ($1, 'polygon', $2, 0, '', 1, 1, now(), now(), 1, $3)`,
        [`0x${randomBytes(32).toString('hex')}`, address, text],
      );
    }
    await db.query('update withdrawals set status = $2, error_message = $3 where id = $1', [
      id,
      status,
      message,
    ]);
  }
  return ids;
}

/** A verification by somebody of this name that found a fault in these words. */
const storeFault = (subject: string, text: string) =>
  harness.deps.db.query(
    `insert into ledger_verdicts (subject, fault_count, faults, since_last, last_number, last_hash, actor_kind, actor_id, checked_at)
     values ($1, 30, jsonb_build_array(jsonb_build_object('subject', $2::text, 'message', $2)), false, 7, 'ab', 'operator', $2, now())
     on conflict (subject) do update set faults = excluded.faults, actor_id = excluded.actor_id`,
    [subject, text],
  );

/** A deposit whose line an operator posted before, in these words, and a currency of this name. */
async function storeDeposit(userId: string, text: string) {
  const transactionHash = `0x${randomBytes(32).toString('hex')}`;
  const place = { transactionHash, logIndex: 2 };
  await makeLines(harness, userId, [{ ...place, description: text.slice(0, 200) }]);
  await makeDeposit(harness, userId, place);
  await harness.deps.db.query(
    `insert into deposits (network, transaction_hash, log_index, block_number, user_id, wallet, currency, amount)
     values ('polygon', $1, 3, 4711, $2, $3, $4, 1)`,
    [transactionHash, userId, makeAddress(), text],
  );
  return transactionHash;
}

/** A card whose name and nickname are in these words, as an issuer and a partner may send them. */
async function storeCard(userId: string, text: string): Promise<string> {
  const { db } = harness.deps;
  const id = `card-${scriptTexts.indexOf(text)}`;
  await db.query(
    'insert into card_issuer_users (id, user_id, collateral_address, created_at) values ($1, $2, $3, now())',
    [id, userId, makeAddress().toLowerCase()],
  );
  await db.query(
    `insert into cards (id, card_issuer_user_id, user_id, version, name, nickname, last_four_digits, status, spending_limit,
       spending_interval, created_at, updated_at)
     values ($1, $1, $2, 1, $3, $3, '4321', 'active', 1, 'daily', now(), now())`,
    [id, userId, text],
  );
  return id;
}

/** The page of the newest row of the audit log. */
async function lastChange(): Promise<string> {
  const { body } = await harness.operator('audit.list', { limit: 1 });
  return `/audit/${body.data.items[0].id}`;
}

browserTest(
  'stored XSS: no text of a partner, a user, a colleague, a node or a stranger runs or breaks a page',
  { timeout },
  async () => {
    const visitor = await signIn(harness, { name: scriptTexts[0]! });
    const { page, errors } = await openAs(visitor);
    // Its errors are the status of pages that refuse what was typed.
    const { page: refused } = await openAs(visitor);
    for (const payload of scriptTexts) {
      const partner = await harness.operator('partners.create', { name: payload });
      const partnerId = partner.body.data.id as string;
      const user = await harness.operator('users.create', {
        email: `x${scriptTexts.indexOf(payload)}@example.com`,
        givenName: payload,
        familyName: payload,
      });
      const userId = user.body.data.id as string;
      const key = await makeKey(harness, { partnerId, userId });
      const withdrawalId = await makeWithdrawal(harness, key, { externalId: payload });
      await harness.operator('users.suspend', { userId, reason: payload });
      await harness.operator('payouts.pause', { partnerId, reason: payload });
      const { endpointId, deliveryId } = await makeDelivery(partnerId, payload);
      const rules = [{ ...draftedRule, name: payload }];
      const { revision } = (await harness.operator('rules.draft', { rules })).body.data;
      await storeComparison(payload, payload);
      const [refusedId, failedId] = await storeTrouble(payload);
      const words = { name: payload, purposes: [payload], applicantName: payload };
      const { id: applicationId } = await makeApplication(harness, words);
      await harness.operator('ledger.fund', { ...funding, userId, reference: payload });
      const depositHash = await storeDeposit(userId, payload);
      for (const subject of ['books', userId]) await storeFault(subject, payload);
      const cardId = await storeCard(userId, payload);
      for (const path of [
        '',
        '/commands/cards.list?run=1',
        `/commands/cards.show?run=1&cardId=${cardId}`,
        await lastChange(),
        '/deposits',
        `/deposits/${depositHash}`,
        '/approvals',
        '/webhooks',
        `/webhooks/${endpointId}`,
        `/webhooks/${endpointId}/deliveries/${deliveryId}`,
        '/rules',
        `/rules/edit?base=${revision}&last=${revision}&at=0`,
        `/rules/replay?revision=${revision}`,
        '/reconcile',
        '/ledger',
        `/ledger?userId=${userId}`,
        '/audit',
        `/audit?actor=${encodeURIComponent(payload)}`,
        `/users/${userId}/life`,
        `/withdrawals/${withdrawalId}`,
        `/withdrawals/${refusedId}`,
        `/withdrawals/${failedId}`,
        '/wallets',
        `/applications/${applicationId}`,
        '/commands/integrations.applications?run=1',
        `/users/${userId}`,
        `/search?q=${encodeURIComponent(payload)}`,
        '/commands/partners.list?run=1',
        '/commands/payouts.list-pauses?run=1',
        '/commands/audit.list?run=1',
        `/commands/partners.create?name=${encodeURIComponent(payload)}`,
      ]) {
        await page.goto(`${localhostOf(harness)}/console${path}`);
        assert.equal(await page.evaluate('window.hit'), undefined, `${path} ${payload}`);
        assert.equal(await page.locator('main img, main svg[onload], main script').count(), 0, path);
      }
      await refused.goto(`${localhostOf(harness)}/console/deposits?userId=${encodeURIComponent(payload)}`);
      assert.equal(await refused.locator('[name=userId]').inputValue(), payload);
      assert.equal(await refused.evaluate('window.hit'), undefined, payload);
      await page.locator('form.command button').click();
      await page.locator('form#run').waitFor();
      assert.equal(await page.locator('.typed').textContent(), payload);
      assert.equal(await page.evaluate('window.hit'), undefined, payload);
    }
    assert.deepEqual(errors, []);
    await refused.close();
    await page.close();
  },
);
