import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { ledgerErrors } from '../errors.ts';
import { presentUnsettled, type UnsettledView } from './list-unsettled.ts';
import { lockUnsettled, updateUnsettledRows } from './queries.ts';
import { requireOperatorsOwn } from './require-operators-own.ts';
import { type UnsettledStatus, unsettledMoves } from './states.ts';

export interface UnsettledChange {
  userId: string;
  id: string;
  status?: UnsettledStatus;
  statusReason?: string | null;
  description?: string;
  userDescription?: string | null;
}

/** Changes the status or the texts of an unsettled record. Its assets and amounts cannot change. */
export function updateUnsettled(ctx: Ctx, change: UnsettledChange): Promise<{ records: UnsettledView[] }> {
  const userId = change.userId.toLowerCase();
  return inTransaction(ctx, async (ctx) => {
    const [row] = requireOperatorsOwn(await lockUnsettled(ctx.db, userId, change.id));
    const status = change.status ?? row.status;
    if (status !== row.status && !unsettledMoves[row.status].includes(status)) {
      const legal = unsettledMoves[row.status];
      const words = legal.length > 0 ? `it may become ${legal.join(', ')}` : 'it is final';
      throw ledgerErrors.illegalMove({
        message: `A record that is ${row.status} does not become ${status}: ${words}`,
      });
    }
    const { statusReason = row.statusReason, userDescription = row.userDescription } = change;
    const { description = row.description } = change;
    const after = { status, statusReason, description, userDescription };
    await updateUnsettledRows(ctx.db, userId, change.id, { ...after, updatedAt: ctx.now });
    await recordChange(ctx, {
      action: 'ledger.update-unsettled',
      subject: `user:${userId}`,
      before: { id: change.id, status: row.status, statusReason: row.statusReason },
      after: { id: change.id, status, statusReason },
    });
    const stored = await lockUnsettled(ctx.db, userId, change.id);
    return { records: stored.map((each) => presentUnsettled(ctx, each)) };
  });
}
