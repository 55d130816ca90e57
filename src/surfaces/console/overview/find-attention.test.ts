import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitReasons } from '#features/payouts';
import { useHarness } from '#test/harness';
import { signIn, unescaped } from '#test/worlds/console';
import { gauges } from '../../../app.ts';
import type { Figure } from '../figures.ts';
import type { ShownNetwork } from '../nodes/shown-network.ts';
import { en } from '../texts/en.ts';
import { pt } from '../texts/pt.ts';
import { findAttention } from './find-attention.ts';

const harness = useHarness({ networks: [] });
const call = async () => ({ data: { pauses: [] }, waits: false });
const figures = async () => [];
const readJobs = async () => ({ newestSeconds: 1, isSilent: false, stuck: [] });
/** As a worker leaves it after a turn. */
const noteTurn = (job: string, age = '0') =>
  harness.deps.db.query(
    `insert into job_leases (job, turn, expires_at) values ($1, 1, now() - $2::interval)
     on conflict (job) do update set expires_at = excluded.expires_at`,
    [job, age],
  );

const makeWallet = (network: string, fields: { isCurrent?: boolean; payoutsLeft?: number | null }) => ({
  network,
  address: `0x${'ab'.repeat(20)}`,
  isCurrent: fields.isCurrent ?? true,
  laneDepth: 0,
  haltedAt: null,
  haltedReason: null,
  waiting: [],
  onChain:
    fields.payoutsLeft === undefined ? null : { gas: '1', payoutsLeft: fields.payoutsLeft, tokens: [] },
});

test('the console has words for each reason for which a withdrawal waits', () => {
  for (const { reasons } of [en, pt]) {
    const wordless = waitReasons.filter((reason) => !reasons[reason]);
    assert.deepEqual(wordless, []);
  }
});

test('a figure that cannot be read is a grave item, and the overview does not say that all is well', async (t) => {
  const visitor = await signIn(harness);
  await noteTurn('payouts.hold');
  assert.ok((await visitor.get('/console')).body.includes('Nothing needs you right now.'));
  const { db } = harness.deps;
  await db.query('alter table approval_requests rename to hidden');
  t.after(() => db.query('alter table hidden rename to approval_requests'));
  const { status, body } = await visitor.get('/console');
  assert.equal(status, 200);
  assert.ok(!body.includes('Nothing needs you right now.'));
  assert.ok(unescaped(body).includes('Could not be read: causeway_approvals_pending'));
  const portuguese = await visitor.get('/console', { 'accept-language': 'pt' });
  assert.ok(unescaped(portuguese.body).includes('Não pôde ser lido: causeway_approvals_pending'));
});

test('withdrawals that cannot be counted are not shown as final', async (t) => {
  const visitor = await signIn(harness);

  const gauge = gauges.find(({ name }) => name === 'causeway_withdrawals_waiting')!;
  t.mock.method(gauge, 'read', () => Promise.reject(new Error('no connection')));
  const { body } = await visitor.get('/console');
  assert.ok(!body.includes('Every withdrawal is final.'));
  assert.ok(unescaped(body).includes('Could not be read: Withdrawals that are not final'));
});

test('low gas is that of wallets that workers sign with, and gas that is not known is grave', async () => {
  const wallets = [
    makeWallet('polygon', { payoutsLeft: 49 }),
    makeWallet('polygon', { payoutsLeft: 0, isCurrent: false }),
    makeWallet('base', { payoutsLeft: 50 }),
    makeWallet('arbitrum', { payoutsLeft: null }),
    makeWallet('ethereum', {}),
    makeWallet('optimism', { isCurrent: false }),
  ];
  const items = await findAttention({ figures, call, words: en, wallets, nodes: [], readJobs });
  assert.deepEqual(
    items.map(({ text, isGrave }) => [text, isGrave]),
    [
      ['Could not be read: Gas, arbitrum', true],
      ['Could not be read: Gas, ethereum', true],
      ['Gas on polygon covers only 49 more payouts', false],
    ],
  );
  const [unread] = await findAttention({ figures, call, words: en, wallets: undefined, nodes: [], readJobs });
  assert.deepEqual([unread?.text, unread?.isGrave], ['Could not be read: Hot wallets', true]);
});

/** What the overview says about these figures of `/metrics`. */
async function itemsFor(rows: Record<string, readonly Figure[]>, nodes: readonly ShownNetwork[] = []) {
  const read = async (name: string) => rows[name] ?? [];
  const items = await findAttention({ figures: read, call, words: en, wallets: [], nodes, readJobs });
  return items.map(({ text, address, isGrave }) => [text, address, isGrave]);
}

