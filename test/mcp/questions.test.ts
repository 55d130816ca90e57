import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callPlain, modernRequest, payloadOf, postMessage } from '#test/callers/mcp';
import { startTestIssuer } from '#test/outside/issuer';
import { useHarness } from '../harness.ts';
import { type AskedAccount, makeAskedAccount } from './asked-account.ts';
import { writePrices } from './rich-user.ts';

const sandbox = await startTestIssuer();
after(() => sandbox.stop());
const harness = useHarness({ issuer: sandbox.issuer, pricesUrl: writePrices() });
let account: AskedAccount;
before(async () => {
  account = await makeAskedAccount(harness);
});

// biome-ignore lint/suspicious/noExplicitAny: payloads are what the tools give; answers are compared.
type Payload = any;
type Call = (tool: string, args?: object) => Promise<Payload>;

interface Question {
  /** As a person would put it. */
  question: string;
  /** What an agent calls, and what it reads in the answers: no sums, no loops over pages. */
  answer(call: Call): Promise<unknown>;
  /** From what was seeded, by plain arithmetic. */
  expected(): unknown;
}

const history = (call: Call, args: object) => call('getAccountHistory', args);
const may = { startDate: '2026-05', endDate: '2026-05' };
const figure = { limit: 1 };

/** In hundredths, over the lines that were seeded. */
function sum(
  field: 'amountSent' | 'amountReceived',
  isMeant: (line: Record<string, string>) => boolean,
): string {
  const cents = account.lines
    .filter((line) => line[field] !== undefined && isMeant(line))
    .reduce((total, line) => total + Math.round(Number(line[field]) * 100), 0);
  return String(cents / 100);
}

