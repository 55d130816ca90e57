import type { Static } from 'typebox';
import type { Ctx } from '#context';
import { selectDecisions, selectNeeds } from '#features/rules';
import type { paymentDecisions } from './wire.ts';

/** Which approvals rules asked for at the creation of a payment, and what people decided. */
export async function listDecisions(
  { db }: Ctx,
  { withdrawalId }: { withdrawalId: string },
): Promise<Static<typeof paymentDecisions>> {
  const decisions = await selectDecisions(db, withdrawalId);
  return {
    needs: await selectNeeds(db, withdrawalId),
    items: decisions.map(({ decidedAt, ...rest }) => ({ ...rest, decidedAt: decidedAt.toISOString() })),
  };
}
