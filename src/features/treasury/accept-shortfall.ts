import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { decimalsOf } from '#features/ledger';
import { formatMinor } from '#platform/values/money';
import { treasuryErrors } from './errors.ts';
import { alarmsOf, shortfallOf, unexplainedName } from './names.ts';
import { lockPosition, moveToAccepted, selectAssets, selectExplained, upsertAssets } from './queries.ts';

export interface Acceptance {
  network: string;
  currency: string;
  /** A decimal string: the shortfall that the operator has seen. */
  amount: string;
  reason: string;
}

/**
 * An operator takes responsibility for a shortfall, or for a surplus that nothing explains. The amount must
 * be exactly what is there now, so that nothing is accepted that nobody has seen.
 */
export function acceptShortfall(ctx: Ctx, input: Acceptance): Promise<Acceptance> {
  return inTransaction(ctx, async (ctx) => {
    const { network, reason } = input;
    const currency = input.currency.toUpperCase();
    const position = await lockPosition(ctx.db, network);
    const asset = (await selectAssets(ctx.db, network)).find((one) => one.currency === currency);
    if (!position || !asset) throw treasuryErrors.notCompared();
    const named = (await selectExplained(ctx.db, network)).filter((one) => one.currency === currency);
    const surplus = named.find(({ name, amount }) => name === unexplainedName && amount > 0n)?.amount ?? 0n;
    const open = asset.shortfall > 0n ? asset.shortfall : surplus;
    const amount = formatMinor(open, decimalsOf(ctx.evm, asset));
    if (open === 0n || amount !== input.amount)
      throw treasuryErrors.otherAmount({
        message: `${open === asset.shortfall ? 'The shortfall' : 'The surplus'} is ${amount}`,
      });
    const names = asset.shortfall > 0n ? alarmsOf(named, position) : [unexplainedName];
    const moved = { network, currency, names, accepted: 'accepted by an operator' };
    await moveToAccepted(ctx.db, moved);
    const left = (await selectExplained(ctx.db, network)).filter((one) => one.currency === currency);
    await upsertAssets(ctx.db, [{ ...asset, shortfall: shortfallOf(left, position) }]);
    await recordChange(ctx, {
      action: 'treasury.accept',
      subject: `treasury:${network}`,
      before: { currency, names },
      after: { currency, accepted: amount, reason },
    });
    return { network, currency, amount, reason };
  });
}
