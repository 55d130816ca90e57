import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { callNode, NodeError } from './json-rpc.ts';

const answers: Record<string, () => { status: number; text: string } | undefined> = {
  '/good': () => ({ status: 200, text: '{"jsonrpc":"2.0","id":1,"result":null}' }),
  '/refusing': () => ({ status: 429, text: '{"id":1,"error":{"code":-32005,"message":"slow down"}}' }),
  '/reverting': () => ({
    status: 200,
    text: '{"id":1,"error":{"code":3,"message":"execution\\u0000reverted","data":"0x08c379a0"}}',
  }),
  '/odd': () => ({ status: 200, text: '{"id":1,"error":{}}' }),
  '/talkative': () => ({
    status: 403,
    text: `{"id":1,"error":{"code":1,"message":"http://127.0.0.1:${port}/talkative is closed"}}`,
  }),
  '/broken': () => ({ status: 502, text: '<html>Bad Gateway</html>' }),
  '/empty': () => ({ status: 200, text: '{}' }),
  '/silent': () => undefined,
};
const authorizations: (string | undefined)[] = [];
const server = createServer((request, response) => {
  authorizations.push(request.headers.authorization);
  const answer = answers[request.url!]!();
  if (answer) response.writeHead(answer.status).end(answer.text);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
server.unref();
const { port } = server.address() as AddressInfo;
/** Only a node that never answers is waited for to the end. */
const ask = (place: string, to = port) => {
  const timeoutMs = place === '/silent' ? 200 : 30_000;
  return callNode({ rpcUrl: `http://127.0.0.1:${to}${place}`, method: 'eth_thing', timeoutMs });
};

test('a result is handed on, also null', async () => {
  assert.equal(await ask('/good'), null);
});

test('an error carries the message and the code of the node, whatever the status', async () => {
  await assert.rejects(ask('/refusing'), (error) => {
    assert.ok(error instanceof NodeError);
    assert.equal(error.message, 'eth_thing: slow down');
    assert.equal(error.code, -32005);
    assert.equal(error.said, 'slow down');
    assert.ok(error.isAnswer);
    assert.ok(error.isOverloaded);
    return true;
  });
});

test('an error carries what the contract returned, and no character that a database refuses', async () => {
  await assert.rejects(ask('/reverting'), (error) => {
    assert.ok(error instanceof NodeError);
    const { said, code, data, isAnswer, isOverloaded } = error;
    assert.deepEqual(
      { said, code, data, isAnswer, isOverloaded },
      { said: 'execution reverted', code: 3, data: '0x08c379a0', isAnswer: true, isOverloaded: false },
    );
    return true;
  });
  await assert.rejects(ask('/odd'), /^NodeError: eth_thing: an error without a message$/);
});

test('a node that repeats its own address is not repeated', async () => {
  await assert.rejects(ask('/talkative'), /^NodeError: eth_thing: … is closed$/);
});

test('a name and a password in the address go into a header', async () => {
  const rpcUrl = `http://name:pass%3Aword%zz@127.0.0.1:${port}/good`;
  assert.equal(await callNode({ rpcUrl, method: 'eth_thing', timeoutMs: 30_000 }), null);
  const [, base64] = authorizations.at(-1)!.split(' ');
  assert.equal(Buffer.from(base64!, 'base64').toString(), 'name:pass:word%zz');
});

test('what is no answer is named, without the address of the node', async () => {
  const messageOf = (call: Promise<unknown>) =>
    call.then(
      () => assert.fail('it was answered'),
      (error: Error) => error.message,
    );
  assert.equal(
    await messageOf(ask('/broken')),
    'eth_thing: the node answered with status 502 and no JSON-RPC',
  );
  assert.equal(await messageOf(ask('/empty')), 'eth_thing: the node answered without a result');
  assert.equal(await messageOf(ask('/silent')), 'eth_thing: no answer within 200 ms');
  assert.equal(await messageOf(ask('/good', 1)), 'eth_thing: the node cannot be reached');
  for (const place of ['/broken', '/empty', '/silent']) {
    await assert.rejects(ask(place), (error) => error instanceof NodeError && !error.isAnswer);
  }
});
