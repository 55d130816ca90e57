import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cardTools } from '#features/cards';
import { type BatchLine, ledgerTools } from '#features/ledger';
import { callerOf, keyContext } from '#test/callers/tool-call';
import { makeKey } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { startTestIssuer } from '#test/outside/issuer';
import { lineTypes } from '../../features/ledger/lines/line.ts';
import { listLines } from '../../features/ledger/lines/list-lines.ts';
import type { LineView } from '../../features/ledger/lines/present-line.ts';
import type { SandboxFile } from '../sandbox-file.ts';
import { useCards } from './cards.ts';
import { tellLedgerStory } from './ledger-story.ts';
import { loadWorld, type World } from './load-world.ts';
import { demoUsers } from './people.ts';

// The demo data as a newcomer finds it, on a real database and with the sandbox's card issuer.
// sandbox.test.ts shows what the workers pay of it.

const bank = await startTestIssuer();
after(() => bank.stop());
const harness = useHarness({ issuer: bank.issuer });
const { id: userId } = demoUsers.owner;
const ctx = () => harness.operatorContext();
const sql = (text: string, values: unknown[] = []) => harness.deps.db.query(text, values);
let world: World;
let cards: SandboxFile['cards'];
let lines: LineView[];

before(async () => {
  world = await loadWorld(ctx());
  for (const { token } of Object.values(world.keys)) noteSecret(token);
  for (const { apiKey } of Object.values(world.integrations)) noteSecret(apiKey);
  cards = await useCards(ctx(), bank);
  lines = (await listLines(ctx(), { userId, types: lineTypes, currentPage: 0, pageSize: 5_000 })).lines;
});

test('the owner has about 1,500 lines over eighteen months, of every type and in several languages', () => {
  assert.ok(lines.length > 1_400 && lines.length < 1_700, String(lines.length));
  const ages = lines.map(({ transactionDate }) => Date.now() - Date.parse(transactionDate));
  assert.ok(Math.max(...ages) > 540 * 86_400_000);
  assert.deepEqual([...new Set(lines.map((line) => line.transactionType))].sort(), [...lineTypes].sort());
  const purposes = new Set(lines.map((line) => line.transactionPurpose));
  for (const purpose of ['salary', 'purchase', 'rent', 'withdrawal', 'conversion', 'transfer', 'refund']) {
    assert.ok(purposes.has(purpose), purpose);
  }
  const notes = lines.map((line) => line.userDescription).join(' ');
  for (const word of ['谢谢', 'coffee with Bruno', 'feira da semana']) assert.match(notes, new RegExp(word));
});

test('a conversion on one network is a line with both legs, one between networks is two lines of one id', () => {
  const linesOf = (id: string) => lines.filter((line) => line.id === id);
  const [swap, ...others] = linesOf(world.ledger.swap);
  assert.deepEqual([others.length, swap!.assetSent === swap!.assetReceived], [0, false]);
  const legs = linesOf(world.ledger.bridge);
  assert.equal(new Set(legs.map(({ network }) => network)).size, 2);
  assert.equal(legs.filter(({ amountSent }) => amountSent !== null).length, 1);
  assert.equal(linesOf(world.ledger.transfer).length, 1, 'the other line is another user’s');
  assert.match(linesOf(world.ledger.late)[0]!.description, /posted late/);
});

test('no balance was ever below zero', () => {
  const belowZero = lines.filter(({ runningBalance }) => runningBalance.startsWith('-'));
  assert.deepEqual(belowZero, []);
  const balances = new Map<string, number>();
  for (const line of tellLedgerStory(new Date('2026-03-09T12:00:00Z')).lines) {
    for (const [asset, amount] of movesOf(line)) {
      const key = `${line.userId} ${line.network} ${asset}`;
      balances.set(key, (balances.get(key) ?? 0) + amount);
      assert.ok(balances.get(key)! > -0.001, key);
    }
  }
});

test('two starts on one day tell the same story, and the next day moves it by a day', () => {
  const morning = tellLedgerStory(new Date('2026-03-09T07:00:00Z'));
  assert.deepEqual(tellLedgerStory(new Date('2026-03-09T21:00:00Z')), morning);
  assert.notDeepEqual(tellLedgerStory(new Date('2026-03-10T00:00:00Z')), morning);
});

test('something is unsettled in every status, under its id', async () => {
  const rows = await sql(
    `select distinct operation_id as id, status from ledger_unsettled where operation_id like 'demo-%'`,
  );
  assert.deepEqual(
    Object.fromEntries(rows.map(({ id, status }) => [status, id])),
    Object.fromEntries(Object.entries(world.unsettled)),
  );
  assert.equal(rows.length, 6);
});

