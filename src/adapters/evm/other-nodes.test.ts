import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type KnownAnswer, knownAnswers } from '#test/nodes/known-clients';
import { recordings } from '#test/nodes/outcomes';
import { playBack } from '#test/nodes/playback';
import { accounts, amount, type Exchange, hashes, reference, token } from '#test/nodes/scenario';
import { readBlock, readChainId, readFinalBlock, readTransactionCount } from './blocks.ts';
import { readFees } from './fees.ts';
import { toWord } from './hex.ts';
import { NodeError, type RpcCall } from './json-rpc.ts';
import { isKnownTransaction } from './known-transaction.ts';
import type { Provider } from './node.ts';
import { matchTransfer, type Receipt, readReceipts } from './receipts.ts';
import { readReceivedTransfers } from './received-transfers.ts';
import { reasonOfRevert } from './reverts.ts';
import { readSentTransaction, readSentTransfers } from './sent-transfers.ts';
import {
  readDecimals,
  readFrozen,
  readGasBalance,
  readTokenBalance,
  simulateTransfers,
} from './token-reads.ts';
import { createToken } from './tokens.ts';

/*
 * Feeds our readers the answers of other clients: recorded ones, and ones known from source code.
 */

const { wallet, recipient, frozen } = accounts;
const usdc = createToken('USDC', token);
const gwei = 10n ** 9n;

const unreadable = 'unreadable';

const selectOurs = async (addresses: readonly string[]) =>
  new Set(addresses.filter((address) => address === recipient.toLowerCase()));

/**
 * The recordings have the transfers to one recipient, and we ask for those of the whole token: the question
 * is narrowed to the recorded one. What clients differ in is the logs of the answer.
 */
function ofRecipient(provider: Provider): Provider {
  const narrow = ({ method, params }: RpcCall): RpcCall => {
    if (method !== 'eth_getLogs') return { method, params };
    const [filter] = params as [{ topics: unknown[] }];
    const topics = [...filter.topics, null, [`0x${toWord(recipient)}`]];
    return { method, params: [{ ...filter, topics }] };
  };
  return { ...provider, batch: (calls, timeoutMs) => provider.batch(calls.map(narrow), timeoutMs) };
}

/** Everything that we read of a chain on which the scenario has run. */
async function readAll(provider: Provider, base: number) {
  const attempt = <Value>(value: Promise<Value>) =>
    value.catch((error) => {
      if (error instanceof NodeError) return unreadable;
      throw error;
    });
  const range = { fromBlock: base, toBlock: base + 8 };
  const transferTo = (to: string) => ({ token, to, amount, reference });
  const blockAt = async (tag: 'latest' | number) => {
    const block = await readBlock(provider, tag);
    return block && { number: block.number - base, hasFee: block.baseFeePerGas > 0n };
  };
  return {
    chainId: await readChainId(provider),
    latest: await attempt(blockAt('latest')),
    beyond: await attempt(blockAt(base + 1_000)),
    hasFinal: await attempt(readFinalBlock(provider, 'finalized').then((block) => block !== undefined)),
    counts: {
      latest: await readTransactionCount(provider, wallet, 'latest'),
      atBlock: await readTransactionCount(provider, wallet, base + 2),
      beyond: await readTransactionCount(provider, wallet, base + 1_000).catch(({ isAnswer }) =>
        isAnswer ? 'refused' : 'failed',
      ),
    },
    receipts: (await readReceipts(provider, [hashes.raised, hashes.refused, hashes.first])).map((receipt) =>
      describe(receipt, base),
    ),
    sent: await attempt(
      readSentTransfers(provider, { from: wallet, tokens: [token], ...range }).then((transfers) =>
        transfers.map(({ hash, nonce, reference, to }) => ({ hash, nonce, reference, to })),
      ),
    ),
    sentTransaction: await attempt(
      readSentTransaction(provider, hashes.raised).then((sent) => ({
        from: sent?.from,
        nonce: sent?.nonce,
        reference: sent?.transfer?.reference,
      })),
    ),
    received: await attempt(
      readReceivedTransfers(ofRecipient(provider), { tokens: [token], selectOurs, ...range }).then(
        (received) =>
          received?.transfers.map(({ transactionHash, amount, blockNumber, logIndex }) => ({
            transactionHash,
            amount,
            logIndex,
            block: blockNumber - base,
          })),
      ),
    ),
    decimals: await readDecimals(provider, token),
    balance: await readTokenBalance(provider, token, wallet),
    hasGas: (await readGasBalance(provider, wallet)) > 0n,
    frozen: await readFrozen(provider, usdc, [recipient, frozen]),
    noFreezeFunction: await readFrozen(provider, { ...usdc, freezeFunction: 'isBlackListed' }, [frozen]),
    simulated: await simulateTransfers(provider, wallet, [transferTo(recipient), transferTo(frozen)]),
    tip: await attempt(
      readFees([provider], { tipMin: gwei, tipAllowed: 2n * gwei, feeCap: 500n * gwei }).then(
        ({ maxPriorityFeePerGas }) => maxPriorityFeePerGas >= gwei && maxPriorityFeePerGas < 2n * gwei,
      ),
    ),
  };
}

