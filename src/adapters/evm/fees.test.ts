import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { raiseFees, readFees } from './fees.ts';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';

const gwei = 10n ** 9n;
const bounds = { tipMin: 30n * gwei, tipAllowed: 50n * gwei, feeCap: 500n * gwei };

/** A node that answers with these, in the order in which fees are asked for. */
const answering = (...answers: unknown[]): Provider => ({
  call: () => assert.fail('fees are asked for in one batch'),
  batch: async () => answers,
});
const hex = (value: bigint) => `0x${value.toString(16)}`;
const block = (baseFee: bigint) => ({ baseFeePerGas: hex(baseFee) });
const within = (value: bigint, from: bigint, width = 1_000n) =>
  assert.ok(value >= from && value < from + width, `${value} is not within ${width} of ${from}`);

test('the tip is what the node suggests, the fee twice the base fee and the tip', async () => {
  const fees = await readFees([answering(block(100n * gwei), hex(40n * gwei))], bounds);
  assert.equal(fees.baseFeePerGas, 100n * gwei);
  within(fees.maxPriorityFeePerGas, 40n * gwei);
  assert.equal(fees.maxFeePerGas, 200n * gwei + fees.maxPriorityFeePerGas);
});

for (const [what, tip] of [
  ['suggests less', hex(1n)],
  ['does not know the method', new NodeError('no such method', { code: -32601, isAnswer: true })],
  ['suggests nonsense', { tip: 1 }],
] as const) {
  test(`the least tip where the node ${what}`, async () => {
    const fees = await readFees([answering(block(gwei), tip)], bounds);
    within(fees.maxPriorityFeePerGas, bounds.tipMin);
  });
}

test('nothing is above the cap', async () => {
  const dear = await readFees([answering(block(400n * gwei), hex(40n * gwei))], bounds);
  assert.equal(dear.maxFeePerGas, bounds.feeCap);
  within(dear.maxPriorityFeePerGas, 40n * gwei);
  const absurd = await readFees([answering(block(10n ** 30n), hex(10n ** 30n))], bounds);
  assert.equal(absurd.maxFeePerGas, bounds.feeCap);
  within(absurd.maxPriorityFeePerGas, bounds.feeCap - 1_000n);
});

describe('of several nodes', () => {
  const honest = () => answering(block(100n * gwei), hex(40n * gwei));
  const away = new NodeError('no answer');

  for (const [what, liars] of [
    ['one of two', [answering(block(10n ** 30n), hex(10n ** 30n))]],
    ['one of two that lies about the tip only', [answering(block(100n * gwei), hex(10n ** 30n))]],
    ['one of three', [honest(), answering(block(0n), hex(10n ** 30n))]],
    ['one, where another is away', [answering(block(10n ** 30n), hex(10n ** 30n)), answering(away, away)]],
  ] as [string, Provider[]][]) {
    test(`${what} does not set the fees, in whatever order they are asked`, async () => {
      for (const nodes of [
        [honest(), ...liars],
        [...liars, honest()],
      ]) {
        const fees = await readFees(nodes, bounds);
        assert.equal(fees.baseFeePerGas, 100n * gwei);
        within(fees.maxPriorityFeePerGas, 40n * gwei);
        assert.equal(fees.maxFeePerGas, 200n * gwei + fees.maxPriorityFeePerGas);
      }
    });
  }

  test('the tip is the median of those that suggest one', async () => {
    const tips = [45n, 41n, 43n].map((tip) => answering(block(100n * gwei), hex(tip * gwei)));
    const silent = answering(block(100n * gwei), new NodeError('no such method'));
    within((await readFees([...tips, silent], bounds)).maxPriorityFeePerGas, 43n * gwei);
  });

  test('none answers: the error of the first', async () => {
    await assert.rejects(readFees([answering(away, away), answering(null, hex(1n))], bounds), away);
  });
});

test('a tip is at most the base fee, or what the network allows where that is more', async () => {
  const tipOf = async (baseFee: bigint) =>
    (await readFees([answering(block(baseFee), hex(10n ** 30n))], bounds)).maxPriorityFeePerGas;
  within(await tipOf(gwei), bounds.tipAllowed);
  within(await tipOf(80n * gwei), 80n * gwei);
});

test('no two signings are alike, even at the cap', async () => {
  for (const tip of [40n * gwei, 10n ** 30n]) {
    const tips = new Set<bigint>();
    for (let count = 0; count < 50; count++) {
      tips.add((await readFees([answering(block(gwei), hex(tip))], bounds)).maxPriorityFeePerGas);
    }
    assert.ok(tips.size > 25);
  }
});

test('without a base fee there is no answer', async () => {
  const silent = new NodeError('eth_getBlockByNumber: no answer');
  await assert.rejects(readFees([answering(silent, hex(1n))], bounds), silent);
  for (const odd of [null, {}, { baseFeePerGas: null }, { baseFeePerGas: 7 }]) {
    await assert.rejects(readFees([answering(odd, hex(1n))], bounds), NodeError);
  }
});

test('a raise is an eighth, rounded up, or the suggestion where that is higher', () => {
  const fees = { maxFeePerGas: 1_001n, maxPriorityFeePerGas: 10n };
  const low = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  assert.deepEqual(raiseFees(fees, low, 2_000n), { maxFeePerGas: 1_127n, maxPriorityFeePerGas: 12n });
  const high = { maxFeePerGas: 1_500n, maxPriorityFeePerGas: 400n };
  assert.deepEqual(raiseFees(fees, high, 2_000n), high);
  assert.deepEqual(raiseFees(fees, high, 1_200n), { maxFeePerGas: 1_200n, maxPriorityFeePerGas: 400n });
  assert.deepEqual(raiseFees(fees, high, 1_127n), { maxFeePerGas: 1_127n, maxPriorityFeePerGas: 400n });
  assert.equal(raiseFees(fees, high, 1_126n), undefined);
});

test('whatever the fees: a raise is enough for every node, within the cap, and its tip within its fee', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });
  const pair = fc
    .tuple(amount, amount)
    .map(([tip, rest]) => ({ maxFeePerGas: tip + rest, maxPriorityFeePerGas: tip }));
  fc.assert(
    fc.property(pair, pair, amount, (fees, suggested, cap) => {
      const raised = raiseFees(fees, suggested, cap);
      if (!raised) return 8n * cap < 9n * fees.maxFeePerGas + 8n;
      const isEnough = (['maxFeePerGas', 'maxPriorityFeePerGas'] as const).every(
        (name) => 8n * raised[name] >= 9n * fees[name] && raised[name] > fees[name],
      );
      return isEnough && raised.maxFeePerGas <= cap && raised.maxPriorityFeePerGas <= raised.maxFeePerGas;
    }),
  );
});
