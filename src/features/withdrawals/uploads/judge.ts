import { randomUUID } from 'node:crypto';
import { type Ctx, inTransaction, type PartnerAdmin } from '#context';
import { describeDenials, isDenied } from '../denial.ts';
import { insertWithdrawals, type NewWithdrawal } from '../queries/creations.ts';
import { countToApprove } from './queries.ts';

export interface Verdicts {
  /** By place, with the reason. */
  denied: { at: number; message: string }[];
  /** Null if some are denied: then nothing is stored, so nobody asks for approvals. */
  needApproval: number | null;
}

/** Carries the answer out of a transaction that must not commit. */
class Undone extends Error {
  readonly needApproval: number;
  constructor(needApproval: number) {
    super('undone');
    this.needApproval = needApproval;
  }
}

/**
 * What the published rules say about new withdrawals, together. They are stored and undone, so that the same
 * statement decides as when they are paid.
 */
export async function judge(
  ctx: Ctx<PartnerAdmin>,
  withdrawals: readonly Omit<NewWithdrawal, 'idempotencyKey' | 'fingerprint'>[],
): Promise<Verdicts> {
  const bulkId = randomUUID();
  const unkeyed = withdrawals.map((one) => ({ ...one, bulkId, idempotencyKey: null, fingerprint: null }));
  try {
    return await inTransaction(ctx, async ({ db }): Promise<never> => {
      await insertWithdrawals(db, unkeyed);
      throw new Undone(await countToApprove(db, bulkId));
    });
  } catch (error) {
    if (error instanceof Undone) return { denied: [], needApproval: error.needApproval };
    if (!isDenied(error)) throw error;
    return { denied: describeDenials(error), needApproval: null };
  }
}
