import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { exampleOf } from '#surfaces/operator';
import {
  makeAddress,
  makeConsent,
  makeIntegration,
  makeKey,
  makePartner,
  makeUser,
  makeWithdrawal,
} from '#test/data/factories';
import { readTestLog, useHarness } from '#test/harness';
import { makeApplication } from '#test/worlds/application';
import { hiddenIn, linksIn, signIn, unescaped } from '#test/worlds/console';
import { localhostOf, makePerson } from '#test/worlds/people';

const harness = useHarness({ fourEyesCommands: ['partners.create'] });
const pages = [
  '/console',
  '/console/commands',
  '/console/search?q=x',
  '/console/wallets',
  '/console/deposits',
  '/console/approvals',
  '/console/webhooks',
  '/console/reconcile',
  '/console/ledger',
  '/console/audit',
  '/console/rules',
];

/** A withdrawal as `withdrawals.show` answers it. */
const pay = async (fields: object = {}) => {
  const bulkId = await makeWithdrawal(harness, await makeKey(harness), fields);
  return (await harness.operator('withdrawals.show', { withdrawalId: bulkId })).body.data;
};

test('303 without a session: to the sign-in page, and back to a page of the console only', async () => {
  const { host } = new URL(localhostOf(harness));
  for (const path of [...pages, '/console/commands/users.list?run=1']) {
    const { status, headers } = await harness.request('GET', path, { headers: { host } });
    assert.equal(status, 303);
    const location = new URL(headers.get('location')!, localhostOf(harness));
    assert.equal(location.pathname, '/people/sign-in');
    assert.equal(location.searchParams.get('next'), path);
    const page = await harness.request('GET', location.pathname + location.search, { headers: { host } });
    assert.ok(unescaped(page.body).includes(`data-next="${path}"`));
  }
  for (const next of [
    'https://evil.example.com',
    '//evil.example.com',
    '/people',
    '/consoles',
    '/console\\x',
  ])
    for (const wrong of ['/console/%2e%2e/people', '/console/.%2E/people', next, `/console/../${next}`]) {
      const path = `/people/sign-in?next=${encodeURIComponent(wrong)}`;
      assert.ok(
        (await harness.request('GET', path, { headers: { host } })).body.includes('data-next="/people/area"'),
        wrong,
      );
    }
  for (const odd of ['http://[', '%00', '/console/../people', '\\\\evil.example.com']) {
    const path = `/console/language?to=en&next=${encodeURIComponent(odd)}`;
    const answer = await harness.request('GET', path, { headers: { host } });
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/console'], odd);
  }
  const changed = await harness.request('GET', '/console/language?to=en&next=//evil.example.com', {
    headers: { host },
  });
  assert.equal(changed.headers.get('location'), '/console');
});

test('302 the name for which passkeys work, if a page was opened by the address of this machine', async () => {
  const { status, headers } = await harness.request('GET', '/console/wallets');
  assert.deepEqual([status, headers.get('location')], [302, `${localhostOf(harness)}/console/wallets`]);
});

test('403 a page in words for staff of a partner, and no command runs', async () => {
  const { partnerId } = await makeKey(harness);
  const visitor = await signIn(harness, { role: 'owner', partnerId });
  for (const path of [...pages, '/console/commands/users.list?run=1']) {
    const { status, body } = await visitor.get(path);
    assert.equal(status, 403, path);
    assert.ok(body.includes('The console is for staff of the operator'));
  }
  assert.equal((await visitor.post('/console/commands/partners.create', { step: 'review' })).status, 403);
});

test('every page has the strict headers, fits into 60 kB and is quick', async () => {
  const visitor = await signIn(harness);
  const { id } = await pay();
  for (const path of [...pages, `/console/withdrawals/${id}`, '/console/commands/ledger.post']) {
    await visitor.get(path);
    const startedAt = performance.now();
    const { status, headers, body } = await visitor.get(path);
    const ms = performance.now() - startedAt;
    assert.equal(status, 200, path);
    assert.match(headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/);
    assert.ok(headers.get('content-security-policy')!.endsWith("script-src 'self'; connect-src 'self'"));
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.ok(Buffer.byteLength(body) < 60_000, `${path}: ${Buffer.byteLength(body)} bytes`);
    // The wallets' nodes do not answer here.
    if (!path.endsWith('wallets') && path !== '/console') assert.ok(ms < 1_000, `${path}: ${ms} ms`);
  }
});

