import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { haltReasons } from './halt-reasons.ts';
import { updateDeployment } from './queries/deployment.ts';
import { selectSigners, updateHalted } from './queries/signers.ts';

/**
 * Assigns the database to another deployment and halts every wallet: wallets.recover must find out whether
 * the former one has paid something that this database does not know.
 */
export function rebindDeployment(
  ctx: Ctx,
  { deploymentId }: { deploymentId: string },
): Promise<{ deploymentId: string; former: string | null }> {
  return inTransaction(ctx, async (ctx) => {
    const { db, now } = ctx;
    const former = await updateDeployment(db, deploymentId, now);
    if (former === deploymentId) return { deploymentId, former };
    const reason = haltReasons.rebound(former, deploymentId);
    for (const { network, address } of await selectSigners(db))
      await updateHalted(db, { network, address, reason, now, isInDoubt: true });
    await recordChange(ctx, {
      action: 'wallets.rebind',
      subject: 'database:deployment',
      before: { deploymentId: former },
      after: { deploymentId },
    });
    return { deploymentId, former };
  });
}
