import type { Ctx } from '#context';
import { postBatch, recordUnsettled, type UnsettledInput } from '#features/ledger';
import { tellLedgerStory } from './ledger-story.ts';
import { demoUsers } from './people.ts';
import { daysBefore, minuteMs } from './time.ts';

/** Posts the story of everybody's accounts, and the owner's operations that are not settled. */
export async function postStory(ctx: Ctx): Promise<void> {
  const { lines, late } = tellLedgerStory(ctx.now);
  await postBatch(ctx, { key: 'demo story', lines });
  await postBatch(ctx, { key: 'demo story, late lines', lines: late });
  for (const [at, record] of unsettled.entries()) {
    const { hours, ...input } = record;
    const begunAt = daysBefore(ctx.now, at, -hours * 60 * minuteMs);
    await recordUnsettled(ctx, {
      userId: demoUsers.owner.id,
      id: unsettledIds[input.status],
      transactionDate: begunAt.toISOString(),
      ...input,
    });
  }
}

/** One of each status. */
export const unsettledIds = {
  'awaiting-payment': 'demo-unsettled-awaiting-payment',
  pending: 'demo-unsettled-pending',
  'in-analysis': 'demo-unsettled-in-analysis',
  started: 'demo-unsettled-started',
  rejected: 'demo-unsettled-rejected',
  canceled: 'demo-unsettled-canceled',
} as const satisfies Record<UnsettledInput['status'], string>;

const unsettled: readonly (Omit<UnsettledInput, 'userId' | 'id'> & { hours: number })[] = [
  {
    hours: 2,
    status: 'awaiting-payment',
    transactionType: 'buy',
    description: 'Bank transfer of EUR 500',
    userDescription: 'para as férias',
    legs: [{ network: 'base', assetReceived: 'EURC', amountReceived: '500' }],
  },
  {
    hours: 5,
    status: 'pending',
    transactionType: 'sell',
    description: 'Withdrawal to bank account PT50 …0192',
    legs: [{ network: 'ethereum', assetSent: 'USDC', amountSent: '240.5' }],
  },
  {
    hours: 8,
    status: 'in-analysis',
    statusReason: 'The sender’s bank is asked for the origin of the funds',
    transactionType: 'buy',
    description: 'Bank transfer from Oficina Norte',
    legs: [{ network: 'polygon', assetReceived: 'USDT', amountReceived: '12000' }],
  },
  {
    hours: 1,
    status: 'started',
    transactionType: 'swap-bridge',
    description: 'USDC from polygon to base',
    legs: [
      { network: 'polygon', assetSent: 'USDC', amountSent: '750' },
      { network: 'base', assetReceived: 'USDC', amountReceived: '749.2' },
    ],
  },
  {
    hours: 3,
    status: 'rejected',
    statusReason: 'The name on the bank account is not yours',
    transactionType: 'buy',
    description: 'Bank transfer of EUR 80',
    legs: [{ network: 'base', assetReceived: 'EURC', amountReceived: '80' }],
  },
  {
    hours: 7,
    status: 'canceled',
    statusReason: 'Canceled by you',
    transactionType: 'transfer-token',
    description: 'To Chen Wei',
    userDescription: '谢谢',
    legs: [{ network: 'polygon', assetSent: 'USDC', amountSent: '60' }],
  },
];