test('a page of a long list fits into 60 kB, and so does the page of its user', async () => {
  const visitor = await signIn(harness);
  const key = await makeKey(harness);
  for (let made = 0; made < 25; made++)
    await makeWithdrawal(harness, key, { externalId: `invoice ${'x'.repeat(40)} ${made}` });
  for (const path of [
    '/console/commands/withdrawals.list?run=1',
    '/console/commands/audit.list?run=1',
    `/console/users/${key.userId}`,
    `/console/search?q=${key.userId}`,
  ]) {
    const { status, body } = await visitor.get(path);
    assert.equal(status, 200, path);
    assert.ok(Buffer.byteLength(body) < 60_000, `${path}: ${Buffer.byteLength(body)} bytes`);
  }
});

test('a page of nested values fits into 60 kB, and a higher limit continues on the next page', async () => {
  const visitor = await signIn(harness);
  const rules = Array.from({ length: 30 }, (_one, at) => ({
    name: `Payments of kind ${at}`,
    verdict: 'allow',
    amount: { upTo: '1000' },
  }));
  for (let made = 0; made < 20; made++)
    assert.equal((await harness.operator('rules.draft', { rules })).status, 200);
  for (let made = 0; made < 10; made++) await makePartner(harness);
  for (const path of ['rules.list?run=1', 'audit.list?run=1', 'audit.list?limit=200&run=1']) {
    const { status, body } = await visitor.get(`/console/commands/${path}`);
    assert.equal(status, 200, path);
    assert.ok(Buffer.byteLength(body) < 60_000, `${path}: ${Buffer.byteLength(body)} bytes`);
  }
  const { body } = await visitor.get('/console/commands/audit.list?limit=200&run=1');
  assert.equal(body.split('<tr>').length - 1, 25);
  const next = linksIn(body).find((link) => link.includes('cursor='))!;
  assert.equal((await visitor.get(next)).status, 200);
  assert.equal((await visitor.get('/console/commands/audit.list?limit=201&run=1')).status, 400);
});

test('the language of the browser, or the one that was chosen', async () => {
  const visitor = await signIn(harness);
  const portuguese = await visitor.get('/console', { 'accept-language': 'pt' });
  assert.ok(portuguese.body.includes('<html lang="pt-BR">') && portuguese.body.includes('Visão geral'));
  const { headers } = await visitor.get('/console/language?to=pt-BR&next=/console/commands');
  assert.equal(headers.get('location'), '/console/commands');
  const [cookie] = headers.get('set-cookie')!.split(';');
  const chosen = await visitor.get('/console', { cookie: `${visitor.cookie}; ${cookie}` });
  assert.ok(chosen.body.includes('<html lang="pt-BR">'));
});

test('a payout that waits for gas is on the overview, and two clicks later it is explained', async () => {
  const visitor = await signIn(harness, { role: 'treasury' });
  const { id } = await pay();
  await harness.deps.db.query(
    "update withdrawals set status = 'pending', waiting_for = 'gas' where id = $1",
    [id],
  );
  const overview = await visitor.get('/console');
  const list = linksIn(overview.body).find((link) => link.includes('waitingFor=gas'))!;
  assert.ok(unescaped(overview.body).includes('cannot be signed: The hot wallet does not have enough'));
  const listed = await visitor.get(list);
  const page = linksIn(listed.body).find((link) => link === `/console/withdrawals/${id}`)!;
  const { body } = await visitor.get(page);
  assert.ok(unescaped(body).includes('Send coins to the hot wallet.'));
  const cancel = linksIn(body).find((link) => link.includes('withdrawals.cancel'))!;
  assert.ok((await visitor.get(cancel)).body.includes(`value="${id}"`));
  const viewer = await signIn(harness, { role: 'viewer' });
  const seen = await viewer.get(page);
  assert.ok(!linksIn(seen.body).some((link) => link.includes('withdrawals.cancel')));
});

