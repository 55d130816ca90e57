import type { Static } from 'typebox';
import type { Ctx } from '#context';
import { selectDecisionsOfEach } from '#features/rules';
import { showStates } from '#features/withdrawals';
import type { paymentHistories } from './wire.ts';

/** States of several payments with their times, and what people decided about each. */
export async function listHistories(
  ctx: Ctx,
  { withdrawalIds }: { withdrawalIds: readonly string[] },
): Promise<Static<typeof paymentHistories>> {
  const [rows, decisions] = await Promise.all([
    showStates(ctx, withdrawalIds),
    selectDecisionsOfEach(ctx.db, withdrawalIds),
  ]);
  const [statesOf, decisionsOf] = [
    new Map(rows.map(({ withdrawalId, states }) => [withdrawalId, states])),
    Map.groupBy(decisions, ({ withdrawalId }) => withdrawalId),
  ];
  const items = [...new Set(withdrawalIds)].flatMap((withdrawalId) => {
    const states = statesOf.get(withdrawalId);
    if (!states) return [];
    const made = decisionsOf.get(withdrawalId) ?? [];
    return [
      {
        withdrawalId,
        states: states.map(({ status, at }) => ({ status, at: at.toISOString() })),
        decisions: made.map(({ withdrawalId: _own, decidedAt, ...rest }) => ({
          ...rest,
          decidedAt: decidedAt.toISOString(),
        })),
      },
    ];
  });
  return { items };
}
