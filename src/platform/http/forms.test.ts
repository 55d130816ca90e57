import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import { tools } from '../../app.ts';
import { formOf } from './forms.ts';

const harness = useHarness();

/** Every pattern below a value, wherever it stands in a document. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    name === 'pattern' && typeof part === 'string' ? [part] : patternsIn(part),
  );
}

test('every pattern of the references and of the tools is described in words', async () => {
  const reference = await harness.request('GET', '/openapi.json');
  const operator = await harness.request('GET', '/operator/openapi.json', { token: harness.operatorToken });
  assert.deepEqual([reference.status, operator.status], [200, 200]);
  // `tools/list` leaves patterns out, so these are the schemas that arguments are checked by.
  const inputs = tools({ balanceStaleAfterMs: 60_000 }).map(({ input }) => input);
  assert.ok(patternsIn(inputs).length > 10);
  const patterns = [...new Set(patternsIn([reference.body, operator.body, inputs]))];
  const without = patterns.filter((pattern) => formOf(pattern) === undefined);
  assert.deepEqual(without, [], 'say in forms.ts what such a text must be');
});
