import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '#test/factories';
import { useHarness } from '#test/harness';
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
  const { token } = await makeKey(harness, { scopes: ['mcp', 'mcp:write', 'mcp_card_reveal'] });
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const tools = await harness.request('POST', '/mcp', { token, body: message });
  assert.deepEqual([reference.status, operator.status, tools.status], [200, 200, 200]);
  const patterns = [...new Set(patternsIn([reference.body, operator.body, tools.body]))];
  assert.ok(patterns.length > 10);
  const without = patterns.filter((pattern) => formOf(pattern) === undefined);
  assert.deepEqual(without, [], 'say in forms.ts what such a text must be');
});