function describe(receipt: Receipt | null | NodeError, base: number) {
  if (receipt === null) return null;
  if (receipt instanceof NodeError) return unreadable;
  const { isSuccess, blockNumber } = receipt;
  const { kind } = matchTransfer(receipt, { token, from: wallet, to: recipient, amount });
  return { isSuccess, block: blockNumber - base, kind };
}

const expected: Awaited<ReturnType<typeof readAll>> = {
  chainId: 137,
  latest: { number: 8, hasFee: true },
  beyond: undefined,
  hasFinal: true,
  counts: { latest: 3, atBlock: 1, beyond: 'refused' },
  receipts: [
    { isSuccess: true, block: 3, kind: 'exact' },
    { isSuccess: false, block: 4, kind: 'none' },
    null,
  ],
  sent: [{ hash: hashes.raised, nonce: 1, reference, to: recipient }],
  sentTransaction: { from: wallet, nonce: 1, reference },
  received: [{ transactionHash: hashes.raised, amount, logIndex: 0, block: 3 }],
  decimals: 6,
  balance: 1_000_000_000n - amount,
  hasGas: true,
  frozen: [false, true],
  noFreezeFunction: [false],
  simulated: ['ok', { reverted: 'account is frozen' }],
  tip: true,
};

/**
 * tevm's answers break the specification: empty blocks, no tags, no log filters by number, receipts without a
 * status, reverts without data. Reading them must fail, and never give a wrong value.
 */
const wrong: Record<string, Partial<typeof expected>> = {
  tevm: {
    latest: unreadable,
    beyond: unreadable,
    hasFinal: unreadable,
    tip: unreadable,
    sent: unreadable,
    sentTransaction: unreadable,
    received: unreadable,
    receipts: [unreadable, unreadable, null],
    simulated: ['ok', { reverted: 'no reason given' }],
  },
};

for (const { client, version, exchanges } of recordings) {
  test(`the recorded answers of ${client} ${version} are read as those of any other node`, async (t) => {
    const base = Number(exchanges.find(({ step }) => step === 'block number')!.result) - 8;
    const found = await readAll(await playBack(t, exchanges), base);
    assert.deepEqual(found, { ...expected, ...wrong[client] });
  });
}

type Answer = Exchange & { client: string; version: string };
const recorded: Answer[] = recordings.flatMap(({ client, version, exchanges }) =>
  exchanges.map((exchange) => ({ ...exchange, client, version })),
);
const refusals = [...recorded, ...knownAnswers].filter(({ error }) => error !== undefined);

