import { inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { dayMs } from '#platform/values/duration';
import type { CreatedEndpoint } from './create-endpoint.ts';
import { sealKeys } from './delivery/seal-keys.ts';
import { createKeys, writePublicKey, writeSecret } from './delivery/sign.ts';
import type { ManagerCtx } from './endpoint.ts';
import { findEndpoint, holdEndpoint } from './find-endpoint.ts';
import { replaceKeys } from './queries/endpoints.ts';
import { presentEndpoint } from './wire.ts';

const overlapMs = dayMs;

/** Makes new keys. The old ones sign as well for 24 hours, so that a receiver can change at any time. */
export function rotateSecret(
  ctx: ManagerCtx,
  { endpointId }: { endpointId: string },
): Promise<CreatedEndpoint> {
  return inTransaction(ctx, async (ctx) => {
    const before = await holdEndpoint(ctx, endpointId, 'receive');
    const keys = createKeys();
    await replaceKeys(ctx.db, {
      endpointId: before.id,
      secret: sealKeys(ctx.sealer, before.id, keys),
      publicKey: writePublicKey(keys),
      formerEndsAt: new Date(ctx.now.getTime() + overlapMs),
      now: ctx.now,
    });
    const shown = presentEndpoint(await findEndpoint(ctx, endpointId), ctx.now);
    await recordChange(ctx, {
      action: 'webhooks.rotate-secret',
      subject: `webhook:${before.id}`,
      before: presentEndpoint(before, ctx.now),
      after: shown,
    });
    return { ...shown, secret: writeSecret(keys) };
  });
}