test('the page of a withdrawal has its whole life, with the audit log', async () => {
  const visitor = await signIn(harness);
  const { id } = await pay();
  await harness.operator('withdrawals.cancel', { withdrawalId: id, reason: 'Ticket 4711' });
  const { body } = await visitor.get(`/console/withdrawals/${id}`);
  for (const part of ['State: queued', 'State: failed', 'withdrawals.cancel by tester', 'It is final.'])
    assert.ok(unescaped(body).includes(part), part);
  const inPortuguese = { 'accept-language': 'pt-BR' };
  const portuguese = (await visitor.get(`/console/withdrawals/${id}`, inPortuguese)).body;
  assert.ok(portuguese.includes('title="failed">falhou</span>') && portuguese.includes('Estado: na fila'));
  const listed = (await visitor.get('/console/commands/withdrawals.list?run=1', inPortuguese)).body;
  assert.ok(listed.includes('title="failed">falhou</span>'));
  assert.equal((await visitor.get(`/console/withdrawals/${crypto.randomUUID()}`)).status, 404);
});

test('search finds by id, external id, email, address and user, and says if nothing is found', async () => {
  const visitor = await signIn(harness);
  const { id, toAddress, externalId, userId } = await pay({ externalId: 'label of one' });
  const { body: users } = await harness.operator('users.list', { userId });
  const [user] = users.data.items;
  for (const text of [id, toAddress, externalId, user.email, user.id]) {
    const { body } = await visitor.get(`/console/search?q=${encodeURIComponent(text)}`);
    assert.ok(linksIn(body).includes(`/console/withdrawals/${id}`), text);
  }
  const { body } = await visitor.get(`/console/search?q=${encodeURIComponent(user.email)}`);
  assert.ok(linksIn(body).includes(`/console/users/${user.id}`));
  for (const text of ['nothing-like-this', '%', '0x', "'; select 1; --", '\u202e'])
    assert.ok((await visitor.get(`/console/search?q=${encodeURIComponent(text)}`)).status === 200, text);
});

test('search finds partners, keys, people and integrations by id', async () => {
  const visitor = await signIn(harness);
  const { partnerId, id: keyId } = await makeKey(harness);
  const { id: personId } = await makePerson(harness);
  const registered = await harness.operator('integrations.register', exampleOf('integrations.register'));
  const integrationId = registered.body.data.id as string;
  for (const [id, place] of [
    [integrationId, '/console/commands/consents.list'],
    [partnerId, '/console/commands/partners.list-users'],
    [keyId, '/console/commands/withdrawals.list'],
    [personId, '/console/commands/people.show'],
  ] as const) {
    const { body } = await visitor.get(`/console/search?q=${id}`);
    assert.ok(
      linksIn(body).some((link) => link.startsWith(place) && link.includes(id)),
      place,
    );
  }
});

test('search finds a filler, a deposit and an attempt that was given up by hash, and says what each is', async (t) => {
  const { db } = harness.deps;
  t.after(() => db.query('update payout_signers set halted_at = null, halted_reason = null'));
  const visitor = await signIn(harness);
  const [filler, deposit] = [`0x${'f1'.repeat(32)}`, `0x${'de'.repeat(32)}`];
  const { id, userId } = await pay();
  const address = await haltWallet('Ticket 4711');
  const attempt = await sign(id, address, 5);
  await db.query(
    "update payout_slots set state = 'void', void_of = $1, withdrawal_id = null, settled_at = now() where withdrawal_id = $1",
    [id],
  );
  await db.query('update payout_attempts set is_void = true where hash = $1', [attempt]);
  await db.query(
    `insert into payout_fillers (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at)
     values ($1, 'polygon', $2, 6, '', 1, 1, now())`,
    [filler, address],
  );
  await db.query(
    "insert into deposit_cursors (network, next_block, updated_at) values ('polygon', 1, now()) on conflict do nothing",
  );
  await db.query(
    `insert into deposits (network, transaction_hash, log_index, block_number, user_id, wallet, currency, amount)
     values ('polygon', $1, 2, 1, $2, $3, 'USDT', 7500000)`,
    [deposit, userId, makeAddress().toLowerCase()],
  );
  for (const [hash, kind, link] of [
    [filler, 'filler', undefined],
    [deposit, 'deposit', `/console/users/${userId}`],
    [attempt, 'given up payout', `/console/withdrawals/${id}`],
  ] as const) {
    const { body } = await visitor.get(`/console/search?q=${hash}`);
    assert.ok(body.includes('What is known about this transaction') && body.includes(kind), kind);
    assert.ok(link === undefined || linksIn(body).includes(link), kind);
  }
  const unknown = await visitor.get(`/console/search?q=0x${'00'.repeat(32)}`);
  assert.ok(unknown.body.includes('Nothing found.'));
});

