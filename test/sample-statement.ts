import type { LineView, Statement } from '../src/features/ledger/open-statement.ts';

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

export function sampleStatement(lines: readonly LineView[], fields: Partial<Statement> = {}): Statement {
  return {
    holder: 'Ana Žižková',
    userId: '0198a6a0-0000-7000-8000-000000000001',
    startAt: new Date('2026-01-01T00:00:00Z'),
    endAt: new Date('2026-01-31T23:59:59.999Z'),
    madeAt: new Date('2026-02-01T08:15:00Z'),
    lineCount: lines.length,
    balances: [{ network: 'polygon', currency: 'USDT', opening: '0', closing: '1234567.5' }],
    batches: inBatches(lines),
    ...fields,
  };
}

async function* inBatches(lines: readonly LineView[]): AsyncGenerator<LineView[]> {
  for (let at = 0; at < lines.length; at += 100) yield lines.slice(at, at + 100);
}

export async function gather(chunks: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(Buffer.from(chunk as string));
  return Buffer.concat(all);
}
