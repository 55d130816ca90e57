import type { Ctx, KeyActor } from '#context';
import { createWithdrawal, listAssets } from '#features/withdrawals';
import { parseMinor } from '#platform/values/money';
import type { SandboxKey } from '../sandbox-file.ts';
import { demoUsers } from './people.ts';

export interface Payment {
  network: string;
  currency: string;
  amount: string;
  /** An email or an address. */
  to: string;
  externalId: string;
  idempotencyKey?: string;
}

/** The owner's withdrawal, as the holder of a key of a partner requests it. Returns its `bulkId`. */
export async function requestWithdrawal(
  ctx: Ctx,
  { id: keyId, scopes }: SandboxKey,
  partnerId: string,
  { network, currency, amount, idempotencyKey, ...payment }: Payment,
): Promise<string> {
  const userId = demoUsers.owner.id;
  const actor: KeyActor = { kind: 'key', keyId, partnerId, userId, scopes };
  const asset = listAssets(ctx.evm, []).find(
    (asset) => asset.network.name === network && asset.token.symbol === currency,
  )!;
  const { bulkId } = await createWithdrawal(
    { ...ctx, actor },
    { userId, asset, amount: parseMinor(amount, asset.token.decimals)!, idempotencyKey, ...payment },
  );
  return bulkId;
}