test('search finds hot wallets by address, and consents, applications and approvals by id', async (t) => {
  const { db } = harness.deps;
  t.after(() => db.query('update payout_signers set halted_at = null, halted_reason = null'));
  const visitor = await signIn(harness);
  const wallet = await haltWallet('Ticket 4711');
  harness.advance(5_000);
  const byAddress = linksIn((await visitor.get(`/console/search?q=${wallet}`)).body);
  assert.ok(byAddress.some((link) => link.toLowerCase() === `/console/wallets#polygon-${wallet}`));
  const { id: applicationId } = await makeApplication(harness);
  const { id: consentId } = await makeConsent(harness, await makeIntegration(harness));
  const asked = await visitor.post('/console/commands/partners.create', { step: 'review', name: 'Two' });
  const run = { step: 'run', once: hiddenIn(asked.body, 'once'), name: 'Two' };
  const stored = await visitor.post('/console/commands/partners.create', run);
  const request = linksIn(stored.body).find((link) => link.includes('approvals.show'))!;
  const approvalId = new URLSearchParams(request.split('?')[1]).get('id')!;
  for (const [id, place] of [
    [applicationId, `/console/applications/${applicationId}`],
    [consentId, '/console/commands/consents.reads'],
    [approvalId, '/console/commands/approvals.show'],
  ] as const) {
    const links = linksIn((await visitor.get(`/console/search?q=${id}`)).body);
    assert.ok(
      links.some((link) => link.startsWith(place) && link.includes(id)),
      place,
    );
  }
});

test('404 an unknown path is a page in words; without a session, the sign-in page is first', async () => {
  const visitor = await signIn(harness);
  const { host } = new URL(localhostOf(harness));
  for (const path of ['/console/nothing-here', '/console/webhooks/x/y', '/console/rules/x/y/z']) {
    const { status, headers, body } = await visitor.get(path);
    assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=utf-8'], path);
    assert.ok(body.includes('Page not found'), path);
    assert.equal((await harness.request('GET', path, { headers: { host } })).status, 303);
  }
});

test('the page of a user has balances, withdrawals, cards, consents and changes', async () => {
  const visitor = await signIn(harness);
  const user = await makeUser(harness);
  const { status, body } = await visitor.get(`/console/users/${user.id}`);
  assert.equal(status, 200);
  for (const part of ['Balances', 'Withdrawals', 'Cards', 'Consents', 'users.create'])
    assert.ok(unescaped(body).includes(part), part);
  assert.equal((await visitor.get(`/console/users/${crypto.randomUUID()}`)).status, 404);
});

