import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { makeStatement } from '#features/ledger/statement';
import { readPdfTexts } from '#test/callers/read-pdf';
import { visit } from '#test/callers/visitor';
import { makeUser } from '#test/data/factories';
import { gather, noValues } from '#test/data/sample-statement';
import { useHarness } from '#test/harness';
import { type BatchLine, postBatch } from '../../ledger/post-batch.ts';
import { checkPolicy } from './statement-routes.ts';

const harness = useHarness({ trustedProxies: ['127.0.0.1/32'] });
const ctx = () => harness.operatorContext();
const post = (...lines: BatchLine[]) => postBatch(ctx(), { key: randomUUID(), lines });

const period = { startAt: new Date('2026-01-01T00:00:00Z'), endAt: new Date('2026-01-31T23:59:59.999Z') };

const deposit = (userId: string, day: string, amountReceived: string, assetReceived = 'USDT'): BatchLine => ({
  userId,
  network: 'polygon',
  transactionType: 'buy',
  transactionDate: `${day}T12:00:00Z`,
  assetReceived,
  amountReceived,
  description: 'Deposit',
});

/** A user with two lines in January, and the statement as somebody gets it. */
async function issue() {
  const user = await makeUser(harness, { givenName: 'Ana', familyName: 'Ribeiro' });
  await post(deposit(user.id, '2025-12-31', '100'), deposit(user.id, '2026-01-10', '1234.5'));
  return { user, ...(await readStatement(user.id)) };
}

async function readStatement(userId: string) {
  const terms = { userId, format: 'pdf', feature: 'account', ...period } as const;
  const pdf = await gather((await makeStatement(ctx(), terms, noValues)).chunks);
  const texts = (await readPdfTexts(pdf))[0]!.map(({ text }) => text);
  const url = texts.find((text) => text.includes('/statements/verify?code='))!;
  const number = texts.find((text) => /^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/.test(text))!;
  const head = texts.find((text) => text.startsWith('Ledger head:'))!;
  return { url, number, hash: head.split(' ').at(-1)! };
}

let visits = 0;

/** Every time from another address, because an address has an allowance. */
const open = (url: string, headers: Record<string, string> = {}) =>
  visit(url, { headers: { 'x-forwarded-for': `203.0.113.${++visits}`, ...headers } });

test('200 a statement matches: number, period, ledger head and balances, and nothing about the person', async () => {
  const { user, url, number, hash } = await issue();
  const { status, headers, text } = await open(url);
  assert.equal(status, 200);
  for (const words of [
    'This statement matches the ledger',
    number,
    'Jan 1, 2026 to Jan 31, 2026',
    hash,
    'USDT, polygon',
    '100.00 → 1,334.50',
  ])
    assert.ok(text.includes(words), words);
  for (const personal of ['Ana', 'Ribeiro', user.email, user.id])
    assert.ok(!text.includes(personal), personal);
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.match(headers.get('content-security-policy')!, /^default-src 'none'/);
  const { text: portuguese } = await open(url, { 'accept-language': 'pt' });
  assert.ok(portuguese.includes('Este extrato confere com o livro-razão'));
  assert.ok(portuguese.includes('100,00 → 1.334,50'));
});

test('200 it still matches after later lines, also of the period, of before it and of another asset', async () => {
  const { user, url, number } = await issue();
  await post(
    deposit(user.id, '2025-06-01', '7'),
    deposit(user.id, '2026-01-15', '8'),
    deposit(user.id, '2026-02-01', '9'),
    deposit(user.id, '2026-01-15', '10', 'USDC'),
  );
  const { text } = await open(url);
  assert.ok(text.includes('This statement matches the ledger'), text);
  assert.ok(text.includes('100.00 → 1,334.50') && text.includes(number));
  assert.ok(!text.includes('USDC'));
  const later = await readStatement(user.id);
  assert.notEqual(later.number, number);
  assert.ok((await open(later.url)).text.includes('107.00 → 1,349.50'));
});

test('200 without lines: the statement of an empty ledger matches, also after the first line', async () => {
  const { id } = await makeUser(harness);
  const { url } = await readStatement(id);
  assert.ok((await open(url)).text.includes('No lines yet'));
  await post(deposit(id, '2026-01-10', '5'));
  const { text } = await open(url);
  assert.ok(text.includes('matches the ledger') && text.includes('All balances were zero.'));
});

test('200 does not match, and shows no figures, once a line or a balance of the ledger is another', async () => {
  for (const change of [
    `update ledger_lines l set hash = sha256('other') from ledger_lists h where h.id = l.list_id and h.user_id = $1 and l.number = 2`,
    `update ledger_movements m set amount = amount + 1 from ledger_accounts a where a.id = m.account_id and a.user_id = $1`,
  ]) {
    const { user, url, hash, number } = await issue();
    await harness.deps.db.transaction(async (db) => {
      // The database refuses it otherwise.
      await db.query('set local session_replication_role = replica');
      await db.query(change, [user.id]);
    });
    const { status, text } = await open(url);
    assert.equal(status, 200);
    assert.ok(text.includes('This statement does not match the ledger'), change);
    for (const words of [hash, number, '1,334', 'polygon']) assert.ok(!text.includes(words), words);
  }
});

test('404 the same page for every code that was not made here', async () => {
  const { url } = await issue();
  const code = new URL(url).searchParams.get('code')!;
  const others = [`${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`, code.slice(1), 'x', 'é'];
  const pages = new Set<string>();
  for (const other of others) {
    const { status, text } = await open(`${harness.url}/statements/verify?code=${other}`);
    assert.equal(status, 404, other);
    pages.add(text);
  }
  assert.equal(pages.size, 1);
  assert.ok([...pages][0]!.includes('No statement has this code'));
});

test('200 without a code: a form for a statement on paper', async () => {
  const { status, text } = await open(`${harness.url}/statements/verify`);
  assert.equal(status, 200);
  assert.match(text, /<form method="get" action="\/statements\/verify">/);
});

test('429 more checks than an address may make in a minute', async () => {
  const statuses: number[] = [];
  for (let at = 0; at <= checkPolicy.quota; at++)
    statuses.push(
      (await open(`${harness.url}/statements/verify`, { 'x-forwarded-for': '198.51.100.1' })).status,
    );
  assert.equal(statuses.at(-1), 429);
  const { text, headers } = await open(`${harness.url}/statements/verify`, {
    'x-forwarded-for': '198.51.100.1',
  });
  assert.ok(text.includes('Too many checks'));
  assert.match(headers.get('retry-after')!, /^\d+$/);
});

test('404, 405 and 400 of addresses below /statements are pages, as those of /connect are', async () => {
  for (const [path, status, method] of [
    ['/statements', 404, 'GET'],
    ['/statements/', 404, 'GET'],
    ['/statements/nowhere', 404, 'GET'],
    ['/statements/verify/x', 404, 'GET'],
    ['/statements/verify', 405, 'POST'],
    ['/statements/%zz', 400, 'GET'],
    ['/connect/%zz', 400, 'GET'],
  ] as const) {
    const answer = await fetch(harness.url + path, { method });
    const text = await answer.text();
    assert.equal(answer.status, status, path);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8', path);
    assert.match(text, /^<!doctype html>[\s\S]*<h1/i, path);
    for (const name of ['x-request-id', 'content-security-policy', 'x-content-type-options'])
      assert.ok(answer.headers.has(name), `${name} of ${path}`);
    if (status === 405) assert.equal(answer.headers.get('allow'), 'GET');
  }
});