const questions: Question[] = [
  {
    question: 'How many transactions did I have in March?',
    answer: async (call) =>
      (await history(call, { startDate: '2026-03', endDate: '2026-03', ...figure })).summary.count,
    expected: () => 45,
  },
  {
    question: 'How much USDC left my account in 2026?',
    answer: async (call) => {
      const args = { startDate: '2026', endDate: '2026', asset: 'USDC', direction: 'out' };
      return (await history(call, { ...args, ...figure })).summary.totals[0].sent;
    },
    expected: () => sum('amountSent', ({ assetSent }) => assetSent === 'USDC'),
  },
  {
    question: 'What did I spend at the Padaria Sao Joao in May?',
    answer: async (call) =>
      (await history(call, { ...may, text: 'padaria sao joao', ...figure })).summary.totals[0].sent,
    expected: () =>
      sum(
        'amountSent',
        ({ description, transactionDate }) =>
          description!.startsWith('Padaria') && transactionDate!.startsWith('2026-05'),
      ),
  },
  {
    question: 'What was my largest withdrawal?',
    answer: async (call) => {
      const { transactions } = await history(call, { type: 'sell', sort: 'largest', ...figure });
      return [transactions[0].description, transactions[0].amountSent];
    },
    expected: () => ['Rent, Rua Augusta', '900'],
  },
  {
    question: 'When did I get my first money, and how much?',
    answer: async (call) => {
      const { transactions } = await history(call, { direction: 'in', sort: 'oldest', ...figure });
      return [transactions[0].transactionDate, transactions[0].amountReceived];
    },
    expected: () => ['2026-01-01T08:00:00.000Z', '5000'],
  },
  {
    question: 'How many euros did I get by swapping, and in how many swaps?',
    answer: async (call) => {
      const args = { type: 'swap-bridge', asset: 'EURC', direction: 'in' };
      const [{ received, receivedCount }] = (await history(call, { ...args, ...figure })).summary.totals;
      return [received, receivedCount];
    },
    expected: () => [sum('amountReceived', ({ assetReceived }) => assetReceived === 'EURC'), 40],
  },
  {
    question: 'How many times did I bridge away from Polygon?',
    answer: async (call) => {
      const args = { type: 'swap-bridge', network: 'polygon', direction: 'out' };
      return (await history(call, { ...args, ...figure })).summary.count;
    },
    expected: () => 20,
  },
  {
    question: 'What did I lose in my last bridge?',
    answer: async (call) => {
      const args = { type: 'swap-bridge', text: 'bridge', group: true, limit: 2 };
      const [last] = (await history(call, args)).transactions;
      return [last.networkSent, last.amountSent, last.network, last.amountReceived];
    },
    expected: () => ['polygon', '300', 'base', '299.4'],
  },
  {
    question: 'Did any EURC move in December 2025?',
    answer: async (call) =>
      (await history(call, { startDate: '2025-12', endDate: '2025-12', ...figure })).hasEurcActivity,
    expected: () => false,
  },
  {
    question: 'What is still pending?',
    answer: async (call) =>
      (await history(call, { status: 'pending' })).transactions
        .map(({ description, status }: Payload) => `${description}: ${status}`)
        .sort(),
    expected: () => ['Bank transfer: pending', 'Deposit from an exchange: in-analysis'],
  },
  {
    question: 'Why was the wire from my friend not accepted?',
    answer: async (call) =>
      (await history(call, { status: 'unsettled', text: 'wire from a friend' })).transactions[0].statusReason,
    expected: () => 'The sender’s name is not yours',
  },
  {
    question: 'Did this transaction arrive?',
    answer: async (call) => {
      const { state, transactions } = await history(call, { filterByHash: account.hash });
      return [state, transactions[0].amountReceived, transactions[0].transactionDate];
    },
    expected: () => ['settled', '2500', '2026-03-02T12:00:00.000Z'],
  },
  {
    question: 'How often did I get at least 1,000 at once, and how much in all?',
    answer: async (call) => {
      const { summary } = await history(call, { direction: 'in', minAmount: '1000', ...figure });
      return [summary.count, summary.totals[0].received];
    },
    expected: () => [11, '30000'],
  },
  {
    question: 'Who did I send money to in June?',
    answer: async (call) => {
      const june = { startDate: '2026-06', endDate: '2026-06' };
      const { transactions } = await history(call, { ...june, type: 'transfer-token' });
      return [...new Set(transactions.map(({ counterparty }: Payload) => counterparty.email))];
    },
    expected: () => ['b…@example.com'],
  },
  {
    question: 'Which part of my balance is out of date, and why?',
    answer: async (call) =>
      (await call('getAccountBalance')).byToken
        .filter(({ isStale }: Payload) => isStale)
        .map(({ token, staleReason }: Payload) => `${token}: ${staleReason}`)
        .sort(),
    expected: () => ['ACME: no-price', 'ETH: old-position'],
  },
  {
    question: 'Which cards can I pay with, and how much is left on each?',
    answer: async (call) =>
      (await call('getUserCards', { status: 'active' })).cards
        .map(({ nickname, spendable }: Payload) => `${nickname}: ${spendable}`)
        .sort(),
    // 400 a month, less what was paid in this one.
    expected: () => ['Everyday: 343.00', 'Travel: 174.50'],
  },
  {
    question: 'Why does my "Lost one" card not work?',
    answer: async (call) => {
      const { cards } = await call('getUserCards');
      const { status, statusReason } = cards.find(({ nickname }: Payload) => nickname === 'Lost one');
      return [status, statusReason];
    },
    expected: () => ['locked', 'Lost in the metro'],
  },
  {
    question: 'What did the Grand Hotel cost me, and what is only reserved?',
    answer: async (call) =>
      (await call('getUserCardTransactions', { merchant: 'grand hotel atlantico', pageSize: 1 })).totals
        .map(({ status, purchases }: Payload) => `${status}: ${purchases}`)
        .sort(),
    expected: () => ['pending: 45.50', 'settled: 180.00'],
  },
  {
    question: 'Which payment was declined, and why?',
    answer: async (call) =>
      (await call('getUserCardTransactions', { status: 'declined' })).transactions.map(
        ({ merchantName, declineReason }: Payload) => [merchantName, declineReason],
      ),
    expected: () => [['Watches', 'Above the limit of the card']],
  },
  {
    question: 'When is my card refilled, and by how much?',
    answer: async (call) => {
      const { refill } = (await call('getUserCards', { pageSize: 1 })).accounts[0];
      return [refill.enabled, refill.threshold, refill.amount];
    },
    expected: () => [true, '150.00', '200.00'],
  },
  {
    question: 'Which collateral is held for a payment that is not settled?',
    answer: async (call) => {
      const [{ movements }] = (await call('getUserCardBalanceMovements', { pageSize: 20 })).balanceMovements;
      return movements
        .filter(({ status }: Payload) => status === 'pending')
        .map(({ amount, lastFourDigits }: Payload) => [amount, typeof lastFourDigits]);
    },
    expected: () => [['45.50', 'string']],
  },
];

const callsMax = 2;
const averageBytesMax = 8_000;

test('everyday questions: each is answered in at most two calls, with small answers and no arithmetic', async (t) => {
  const { message, headers } = modernRequest('tools/list');
  const { body } = await postMessage(harness, { token: account.token, headers }, message);
  const listed = new Map<string, { inputSchema: { properties: object } }>(
    body.result.tools.map((tool: { name: string }) => [tool.name, tool]),
  );
  const sizes: number[] = [];
  let calls = 0;
  for (const { question, answer, expected } of questions) {
    let callsHere = 0;
    let bytes = 0;
    const call: Call = async (tool, args = {}) => {
      const known = Object.keys(listed.get(tool)!.inputSchema.properties);
      for (const name of Object.keys(args)) assert.ok(known.includes(name), `${tool} lists ${name}`);
      callsHere += 1;
      const result = await callPlain(harness, account.token, tool, args);
      bytes += Buffer.byteLength(JSON.stringify(result.body));
      return payloadOf(result);
    };
    assert.deepEqual(await answer(call), expected(), question);
    assert.ok(callsHere <= callsMax, `${question} took ${callsHere} calls`);
    calls += callsHere;
    sizes.push(bytes);
  }
  const average = sizes.reduce((total, bytes) => total + bytes, 0) / sizes.length;
  t.diagnostic(
    `${questions.length} questions, ${calls} calls, ${Math.round(average)} bytes on average, ${Math.max(...sizes)} at most`,
  );
  assert.ok(average <= averageBytesMax, `${average} bytes on average`);
});
