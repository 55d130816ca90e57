import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { waitUntil } from '#test/wait-until';
import { NodeError } from './json-rpc.ts';
import { createNode, type Node, type Provider } from './node.ts';

interface Request {
  id: number;
  method: string;
  params: unknown[];
}

type Behaviour = (body: Request | Request[], response: ServerResponse) => void;

const answerTo = ({ id, params }: Request) => ({ jsonrpc: '2.0', id, result: params[0] });
const obedient: Behaviour = (body, response) => {
  response.end(JSON.stringify(Array.isArray(body) ? body.map(answerTo) : answerTo(body)));
};

/** A node over HTTP that does whatever the test says, and remembers what it was asked. */
async function startFake(t: TestContext, behaviour: Behaviour = obedient) {
  const fake = { behaviour, bodies: [] as (Request | Request[])[], url: '' };
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    fake.bodies.push(body);
    fake.behaviour(body, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`;
  return fake;
}

const asking = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ method: 'eth_echo', params: [`value ${at}`] }));
const echoes = (count: number) => asking(count).map(({ params }) => params[0]);
const providerOf = (url: string): Provider => createNode({ rpcUrls: [url], timeoutMs: 30_000 }).providers[0]!;
const wordsOf = (results: unknown[]) =>
  results.map((result) => (result instanceof NodeError ? result.message : result));

test('a batch goes in arrays of a hundred, one after the other', async (t) => {
  const fake = await startFake(t);
  const provider = providerOf(fake.url);
  assert.deepEqual(await provider.batch(asking(250)), echoes(250));
  assert.deepEqual(
    fake.bodies.map((body) => (Array.isArray(body) ? body.length : 'single')),
    [100, 100, 50],
  );
  assert.deepEqual(await provider.batch([]), []);
  assert.equal(fake.bodies.length, 3);
});

test('a batch of one goes as a single call, for nodes that take no arrays', async (t) => {
  const fake = await startFake(t);
  assert.deepEqual(await providerOf(fake.url).batch(asking(1)), ['value 0']);
  assert.ok(!Array.isArray(fake.bodies[0]));
});

test('answers are matched by id: in any order, left out, twice, with an error, with nonsense between', async (t) => {
  const fake = await startFake(t, (body, response) => {
    const answers: unknown[] = (body as Request[]).map(answerTo).reverse();
    const at = (id: number) => answers.findIndex((answer) => (answer as Request).id === id);
    answers.splice(at(1), 1);
    answers[at(2)] = { id: 2, error: { code: 3, message: 'execution reverted', data: '0xabcd' } };
    answers[at(4)] = { id: 4 };
    answers.push({ id: 5, result: 'another answer' }, null, 7, { id: null, result: 'for nobody' });
    response.end(JSON.stringify(answers));
  });
  const results = await providerOf(fake.url).batch(asking(7));
  assert.deepEqual(wordsOf(results), [
    'value 0',
    'eth_echo: the node left it out of its answers',
    'eth_echo: execution reverted',
    'value 3',
    'eth_echo: the node answered without a result',
    'eth_echo: the node left it out of its answers',
    'value 6',
  ]);
  const refusal = results[2] as NodeError;
  assert.deepEqual([refusal.isAnswer, refusal.code, refusal.data], [true, 3, '0xabcd']);
  assert.ok(!(results[1] as NodeError).isAnswer);
});

test('an array that is refused as a whole answers no call, and those after it are still sent', async (t) => {
  let count = 0;
  const fake = await startFake(t, (body, response) => {
    if (++count > 1) return obedient(body, response);
    const error = { code: 3, message: 'execution reverted', data: '0xabcd' };
    response.writeHead(429).end(JSON.stringify({ id: null, error }));
  });
  const results = await providerOf(fake.url).batch(asking(150));
  const refused = results.slice(0, 100) as NodeError[];
  assert.ok(refused.every(({ isAnswer, code, data }) => !isAnswer && code === 3 && data === undefined));
  assert.equal(refused[0]!.message, 'eth_echo: execution reverted');
  assert.deepEqual(results.slice(100), echoes(150).slice(100));
});

test('HTML instead of JSON is no answer', async (t) => {
  const fake = await startFake(t, (_, response) => response.writeHead(502).end('<html>Bad Gateway</html>'));
  const sentence = 'eth_echo: the node answered with status 502 and no JSON-RPC';
  assert.deepEqual(wordsOf(await providerOf(fake.url).batch(asking(2))), [sentence, sentence]);
});

test('a node that does not answer is waited for once, not once an array', async (t) => {
  const fake = await startFake(t, () => {});
  const calls = [...asking(120), { method: 'eth_last', params: [] }];
  const results = await providerOf(fake.url).batch(calls, 1_000);
  assert.equal(fake.bodies.length, 1);
  assert.equal(results.length, 121);
  assert.deepEqual(wordsOf([results[0], results[120]]), [
    'eth_echo: no answer within 1000 ms',
    'eth_last: no answer within 1000 ms',
  ]);
  await assert.rejects(
    providerOf('http://127.0.0.1:1/secret-path').call('eth_echo', []),
    (error: NodeError) => {
      assert.equal(error.message, 'eth_echo: the node cannot be reached');
      assert.ok(!error.isAnswer);
      return true;
    },
  );
});

test('an answer that breaks off is no answer', async (t) => {
  const fake = await startFake(t, (_, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('[{"id":0,');
    setImmediate(() => response.destroy());
  });
  const results = await providerOf(fake.url).batch(asking(2));
  assert.ok(results.every((result) => result instanceof NodeError && !result.isAnswer));
});

test('every call is counted by what became of it', async (t) => {
  const fake = await startFake(t, (body, response) => {
    const answers = (body as Request[]).map((request) =>
      request.id === 1 ? { id: 1, error: { code: -32601, message: 'no such method' } } : answerTo(request),
    );
    response.end(JSON.stringify(answers.slice(0, 2)));
  });
  const counted: string[] = [];
  const onCall = (method: string, outcome: string) => counted.push(`${method} ${outcome}`);
  const [provider] = createNode({ rpcUrls: [fake.url], timeoutMs: 30_000, onCall }).providers;
  await provider!.batch(asking(3));
  assert.deepEqual(counted, ['eth_echo ok', 'eth_echo refused', 'eth_echo failed']);
  fake.behaviour = () => {};
  await assert.rejects(provider!.call('eth_other', [], 20));
  assert.equal(counted.at(-1), 'eth_other failed');
});

const turnsOf = (node: Node, count: number) =>
  Array.from({ length: count }, () => node.providers.indexOf(node.pick()));

test('providers take turns; one that failed is left out for two seconds', async (t) => {
  const good = await startFake(t);
  const node = createNode({
    rpcUrls: [good.url, 'http://127.0.0.1:1', good.url],
    timeoutMs: 30_000,
  });
  assert.deepEqual(turnsOf(node, 6), [0, 1, 2, 0, 1, 2]);
  const start = Math.ceil(performance.now());
  const now = t.mock.method(performance, 'now', () => start);
  await assert.rejects(node.providers[1]!.call('eth_echo', []));
  assert.deepEqual(turnsOf(node, 4), [0, 2, 0, 2]);
  now.mock.mockImplementation(() => start + 1_999);
  assert.deepEqual(turnsOf(node, 2), [0, 2]);
  now.mock.mockImplementation(() => start + 2_000);
  assert.deepEqual(turnsOf(node, 3), [0, 1, 2]);
});

test('when all failed, the one whose failure is longest ago is asked', async (t) => {
  const rpcUrls = ['http://127.0.0.1:1', 'http://127.0.0.1:2', 'http://127.0.0.1:3'];
  const node = createNode({ rpcUrls, timeoutMs: 30_000 });
  const start = Math.ceil(performance.now());
  const now = t.mock.method(performance, 'now', () => start);
  for (const [order, at] of [2, 0, 1].entries()) {
    now.mock.mockImplementation(() => start + order);
    await assert.rejects(node.providers[at]!.call('eth_echo', []));
  }
  assert.deepEqual(turnsOf(node, 2), [2, 2]);
});

test('a node that asks for a pause gets one; one that refuses a call does not', async (t) => {
  const fake = await startFake(t);
  const node = createNode({ rpcUrls: [fake.url, fake.url], timeoutMs: 30_000 });
  const refuse =
    (status: number): Behaviour =>
    (_, response) =>
      void response.writeHead(status).end('{"id":1,"error":{"code":-32000,"message":"nonce too low"}}');
  fake.behaviour = refuse(200);
  await assert.rejects(node.providers[0]!.call('eth_echo', []));
  assert.deepEqual(turnsOf(node, 2), [0, 1]);
  fake.behaviour = refuse(429);
  await assert.rejects(node.providers[0]!.call('eth_echo', []));
  assert.deepEqual(turnsOf(node, 2), [1, 1]);
});

const showBlock: Behaviour = (_, response) => void response.end('{"id":1,"result":"0x1"}');

test('a URL is up or down by its last call, unknown before; one that is silent for long is called', async (t) => {
  const fake = await startFake(t);
  const node = createNode({ rpcUrls: [fake.url, 'http://127.0.0.1:1'], timeoutMs: 30_000 });
  const start = Math.ceil(performance.now());
  const now = t.mock.method(performance, 'now', () => start);
  await Promise.allSettled(node.providers.map((provider) => provider.call('eth_echo', ['any'])));
  assert.deepEqual(node.endpoints(), [true, false]);
  const refusal = '{"id":1,"error":{"code":3,"message":"execution reverted"}}';
  for (const [what, calls, behaviour, isUp] of [
    ['asks for a pause', 1, (_, response) => void response.writeHead(429).end(refusal), false],
    ['refuses the call', 1, (_, response) => void response.end(refusal), true],
    ['answers no call of two', 2, (_, response) => void response.end('[]'), false],
    ['answers one of two', 2, (body, response) => obedient((body as Request[]).slice(1), response), true],
    ['answers with HTML', 1, (_, response) => void response.end('<html>'), false],
  ] as [string, number, Behaviour, boolean][]) {
    fake.behaviour = behaviour;
    await node.providers[0]!.batch(asking(calls));
    assert.equal(node.endpoints()[0], isUp, what);
  }

  fake.behaviour = showBlock;
  const asked = fake.bodies.length;
  now.mock.mockImplementation(() => start + 29_999);
  assert.deepEqual(node.endpoints(), [false, false]);
  assert.equal(fake.bodies.length, asked);
  now.mock.mockImplementation(() => start + 30_000);
  assert.deepEqual(node.endpoints(), [false, false], 'nothing is waited for');
  node.endpoints();
  await waitUntil('it answered', () => node.endpoints()[0] === true);
  assert.deepEqual(
    fake.bodies.slice(asked).map((body) => (body as Request).method),
    ['eth_blockNumber'],
    'it is called once',
  );
});

test('before the first call a URL is neither up nor down', async (t) => {
  const fake = await startFake(t, showBlock);
  const node = createNode({ rpcUrls: [fake.url], timeoutMs: 30_000 });
  assert.deepEqual(node.endpoints(), [undefined]);
  await waitUntil('it answered', () => node.endpoints()[0] === true);
});

test('a network without a node is a mistake of the program', () => {
  assert.throws(() => createNode({ rpcUrls: [], timeoutMs: 30_000 }), /needs a node/);
});
