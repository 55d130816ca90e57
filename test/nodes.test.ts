import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { useChain } from '#test/outside/chain';
import { type Client, clients, type Fields, fieldsOf, outcomeOf, shapeOf } from './nodes/outcomes.ts';
import { dialects, type Exchange, playScenario } from './nodes/scenario.ts';

/*
 * Compares the devnet's answers with those of other clients: recorded ones, and ones known from source code.
 * `test/nodes/README.md` says how to record again.
 */

const chain = useChain();
const ours = new Map<string, Exchange>();
const recorded = clients.filter(({ isRecorded }) => isRecorded);

before(async () => {
  await chain.ready;
  const exchanges = await playScenario(chain.rpcUrl, dialects.anvil!);
  for (const exchange of exchanges) ours.set(exchange.step, exchange);
});

/** Where the devnet's outcome is not that of a client, and why that is accepted. */
const accepted: { clients: string; steps: string[]; why: string }[] = [
  {
    clients: 'anvil, hardhat, ganache, tevm',
    steps: ['logs: end beyond the head', 'logs: all beyond the head', 'logs: inverted range'],
    why: 'Geth, Nethermind, Erigon and Reth refuse such a range, and so does the devnet.',
  },
  {
    clients: 'besu',
    steps: ['logs: end beyond the head'],
    why: 'Besu refuses such a range too, in general words.',
  },
  {
    clients: 'hardhat, ganache, tevm',
    steps: ['batch: empty'],
    why: 'JSON-RPC has an error for an empty batch, and so do geth, anvil and the devnet.',
  },
  {
    clients: 'anvil',
    steps: ['send: replacement underpriced', 'send: intrinsic gas too low', 'send: fee below base fee'],
    why: 'anvil accepts any higher fee and too little gas, and refuses a fee that real nodes let wait.',
  },
  {
    clients: 'anvil',
    steps: ['fee history: beyond the head'],
    why: 'anvil makes up a fee history for blocks that do not exist.',
  },
  {
    clients: 'ganache',
    steps: ['send: already known', 'send: empty'],
    why: 'ganache treats a repeated transaction as a replacement, and no bytes as a transaction without gas.',
  },
  {
    clients: 'ganache',
    steps: [
      'logs: of an unknown block',
      'params: none',
      'params: not an address',
      'params: not a block',
      'params: not a hash',
      'not JSON',
      'no method',
    ],
    why: 'ganache does not validate parameters, and has other codes for malformed requests.',
  },
  {
    clients: 'tevm',
    steps: [
      'client version',
      'fee history',
      'fee history: beyond the head',
      'tip',
      'network id',
      'batch',
      'block: safe',
      'block: finalized',
      'block: earliest',
      'block: pending',
      'count: safe',
      'count: finalized',
    ],
    why: 'tevm lacks the method or the tag.',
  },
  {
    clients: 'tevm',
    steps: [
      'logs: received',
      'logs: sent',
      'logs: of a contract',
      'logs: none',
      'logs: to finalized',
      'logs: of an unknown block',
    ],
    why: 'tevm reads a block number in a log filter as a block hash, and ignores an unknown hash.',
  },
  {
    clients: 'tevm',
    steps: [
      'transaction: pending',
      'transaction: replaced',
      'transaction: unknown',
      'block: beyond the head',
      'block: by unknown hash',
    ],
    why: 'tevm answers with an error where the specification has null.',
  },
  {
    clients: 'tevm',
    steps: [
      'balance: beyond the head',
      'call: out of gas',
      'send: intrinsic gas too low',
      'send: gas above the block limit',
      'params: none',
      'params: not an address',
      'params: not a hash',
    ],
    why: 'tevm does not check the block, the gas or the parameters.',
  },
];

const nameOf = ({ name }: Client) => name.split(' ')[0]!;

test('the devnet differs from another client only where a reason is given', () => {
  const found = new Set<string>();
  for (const [step, exchange] of ours) {
    const outcome = outcomeOf(exchange);
    for (const client of clients) {
      const theirs = client.answers.get(step);
      if (theirs && outcomeOf(theirs) !== outcome) found.add(`${nameOf(client)}: ${step}`);
    }
  }
  const given = accepted.flatMap(({ clients, steps }) =>
    clients.split(', ').flatMap((client) => steps.map((step) => `${client}: ${step}`)),
  );
  const isKnown = (difference: string) => {
    const [client, step] = difference.split(/: (.*)/s) as [string, string];
    return clients.some((one) => nameOf(one) === client && one.answers.has(step));
  };
  assert.deepEqual([...found].filter((one) => !given.includes(one)).sort(), [], 'new differences');
  assert.deepEqual(
    given.filter((one) => isKnown(one) && !found.has(one)).sort(),
    [],
    'no longer a difference: take it out of the table',
  );
});

test('every outcome of the devnet is that of at least one other client', () => {
  for (const [step, exchange] of ours) {
    const outcome = outcomeOf(exchange);
    const theirs = clients.flatMap(({ answers }) => answers.get(step) ?? []).map(outcomeOf);
    assert.ok(theirs.includes(outcome), `${step}: ${outcome}, others: ${theirs.join(', ')}`);
  }
});

test('every error code of the devnet is that of another client for the same error', () => {
  for (const [step, exchange] of ours) {
    if (!exchange.error) continue;
    const outcome = outcomeOf(exchange);
    const same = clients.flatMap(({ answers }) => answers.get(step) ?? []);
    const codes = same.filter((one) => outcomeOf(one) === outcome).map(({ error }) => error?.code);
    assert.ok(
      codes.includes(exchange.error.code),
      `${step}: ${exchange.error.code}, others: ${codes.join(', ')}`,
    );
  }
});

test('what all recorded clients answer alike, the devnet answers too', () => {
  for (const [step, exchange] of ours) {
    const same = recorded
      .map(({ answers }) => answers.get(step)!)
      .filter((one) => outcomeOf(one) === outcomeOf(exchange) && one.error === undefined);
    const [first, ...others] = same.map(({ result }) => result);
    if (typeof first === 'string' && others.length > 0 && others.every((other) => other === first)) {
      assert.equal(exchange.result, first, step);
    }
  }
});

test('blocks, transactions, receipts and logs have the fields of other clients', () => {
  for (const [step, exchange] of ours) {
    const fields = fieldsOf(exchange);
    const theirs = recorded
      .map(({ answers }) => fieldsOf(answers.get(step)))
      .filter((one) => one !== undefined);
    if (!fields || theirs.length === 0) continue;
    const everywhere = Object.keys(theirs[0]!).filter((key) => theirs.every((one) => key in one));
    for (const key of new Set([...Object.keys(fields), ...everywhere])) {
      const forms = theirs.filter((one) => key in one).map((one) => formOf(one, key));
      assert.ok(key in fields, `${step}: ${key} is missing`);
      assert.ok(
        forms.includes(formOf(fields, key)),
        `${step}: ${key} is ${formOf(fields, key)}, others: ${forms}`,
      );
      const [value, ...values] = theirs.map((one) => lower(one[key]));
      if (values.length > 1 && key in theirs[0]! && values.every((other) => other === value)) {
        assert.equal(lower(fields[key]), value, `${step}: ${key}`);
      }
    }
  }
});

const formOf = (fields: Fields, key: string) => JSON.stringify(shapeOf(fields[key]));
const lower = (value: unknown) => JSON.stringify(value)?.toLowerCase();
