import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { dayMs } from '#platform/values/duration';
import { makeAddress, makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { publish } from '#test/worlds/rules';
import type { Limit } from './read-limits.ts';
import type { Rule } from './wire.ts';

const harness = useHarness();
const everything: Rule = { name: 'Everything', verdict: 'allow' };

afterEach(async () => {
  await publish(harness, []);
});

const read = async ({ token }: IssuedKey, query = '') => {
  const { status, body } = await harness.request('GET', `/api/limits${query}`, { token });
  assert.equal(status, 200, body.error);
  return body.data as { hasRules: boolean; limits: Limit[] };
};

const inCurrency = (limits: readonly Limit[], currency: string) =>
  limits.filter((limit) => limit.currency === currency);

test('without rules there are no limits', async () => {
  const key = await makeKey(harness);
  assert.deepEqual(await read(key), { hasRules: false, limits: [] });
  const { body } = await harness.request('GET', '/api/crypto/assets', { token: key.token });
  for (const asset of body.data.assets)
    assert.deepEqual([asset.remaining, asset.remainingGrowsAt], [null, null]);
});

test('a limit says what is used, what remains, and when it grows; paying exactly that is allowed', async () => {
  const key = await makeKey(harness);
  await publish(harness, [
    everything,
    { name: 'Daily', verdict: 'deny', sum: { over: '100', window: 'day', per: 'partner' } },
    {
      name: 'Ask',
      verdict: 'approve',
      approvals: { count: 1, role: 'finance' },
      partners: [key.partnerId],
      sum: { over: '50', window: 'hour', per: 'user' },
    },
  ]);
  const startedAt = Date.now();
  await makeWithdrawal(harness, key, { amount: '30.5' });
  const { hasRules, limits } = await read(key);
  assert.equal(hasRules, true);
  const [daily, ask] = inCurrency(limits, 'USDT');
  const { growsAt, ...rest } = daily!;
  assert.deepEqual(rest, {
    rule: 'Daily',
    beyond: 'denied',
    currency: 'USDT',
    network: null,
    per: 'partner',
    window: 'day',
    limit: '100',
    used: '30.5',
    remaining: '69.5',
    destinations: null,
  });
  assert.ok(Math.abs(Date.parse(growsAt!) - startedAt - dayMs) < 60_000, growsAt!);
  assert.deepEqual([ask!.rule, ask!.beyond, ask!.remaining], ['Ask', 'approval', '19.5']);
  const [usdc] = inCurrency(limits, 'USDC');
  assert.deepEqual([usdc!.used, usdc!.growsAt], ['0', null]);

  const { body } = await harness.request('GET', '/api/crypto/assets', { token: key.token });
  const ofUsdt = body.data.assets.filter(({ currency }: { currency: string }) => currency === 'USDT');
  assert.ok(ofUsdt.length > 1);
  for (const asset of ofUsdt) assert.deepEqual([asset.remaining, asset.remainingGrowsAt], ['69.5', growsAt]);

  const create = (amount: string) =>
    harness.request('POST', `/api/crypto/${key.userId}/withdraw`, {
      token: key.token,
      body: { amount, to: makeAddress() },
    });
  assert.equal((await create('69.500001')).status, 403);
  assert.equal((await create('69.5')).status, 200);
  assert.equal(inCurrency((await read(key)).limits, 'USDT')[0]!.remaining, '0');
});

test('only rules that concern the caller are listed, for the user that is asked for', async () => {
  const key = await makeKey(harness);
  const other = await makeKey(harness, { partnerId: key.partnerId });
  const sum = { over: '10', window: 'day', per: 'user' } as const;
  await publish(harness, [
    everything,
    { name: 'Of the user', verdict: 'deny', users: [key.userId], sum },
    { name: 'Of the key', verdict: 'deny', keys: [key.id], sum: { ...sum, per: 'key' } },
    { name: 'Of another partner', verdict: 'deny', partners: [(await makeKey(harness)).partnerId], sum },
    { name: 'Of refills', verdict: 'deny', sources: ['refill'], sum },
    { name: 'Of an address', verdict: 'deny', sum: { ...sum, per: 'destination' } },
    { name: 'Of a network', verdict: 'deny', networks: ['base'], sum: { ...sum, per: 'network' } },
  ]);
  const namesOf = async (...args: Parameters<typeof read>) =>
    inCurrency((await read(...args)).limits, 'USDC').map(({ rule, network }) => [rule, network]);
  assert.deepEqual(await namesOf(key), [
    ['Of the user', null],
    ['Of the key', null],
    ['Of a network', 'base'],
  ]);
  assert.deepEqual(await namesOf(other), [['Of a network', 'base']]);
  assert.deepEqual(await namesOf(other, `?userId=${key.userId.toUpperCase()}`), [
    ['Of the user', null],
    ['Of a network', 'base'],
  ]);
});

test('a limit that other partners share shows nothing of what they pay', async () => {
  const [key, other] = [await makeKey(harness), await makeKey(harness)];
  const sum = { over: '1000000', window: 'day' } as const;
  await publish(harness, [
    everything,
    { name: 'All', verdict: 'deny', sum: { ...sum, per: 'everything' } },
    { name: 'Network', verdict: 'deny', networks: ['polygon'], sum: { ...sum, per: 'network' } },
    { name: 'Own', verdict: 'deny', partners: [key.partnerId], sum: { ...sum, per: 'user' } },
  ]);
  await makeWithdrawal(harness, other, { amount: '7' });
  const shown = inCurrency((await read(key)).limits, 'USDT').map(({ rule, used, remaining, growsAt }) => [
    rule,
    used,
    remaining,
    growsAt,
  ]);
  assert.deepEqual(shown, [
    ['All', null, null, null],
    ['Network', null, null, null],
    ['Own', '0', '1000000', null],
  ]);
});
