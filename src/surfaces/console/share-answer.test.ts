import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import type { CallCommand } from './call-command.ts';
import { type SharedWallets, shareAnswer } from './share-answer.ts';

const harness = useHarness();
const share = (): SharedWallets => shareAnswer(harness.deps, 'wallets.show');

/** Calls that answer when the test says so. */
function makeCalls() {
  const begun: PromiseWithResolvers<{ data: Record<string, unknown>; waits: boolean }>[] = [];
  const call: CallCommand = () => {
    const one = Promise.withResolvers<{ data: Record<string, unknown>; waits: boolean }>();
    begun.push(one);
    return one.promise;
  };
  const answer = (at: number) => begun[at]!.resolve({ data: { wallets: [] }, waits: false });
  return { call, begun, answer };
}

test('many pages cause one read, and a read is used for a few seconds', async () => {
  const { call, begun, answer } = makeCalls();
  const shared = share();
  const pages = Array.from({ length: 20 }, () => shared.findKnown(call));
  answer(0);
  for (const { known, isLate } of await Promise.all(pages))
    assert.deepEqual([known?.wallets, isLate], [[], false]);
  await shared.findKnown(call);
  assert.equal(begun.length, 1);
  harness.advance(5_000);
  const next = shared.findKnown(call);
  answer(1);
  assert.equal((await next).isLate, false);
  assert.equal(begun.length, 2);
});

test('if a node hangs, the last read is shown for five minutes, and no second read begins', async () => {
  const { call, begun, answer } = makeCalls();
  const shared = share();
  assert.deepEqual(await shared.findKnown(call), { known: undefined, isLate: true });
  answer(0);
  const { known } = await shared.findKnown(call);
  harness.advance(5_000);
  assert.deepEqual(await shared.findKnown(call), { known, isLate: true });
  harness.advance(300_000);
  assert.deepEqual(await shared.findKnown(call), { known: undefined, isLate: true });
  assert.equal(begun.length, 2);
});

test('a read that fails is not kept: the next page reads again', async () => {
  const { call, begun, answer } = makeCalls();
  const shared = share();
  const first = shared.findKnown(call);
  begun[0]!.reject(new Error('the session is over'));
  assert.deepEqual(await first, { known: undefined, isLate: true });
  const second = shared.findKnown(call);
  answer(1);
  assert.equal((await second).isLate, false);
});
