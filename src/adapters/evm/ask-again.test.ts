import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askAgain } from './ask-again.ts';
import { NodeError, type RpcCall } from './json-rpc.ts';
import type { Node, Provider } from './node.ts';

const noAnswer = () => new NodeError('eth_echo: the node cannot be reached', { isOverloaded: true });

/** A provider that answers each call as `answer` says, and notes what it was asked. */
function makeNode(answer: (call: RpcCall, round: number) => unknown) {
  const rounds: RpcCall[][] = [];
  const provider: Provider = {
    call: () => assert.fail('asked in batches'),
    async batch(calls) {
      rounds.push([...calls]);
      return calls.map((call) => answer(call, rounds.length));
    },
  };
  const node: Node = {
    providers: [provider],
    quorum: 1,
    pick: () => provider,
    endpoints: () => [],
    transports: [],
  };
  return { node, rounds };
}

const echo = (value: string) => ({ method: 'eth_echo', params: [value] });

test('only what was not answered is asked again', async () => {
  const { node, rounds } = makeNode(({ params: [value] }, round) =>
    value === 'b' && round < 4 ? noAnswer() : value,
  );
  const [provider] = askAgain(node).providers;
  assert.deepEqual(await provider!.batch([echo('a'), echo('b')]), ['a', 'b']);
  assert.deepEqual(rounds, [[echo('a'), echo('b')], [echo('b')], [echo('b')], [echo('b')]]);
});

test('what a node says is not asked again, unless it asks for a pause', async () => {
  const refusal = new NodeError('eth_echo: header not found', { isAnswer: true });
  const { node, rounds } = makeNode(() => refusal);
  await assert.rejects(askAgain(node).pick().call('eth_echo', []), refusal);
  assert.equal(rounds.length, 1);
  const pause = new NodeError('eth_echo: slow down', { isAnswer: true, isOverloaded: true });
  const busy = makeNode((_, round) => (round === 1 ? pause : 'done'));
  assert.equal(await askAgain(busy.node).pick().call('eth_echo', []), 'done');
});

test('a transaction is sent once', async () => {
  const { node, rounds } = makeNode(noAnswer);
  await assert.rejects(askAgain(node).pick().call('eth_sendRawTransaction', ['0x']), NodeError);
  assert.equal(rounds.length, 1);
});

test('tries without a new answer are counted, and end', async () => {
  const away = makeNode(noAnswer);
  const patience = { tries: 3, deadlineMs: 600_000 };
  await assert.rejects(askAgain(away.node, patience).pick().call('eth_echo', []), NodeError);
  assert.equal(away.rounds.length, 3);
  const answered = new Set<unknown>();
  const slow = makeNode(({ params: [value] }, round) => {
    if (round % 2 === 1 || (answered.size > 0 && answered.has(round))) return noAnswer();
    answered.add(round);
    return value;
  });
  const values = ['a', 'b', 'c', 'd', 'e'];
  assert.deepEqual(await askAgain(slow.node, patience).pick().batch(values.map(echo)), values);
  assert.equal(slow.rounds.length, 10, 'one new answer in every second round');
});

test('after the deadline nothing is asked again', async () => {
  const { node, rounds } = makeNode(noAnswer);
  await assert.rejects(askAgain(node, { tries: 20, deadlineMs: 0 }).pick().call('eth_echo', []), NodeError);
  assert.equal(rounds.length, 1);
});