test('keys are in the states of their names', async () => {
  const { body } = await harness.operator('keys.list', { limit: 100 });
  const statusOf = (name: keyof World['keys']) =>
    body.data.items.find(({ id }: { id: string }) => id === world.keys[name].id).status;
  assert.deepEqual(
    Object.fromEntries(
      (Object.keys(world.keys) as (keyof World['keys'])[]).map((name) => [name, statusOf(name)]),
    ),
    {
      full: 'active',
      readOnly: 'active',
      noMcp: 'active',
      expired: 'expired',
      ipLocked: 'active',
      revoked: 'revoked',
      suspended: 'suspended',
      otherPartner: 'active',
      friend: 'active',
      business: 'active',
    },
  );
});

test('consents are in every state, with reads', async () => {
  const read = (name: keyof World['consents'], integration: keyof World['integrations']) =>
    harness.request('GET', `/api/v1/consent/${world.consents[name]}/user`, {
      headers: { 'x-api-key': world.integrations[integration].apiKey },
    });
  const statuses = {
    active: (await read('active', 'main')).status,
    revoked: (await read('revoked', 'main')).status,
    expired: (await read('expired', 'main')).status,
    foreign: (await read('foreign', 'main')).status,
    own: (await read('foreign', 'other')).status,
    rejected: (await read('rejected', 'main')).body.code,
  };
  const rejected = 'consent_not_granted';
  assert.deepEqual(statuses, { active: 200, revoked: 410, expired: 410, foreign: 403, own: 200, rejected });
  const [reads] = await sql('select count(*)::integer as count from consent_reads');
  assert.equal(reads!.count, 4 * 2 + 2);
});

test('the owner has a card of each status, on two accounts, with every kind of transaction', async () => {
  const rows = await sql('select id, status, card_issuer_user_id from cards where user_id = $1', [userId]);
  const statusOf = (name: keyof typeof cards) => rows.find(({ id }) => id === cards[name].id)!.status;
  assert.deepEqual((['active', 'locked', 'inactive', 'canceled', 'travel'] as const).map(statusOf), [
    'active',
    'locked',
    'inactive',
    'canceled',
    'active',
  ]);
  assert.equal(new Set(rows.map((row) => row.card_issuer_user_id)).size, 2);
  const kinds = await sql(
    'select distinct type, status from card_transactions where user_id = $1 order by type, status',
    [userId],
  );
  assert.deepEqual(kinds.map(({ type, status }) => `${type} ${status}`).sort(), [
    'purchase declined',
    'purchase pending',
    'purchase reversed',
    'purchase settled',
    'refund settled',
  ]);
  const [{ months } = { months: 0 }] = await sql(
    `select count(distinct date_trunc('month', created_at))::integer as months from card_transactions where user_id = $1`,
    [userId],
  );
  assert.ok((months as number) >= 17, String(months));
});

test('a refill rule is there, and its first refill waits to end', async () => {
  const rows = await sql('select status, amount from card_refills where user_id = $1', [userId]);
  assert.deepEqual(rows, [{ status: 'queued', amount: 90_000n }]);
});

test('loading it again, as the next start does, changes nothing', async () => {
  const count = async () => {
    const [row] = await sql(
      `select (select count(*) from ledger_lines) as lines, (select count(*) from withdrawals) as withdrawals,
         (select count(*) from cards) as cards, (select count(*) from card_transactions) as transactions,
         (select count(*) from consents) as consents, (select count(*) from api_keys) as keys,
         (select count(*) from card_refills) as refills`,
    );
    return row;
  };
  const before = await count();
  assert.deepEqual(await loadWorld(ctx(), world), world);
  assert.deepEqual(await useCards(ctx(), bank), cards);
  assert.deepEqual(await count(), before);
});

test('at the defaults, every answer of a tool about the owner is short', async () => {
  const key = keyContext(harness, await makeKey(harness, { userId, scopes: ['mcp'] }));
  const call = callerOf([...cardTools, ...ledgerTools]);
  const { id: cardId, cardIssuerUserId } = cards.active;
  for (const { name, hints } of [...cardTools, ...ledgerTools]) {
    if (!hints.readOnly) continue;
    const args = name === 'getUserCardTransactions' ? { cardId, cardIssuerUserId } : {};
    const { length } = JSON.stringify(await call(key, name, args));
    // A token is three characters or more of such text.
    assert.ok(length < 4_000 * 3, `${name}: ${length}`);
  }
});

const movesOf = (line: BatchLine): [asset: string, amount: number][] => [
  ...(line.assetSent ? [[line.assetSent, -Number(line.amountSent)] as [string, number]] : []),
  ...(line.assetReceived ? [[line.assetReceived, Number(line.amountReceived)] as [string, number]] : []),
];
