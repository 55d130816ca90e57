import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitReasons } from '#features/payouts';
import { signIn, unescaped } from '#test/console-world';
import { useHarness } from '#test/harness';
import { gauges } from '../../../app.ts';
import { en } from '../texts/en.ts';
import { pt } from '../texts/pt.ts';
import { findAttention } from './find-attention.ts';

const harness = useHarness();
const call = async () => ({ data: { pauses: [] }, waits: false });
const figures = async () => [];

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
  const items = await findAttention({ figures, call, words: en, wallets });
  assert.deepEqual(
    items.map(({ text, isGrave }) => [text, isGrave]),
    [
      ['Could not be read: Gas, arbitrum', true],
      ['Could not be read: Gas, ethereum', true],
      ['Gas on polygon covers only 49 more payouts', false],
    ],
  );
  const [unread] = await findAttention({ figures, call, words: en, wallets: undefined });
  assert.deepEqual([unread?.text, unread?.isGrave], ['Could not be read: Hot wallets', true]);
});