test('202 a command for two operators: the confirmation says so, and another person approves it', async () => {
  const [maria, joao] = [await signIn(harness), await signIn(harness)];
  const path = '/console/commands/partners.create';
  const { body } = await maria.post(path, { step: 'review', name: 'Two' });
  assert.ok(body.includes('Another operator must approve it'));
  const stored = await maria.post(path, { step: 'run', once: hiddenIn(body, 'once'), name: 'Two' });
  assert.equal(stored.status, 202);
  const request = linksIn(stored.body).find((link) => link.includes('approvals.show'))!;
  assert.ok((await joao.get(request)).body.includes('Two'));
  const id = new URLSearchParams(request.split('?')[1]).get('id')!;
  const decide = '/console/commands/approvals.decide';
  const typed = { id, decision: 'approve' };
  const own = await maria.post(decide, { step: 'review', ...typed });
  const refused = await maria.post(decide, { step: 'run', once: hiddenIn(own.body, 'once'), ...typed });
  assert.equal(refused.status, 403);
  assert.ok(unescaped(refused.body).includes('another operator must decide'));
  const other = await joao.post(decide, { step: 'review', ...typed });
  assert.equal(
    (await joao.post(decide, { step: 'run', once: hiddenIn(other.body, 'once'), ...typed })).status,
    200,
  );
});

test('a secret is on the result page once, with a notice', async () => {
  const visitor = await signIn(harness);
  const partner = await makePartner(harness);
  const user = await makeUser(harness);
  await harness.operator('partners.allow-user', { partnerId: partner.id, userId: user.id });
  const typed = { name: 'Key', partnerId: partner.id, userId: user.id, scopes: ['history:read'] };
  const path = '/console/commands/keys.issue';
  const { status, body } = await visitor.post(path, { step: 'review', ...typed });
  assert.equal(status, 200, unescaped(body));
  const result = await visitor.post(path, { step: 'run', once: hiddenIn(body, 'once'), ...typed });
  assert.equal(result.status, 200);
  assert.equal(result.body.split('class="secret"').length, 2);
  assert.ok(result.body.includes('it is shown only once'));
});

