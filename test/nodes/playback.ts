import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { createNode, type Provider } from '#adapters/evm';
import type { Exchange } from './scenario.ts';

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

/** A node that gives the recorded answers. A call that was not recorded fails the test. */
export async function playBack(t: TestContext, exchanges: readonly Exchange[]): Promise<Provider> {
  const known = new Map(exchanges.map((one) => [keyOf(one), one]));
  const missing: string[] = [];
  const answerTo = ({ id, ...call }: Call) => {
    const key = keyOf(call);
    if (!known.has(key)) missing.push(key);
    const { result, error } = known.get(key) ?? { error: { message: 'not recorded' } };
    return { jsonrpc: '2.0', id, ...(error === undefined ? { result } : { error }) };
  };
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    response.end(JSON.stringify(Array.isArray(body) ? body.map(answerTo) : answerTo(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
    assert.deepEqual(missing, [], 'calls without a recorded answer: record the nodes again');
  });
  const { port } = server.address() as AddressInfo;
  return createNode({ rpcUrls: [`http://127.0.0.1:${port}`], timeoutMs: 60_000 }).providers[0]!;
}

/** Fields of a filter or a call may come in any order. */
const keyOf = ({ method, params }: Pick<Exchange, 'method' | 'params'>) =>
  `${method} ${JSON.stringify(params, (_, value) => (isFields(value) ? inOrder(value) : value))}`;

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const inOrder = (fields: object) =>
  Object.fromEntries(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1)));
