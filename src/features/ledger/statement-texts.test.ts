import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { lineTypes } from './lines/line.ts';
import { separator, splitLines } from './lines/line-row.ts';
import { listLines } from './lines/list-lines.ts';
import type { LineView } from './lines/present-line.ts';
import { openStatement } from './open-statement.ts';
import { postBatch } from './post-batch.ts';

const harness = useHarness();

for (const [what, odd] of [
  ['ordinary texts', ['a "b", {c}', '=1', 'null', '\\u001f', ' ']],
  // Schemas refuse it; lines from before they did may have it.
  ['a text with the separator', [`one${separator}two`, separator, '山']],
] as const) {
  test(`a statement has the lines of the pages, in both orders: ${what}`, async () => {
    const ctx = harness.operatorContext();
    const { id: userId } = await makeUser(harness);
    const lines = odd.map((text, at) => ({
      id: `op-${at}-${text}`,
      userId,
      transactionType: 'buy' as const,
      network: 'polygon',
      assetReceived: 'USDC',
      amountReceived: `${at + 1}.25`,
      description: text,
      transactionPurpose: text,
      transactionDate: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
      ...(at % 2 === 0 && { userDescription: text }),
    }));
    await postBatch(ctx, { key: userId, lines });
    const question = { userId, types: lineTypes };
    const { lines: paged } = await listLines(ctx, { ...question, currentPage: 0, pageSize: 50 });
    assert.deepEqual(paged.map(({ description }) => description).reverse(), [...odd]);
    for (const order of ['newest', 'oldest'] as const) {
      const statement = await openStatement(ctx, { ...question, order });
      const read: LineView[] = [];
      for await (const batch of statement.batches) read.push(...batch);
      assert.deepEqual(read, order === 'newest' ? paged : paged.toReversed());
    }
  });
}

test('joined texts are read only if their number fits the figures', () => {
  const figures = 'buy 1 1   7 8 2';
  const texts = ['op', 'key', 'completed', 'Deposit', 'deposit'];
  const lineOf = (...all: string[]) => splitLines({ texts: all.join(separator), figures })?.[0];
  assert.equal(lineOf(...texts, '=note')!.userDescription, 'note');
  assert.equal(lineOf(...texts, '=')!.userDescription, '');
  assert.equal(lineOf(...texts, '')!.userDescription, null);
  assert.equal(lineOf(...texts, '=a', 'b'), undefined);
  assert.deepEqual(splitLines({ texts: null, figures: null }), []);
});