test('a difference of the treasury, and old payouts are items with their pages', async () => {
  const usdt = { network: 'polygon', currency: 'USDT' };
  assert.deepEqual(
    await itemsFor({
      causeway_treasury_shortfall: [
        { labels: usdt, value: 5 },
        { labels: { network: 'base', currency: 'USDC' }, value: 0 },
      ],
      causeway_treasury_unexplained: [{ labels: usdt, value: -0.5 }],
    }),
    [
      ['The treasury lacks 5 USDT on polygon', '/console/reconcile#polygon', true],
      ['A difference of -0.5 USDT on polygon is not explained', '/console/reconcile#polygon', true],
    ],
  );
  const list = '/console/commands/withdrawals.list?';
  const aged = (status: string, value: number) => ({ labels: { network: 'polygon', status }, value });
  assert.deepEqual(
    await itemsFor({
      causeway_withdrawals_oldest_age_seconds: [
        aged('processing', 7_200),
        aged('queued', 400),
        aged('pending', 9_999),
      ],
    }),
    [
      [
        'A payout on polygon has been processing for 2 h',
        `${list}status=processing&network=polygon&olderThanSeconds=3600&run=1`,
        true,
      ],
      [
        'A payout on polygon has been queued for 6 min',
        `${list}status=queued&network=polygon&olderThanSeconds=300&run=1`,
        true,
      ],
    ],
  );
});

/** A network as `nodes.show` has it. */
function makeShown(
  network: string,
  states: readonly string[],
  { agreeing = 2, ...others }: Partial<ShownNetwork> = {},
): ShownNetwork {
  const nodes = states.map((state, at) => ({
    node: at + 1,
    state,
    head: null,
    blocksBehind: null,
    final: null,
    faults: [],
  }));
  return {
    network,
    quorum: 2,
    agreeing,
    finality: 'finalized',
    nodes,
    payouts: [],
    deposits: null,
    ...others,
  };
}

test('nodes that are away, lag or contradict each other are items, before a wallet is halted', async () => {
  const up = (network: string, place: string, value: number) => ({ labels: { network, place }, value });
  const payout = {
    wallet: `0x${'ab'.repeat(20)}`,
    nonce: 7,
    withdrawalId: crypto.randomUUID(),
    signedAt: '2026-01-31T12:00:00.000Z',
    isContradicted: true,
    answers: [],
  };
  const shown = await itemsFor({ causeway_node_up: [up('polygon', '1', 1), up('polygon', '2', 0)] }, [
    makeShown('polygon', ['ok', 'ok', 'behind']),
    makeShown('base', ['away', 'away'], { agreeing: 0 }),
    makeShown('ethereum', ['ok', 'contradicts'], {
      agreeing: 1,
      payouts: [payout, { ...payout, isContradicted: false }],
      deposits: { block: 9, trouble: 'the nodes have different blocks 10' },
    }),
  ]);
  const at = (network: string) => `/console/wallets#nodes-${network}`;
  assert.deepEqual(shown, [
    ['No node of base answers: payouts and deposits wait', at('base'), true],
    [
      'Only 1 of the nodes of ethereum has the same final block, and 2 must agree: payouts are not settled',
      at('ethereum'),
      true,
    ],
    ['Nodes of ethereum contradict each other about the payout with nonce 7', at('ethereum'), true],
    ['Nodes keep deposits on ethereum from being read', at('ethereum'), true],
    ['Node 2 of polygon does not answer', at('polygon'), false],
    ['Node 3 of polygon lags behind', at('polygon'), false],
    ['Node 2 of ethereum contradicts the others', at('ethereum'), false],
  ]);
  const wallets: [] = [];
  const [unread] = await findAttention({ figures, call, words: en, wallets, nodes: undefined, readJobs });
  assert.deepEqual([unread?.text, unread?.isGrave], ['Could not be read: Nodes', true]);
});

test('a job that no worker runs is on the overview, and so is a deployment without workers', async (t) => {
  const { db } = harness.deps;
  t.after(() => db.query('delete from job_leases'));
  const visitor = await signIn(harness);
  const shown = async (headers = {}) => unescaped((await visitor.get('/console', headers)).body);
  await db.query('delete from job_leases');
  assert.ok((await shown()).includes('No worker has run yet: nothing is paid'));
  await noteTurn('rate-limit.sweep', '2 hours');
  assert.ok((await shown()).includes('No worker has run a job for 2 h: nothing is paid'));
  const inPortuguese = await shown({ 'accept-language': 'pt' });
  assert.ok(inPortuguese.includes('Nenhum worker executa tarefas há 2 h: nada é pago'));
  await noteTurn('events.number');
  const stuck = await shown();
  assert.ok(
    stuck.includes('The job rate-limit.sweep has not run for 2 h') && !stuck.includes('nothing is paid'),
  );
});
