import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeDeposit, makeLines, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';

const harness = useHarness();

test('200 a line that an operator posted is found by its hash, without an open item of the treasury', async () => {
  const { id: userId } = await makeUser(harness);
  const find = async (transactionHash: string) =>
    (await harness.operator('treasury.find-transaction', { transactionHash })).body.data.items.map(
      ({ kind, userId, amount, currency, note }: Record<string, unknown>) => [
        kind,
        userId,
        amount,
        currency,
        note,
      ],
    );
  const transactionHash = `0x${'ab'.repeat(32)}`;
  const near = `0x${'ab'.repeat(31)}ac`;
  for (const [hash, logIndex] of [
    [transactionHash, 7],
    [transactionHash, 12],
    [near, 7],
  ] as const)
    await makeLines(harness, userId, [
      { transactionHash: hash, logIndex, description: `Ticket ${logIndex}` },
    ]);
  assert.deepEqual((await find(transactionHash)).sort(), [
    ['ledger line', userId, '1', 'USDC', 'Ticket 12'],
    ['ledger line', userId, '1', 'USDC', 'Ticket 7'],
  ]);
  assert.deepEqual(await find(near), [['ledger line', userId, '1', 'USDC', 'Ticket 7']]);
  assert.deepEqual(await find(`0x${'ad'.repeat(32)}`), []);
  const deposit = await makeDeposit(harness, userId);
  assert.deepEqual((await find(deposit.transactionHash)).length, 1, 'a deposit is not listed twice');
});
