import assert from 'node:assert/strict';
import type { LineView, Statement, StatementBalance } from '../../src/features/ledger/open-statement.ts';
import type { AssetValuer } from '../../src/features/ledger/statement/make-statement.ts';
import type { StatementStyle } from '../../src/features/ledger/statement/writer.ts';

/** A line of a statement that no ledger has; `at` makes it another. */
export function sampleLine(at: number, fields: Partial<LineView> = {}): LineView {
  const isOut = at % 2 === 1;
  const amount = `${at * 7919 + 1}.5`;
  const transactionDate = new Date(Date.UTC(2026, 0, 31, 23, 59, 59, 999) - at * 61_001).toISOString();
  return {
    id: `line-${at}`,
    uniqueHashId: `0x${at.toString(16).padStart(64, '0')}:${at}`,
    transactionDate,
    transactionType: isOut ? 'sell' : 'buy',
    description: `Line ${at}`,
    status: 'completed',
    network: 'polygon',
    asset: 'USDT',
    amount,
    runningBalance: `${1_000_000 - at}.25`,
    assetSent: isOut ? 'USDT' : null,
    amountSent: isOut ? amount : null,
    assetReceived: isOut ? null : 'USDT',
    amountReceived: isOut ? null : amount,
    executedAt: transactionDate,
    transactionPurpose: 'payment',
    userDescription: null,
    ...fields,
  };
}

/** A balance of 6 decimals; `at` makes it another. */
export function sampleBalance(fields: Partial<StatementBalance> = {}): StatementBalance {
  return {
    accountId: 1n,
    network: 'polygon',
    currency: 'USDT',
    decimals: 6,
    decimalsUsed: 2,
    opening: 0n,
    moneyIn: 2_000_000_000_000n,
    moneyOut: 765_432_500_000n,
    closing: 1_234_567_500_000n,
    ...fields,
  };
}

export function sampleStatement(
  lines: readonly LineView[],
  { balances = [sampleBalance()], ...fields }: Partial<Statement> & { balances?: StatementBalance[] } = {},
): Statement {
  return {
    holder: 'Ana Žižková',
    holderAddress: null,
    userId: '0198a6a0-0000-7000-8000-000000000001',
    order: 'newest',
    types: ['buy', 'sell', 'swap-bridge', 'transfer-token'],
    startAt: new Date('2026-01-01T00:00:00Z'),
    endAt: new Date('2026-01-31T23:59:59.999Z'),
    madeAt: new Date('2026-02-01T08:15:00Z'),
    lineCount: lines.length,
    lastNumber: 12_345n,
    lastHash: '5f'.repeat(32),
    readBalances: async () => balances,
    batches: inBatches(lines),
    entriesOf: () => assert.fail('a statement that is not of a ledger has no entries'),
    ...fields,
  };
}

export const sampleStyle: StatementStyle = {
  language: 'en',
  hasBom: false,
  brand: { name: 'Causeway', address: [] },
  number: '7ZK3-0QW9-M2XA-HC5T',
  value: async (amounts) => amounts.map(() => null),
  verifyUrl: () => `https://connect.example.com/statements/verify?code=${'x'.repeat(118)}`,
};

/** Prices that no test is about. */
export const noValues: AssetValuer = async (_ctx, amounts) => amounts.map(() => null);

async function* inBatches(lines: readonly LineView[]): AsyncGenerator<LineView[]> {
  for (let at = 0; at < lines.length; at += 100) yield lines.slice(at, at + 100);
}

export async function gather(chunks: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(Buffer.from(chunk as string));
  return Buffer.concat(all);
}