test('a list has a link to its next page, and a file is downloaded', async () => {
  const visitor = await signIn(harness);
  for (let made = 0; made < 3; made++) await makePartner(harness);
  const first = await visitor.get('/console/commands/partners.list?limit=2&run=1');
  const next = linksIn(first.body).find((link) => link.includes('cursor='))!;
  const second = await visitor.get(next);
  assert.equal(second.status, 200);
  assert.notEqual(second.body, first.body);
  const user = await makeUser(harness);
  const file = await visitor.get(`/console/commands/ledger.statement?userId=${user.id}&format=csv&run=1`);
  assert.equal(file.status, 200);
  assert.match(file.headers.get('content-disposition')!, /^attachment; filename="/);
  assert.ok(!readTestLog().includes(`ledger.statement?userId=${user.id}`), 'no address with its query');
  const wrong = await visitor.get(`/console/commands/ledger.statement?userId=x&format=csv&run=1`);
  assert.equal(wrong.status, 400);
});

/** A hot wallet that is halted for a reason of the engine. */
async function haltWallet(reason: string): Promise<string> {
  const { db } = harness.deps;
  const address = makeAddress().toLowerCase();
  await db.query(
    `insert into payout_signers (network, address, next_nonce, halted_at, halted_reason, is_in_doubt, server, created_at)
     values ('polygon', $1, 4, now(), $2, false, database_server(), now())`,
    [address, reason],
  );
  return address;
}

/** A withdrawal is signed by a wallet; returns the hash. */
async function sign(id: string, address: string, nonce: number): Promise<string> {
  const { db } = harness.deps;
  const hash = `0x${randomBytes(32).toString('hex')}`;
  await db.query("update withdrawals set status = 'pending' where id = $1 and status = 'queued'", [id]);
  await db.query(
    `insert into payout_slots (network, address, nonce, withdrawal_id, state, opened_at)
     values ('polygon', $1, $2, $3, 'open', now())`,
    [address, nonce, id],
  );
  await db.query(
    `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at)
     values ($1, 'polygon', $2, $3, '\\x02'::bytea || uuid_send($4), 30000000000, 1, now())`,
    [hash, address, nonce, id],
  );
  await db.query("update withdrawals set status = 'processing', hot_wallet = $2 where id = $1", [
    id,
    address,
  ]);
  return hash;
}

test('the page of a withdrawal has the nonces that were given up, with what was signed for them', async (t) => {
  const { db } = harness.deps;
  t.after(() => db.query('update payout_signers set halted_at = null, halted_reason = null'));
  const visitor = await signIn(harness);
  const { id } = await pay();
  const address = await haltWallet('Ticket 4711');
  const first = await sign(id, address, 7);
  await db.query(
    `update payout_slots set state = 'void', void_of = withdrawal_id, withdrawal_id = null, settled_at = now(), mined_hash = $2
     where address = $1`,
    [address, `0x${'cd'.repeat(32)}`],
  );
  await db.query('update payout_attempts set is_void = true where address = $1', [address]);
  await db.query("update withdrawals set status = 'pending' where id = $1", [id]);
  const second = await sign(id, address, 8);
  const { body } = await visitor.get(`/console/withdrawals/${id}`);
  for (const part of [
    'Nonce 7 given up: it is signed again with another',
    `used by transaction 0x${'cd'.repeat(32)}`,
    `Signed ${first.slice(0, 8)}`,
    'for nonce 7, which was given up; at most 30 gwei',
    'Nonce 8 reserved',
    `Signed ${second.slice(0, 8)}`,
  ])
    assert.ok(unescaped(body).includes(part), part);
  const { formerPayouts } = (await harness.operator('withdrawals.show', { withdrawalId: id })).body.data;
  assert.deepEqual(
    formerPayouts.map(({ nonce, attempts }: { nonce: number; attempts: { hash: string }[] }) => [
      nonce,
      attempts.map(({ hash }) => hash),
    ]),
    [[7, [first]]],
  );
});

test('a withdrawal whose wallet is halted says why, with the button of the command that the reason asks for', async (t) => {
  const { db } = harness.deps;
  t.after(() => db.query('update payout_signers set halted_at = null, halted_reason = null'));
  const [visitor, viewer] = [
    await signIn(harness, { role: 'treasury' }),
    await signIn(harness, { role: 'viewer' }),
  ];
  const { id } = await pay();
  const path = `/console/withdrawals/${id}`;
  assert.ok(unescaped((await visitor.get(path)).body).includes('It has just been created.'));
  harness.advance(61_000);
  assert.ok(unescaped((await visitor.get(path)).body).includes('No worker has held the amount yet.'));
  const reason = 'the database server changed: wait a minute and run wallets recover';
  const address = await haltWallet(reason);
  harness.advance(5_000);
  const queued = await visitor.get(path);
  assert.ok(unescaped(queued.body).includes('A hot wallet of this network is halted'));
  const other = await haltWallet('Ticket 4711');
  await sign(id, address, 3);
  harness.advance(5_000);
  const { body } = await visitor.get(path);
  assert.ok(unescaped(body).includes('its hot wallet is halted: nothing is sent'));
  assert.ok(unescaped(body).includes(reason) && !body.includes('Ticket 4711'));
  const links = linksIn(body);
  const wallet = links.find((link) => link.startsWith('/console/wallets#polygon-'))!;
  assert.equal(wallet.toLowerCase(), `/console/wallets#polygon-${address}`);
  const recover = links.find((link) => link.startsWith('/console/commands/wallets.recover?'))!;
  assert.ok((await visitor.get(recover)).body.includes('value="polygon"'));
  const seen = linksIn((await viewer.get(path)).body);
  assert.ok(seen.includes(wallet) && !seen.some((link) => link.includes('wallets.re')));
  const wallets = linksIn((await visitor.get('/console/wallets')).body);
  assert.ok(wallets.includes(recover) && !wallets.some((link) => link.includes(`resend`)));
  assert.ok(wallets.some((link) => link.includes('wallets.resume') && link.toLowerCase().includes(other)));

  const { id: stuck } = await pay();
  await db.query("update withdrawals set status = 'pending', waiting_for = 'gas' where id = $1", [stuck]);
  harness.advance(5_000);
  const waiting = linksIn((await visitor.get('/console/wallets')).body);
  assert.equal(waiting.filter((link) => link.includes('waitingFor=gas')).length, 1, 'not for each wallet');
});