/** Each error as a caller of ours would get it. */
async function readRefusals(t: TestContext): Promise<[answer: Answer | KnownAnswer, error: NodeError][]> {
  const calls = refusals.map((_, at) => ({ method: `eth_call${at}`, params: [] }));
  const provider = await playBack(
    t,
    refusals.map(({ step, error }, at) => ({ step, error: error!, ...calls[at] })),
  );
  const errors = await provider.batch(calls);
  return refusals.map((answer, at) => {
    const error = errors[at];
    assert.ok(error instanceof NodeError && error.isAnswer);
    return [answer, error];
  });
}

const nameOf = ({ client, version, step }: Answer | KnownAnswer) => `${client} ${version}, ${step}`;

/** ganache compares the fee before it compares the hash. */
const notRecognised = ['ganache 7.9.2, send: already known'];

test('a transaction that a node has already is recognised in the words of every client', async (t) => {
  for (const [answer, error] of await readRefusals(t)) {
    const isKnown = answer.step === 'send: already known' && !notRecognised.includes(nameOf(answer));
    assert.equal(isKnownTransaction(error), isKnown, nameOf(answer));
  }
});

for (const [said, isKnown] of [
  ['INTERNAL_ERROR: existing txn with same hash', true], // Erigon, txnprovider/txpool/txpoolcfg/txpoolcfg.go
  ['known transaction: 4fd43f61738a', true], // geth before 1.9.11
  ['unknown transaction type', false],
] as const) {
  test(`"${said}" is ${isKnown ? '' : 'not '}about a transaction that the node has`, () => {
    assert.equal(isKnownTransaction(new NodeError(`eth_sendRawTransaction: ${said}`, { said })), isKnown);
  });
}

const reasons: Record<string, RegExp> = {
  'call: revert with a reason': /^account is frozen$/,
  'call: revert without data': /^no reason given$/,
  'call: panic': /^(?:panic: )?arithmetic underflow or overflow|^0x4e487b71/,
};

/** tevm sends the returned data inside a nested object. */
const withoutReason = ['tevm'];

test('a revert and its reason are recognised in the words of every client, and nothing else is', async (t) => {
  for (const [answer, error] of await readRefusals(t)) {
    const reason = reasonOfRevert(error);
    const words = withoutReason.includes(answer.client) ? /^no reason given$/ : reasons[answer.step];
    if (reasons[answer.step]) assert.match(reason ?? 'not a revert', words!, nameOf(answer));
    else assert.equal(reason, undefined, nameOf(answer));
  }
});

test('a client without a final block yet: our readers find no final block', async (t) => {
  const params = ['finalized', false];
  for (const answer of knownAnswers.filter(({ step }) => step === 'block: finalized, none yet')) {
    const provider = await playBack(t, [{ ...answer, method: 'eth_getBlockByNumber', params }]);
    const block = await readFinalBlock(provider, 'finalized').catch((error) => {
      assert.ok(error instanceof NodeError && error.isAnswer, nameOf(answer));
    });
    assert.equal(block, undefined, nameOf(answer));
  }
});

test('a range of logs that a client refuses for its limits is read in parts', async (t) => {
  const limited = (await readRefusals(t)).filter(([{ step }]) => step === 'logs: above the limit');
  assert.ok(limited.length > 3);
  for (const [answer, refusal] of limited) {
    const batch = async (calls: readonly RpcCall[]) =>
      calls.map(({ method, params }) => {
        if (method === 'eth_getBlockByNumber')
          return { number: params[0], hash: hashes.first, timestamp: '0x1' };
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        return Number(toBlock) - Number(fromBlock) >= 700 ? refusal : [];
      });
    const provider = { call: async () => assert.fail(), batch };
    const range = { tokens: [token], selectOurs, fromBlock: 1, toBlock: 2_000 };
    assert.deepEqual((await readReceivedTransfers(provider, range))?.transfers, [], nameOf(answer));
  }
});
