import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Html } from '#platform/http/html';
import { en } from '../texts/en.ts';
import type { Reader } from '../visit.ts';
import type { Activity, LastingWallet } from '../wallets/read-wallets.ts';
import { renderBalances } from './plot-balances.ts';
import { renderLatency } from './plot-latency.ts';

const reader = { words: en } as Reader;

const makeWallet = (network: string, fields: Partial<LastingWallet>): LastingWallet => ({
  network,
  address: `0x${'ab'.repeat(20)}`,
  isCurrent: true,
  laneDepth: 0,
  haltedAt: null,
  haltedReason: null,
  waiting: [],
  onChain: null,
  daysLeft: undefined,
  ...fields,
});

const holding = (balance: string, currency = 'USDT') => ({
  gas: '1',
  payoutsLeft: 9,
  tokens: [{ currency, balance }],
});

test('balances: a bar for each token of current wallets, as long as its share of the highest', () => {
  const wallets = [
    makeWallet('polygon', { onChain: holding('200'), daysLeft: 2.25 }),
    makeWallet('base', { onChain: holding('50', '<b>'), daysLeft: 5_000 }),
    makeWallet('ethereum', { onChain: holding('900'), isCurrent: false }),
  ];
  const shown = renderBalances(reader, wallets);
  assert.ok(shown !== false);
  const { text } = shown;
  assert.deepEqual(
    text
      .split('rect width="')
      .slice(1)
      .map((part) => part.slice(0, part.indexOf('"'))),
    ['100.0', '25.0'],
  );
  for (const part of ['polygon USDT', 'base &#60;b&#62;', 'gas lasts 2.3 days', '&#62;999'])
    assert.ok(text.includes(part), part);
  assert.equal(renderBalances(reader, [makeWallet('polygon', {})]), false);
});

test('balances: wallets of one network are told apart by the ends of their addresses', () => {
  const wallets = ['aa', 'bb'].map((byte) =>
    makeWallet('polygon', { address: `0x${byte.repeat(20)}`, onChain: holding('1') }),
  );
  const { text } = renderBalances(reader, [
    ...wallets,
    makeWallet('base', { onChain: holding('1') }),
  ]) as Html;
  for (const label of ['polygon USDT …aaaaaa', 'polygon USDT …bbbbbb', 'base USDT'])
    assert.ok(text.includes(`>${label}</th>`), label);
});

test('latency: a bar and a mark for each hour with payouts, and the same figures in a table', () => {
  const hours: Activity['hours'] = Array.from({ length: 24 }, (_one, at) => ({
    hour: new Date(Date.UTC(2026, 0, 1, at)).toISOString(),
    settled: 0,
    medianSeconds: null,
    p95Seconds: null,
  }));
  assert.equal(renderLatency(reader, { hours, wallets: [] }), false);
  hours[3] = { ...hours[3]!, settled: 4, medianSeconds: 30, p95Seconds: 120 };
  const shown = renderLatency(reader, { hours, wallets: [] });
  assert.ok(shown !== false);
  const { text } = shown;
  assert.equal(text.split('<rect').length - 1, 1);
  assert.equal(text.split('class="mark"').length - 1, 1);
  const row = '<td>2026-01-01 03:00</td><td class="number">30 s</td><td class="number">2 min</td>';
  assert.ok(text.includes(row));
  assert.ok(text.includes('aria-label="Time from creation to settlement, last 24 hours: Median 30 s'));
});
