import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { openKeys, sealKeys } from './delivery/seal-keys.ts';
import { countSealedOtherwise, lockSealedOtherwise, updateSealed } from './queries/endpoints.ts';

export interface ResealedEndpoints {
  resealed: number;
  /** At zero the older encryption keys can be removed. */
  remaining: number;
  keyVersion: number;
}

/** Encrypts the keys of up to `limit` endpoints again with the newest master key, while the service runs. */
export function resealEndpoints(ctx: Ctx, { limit = 1_000 }: { limit?: number }): Promise<ResealedEndpoints> {
  return inTransaction(ctx, async (ctx) => {
    const { sealer, db } = ctx;
    const { newestVersion: keyVersion } = sealer;
    const endpoints = await lockSealedOtherwise(db, keyVersion, limit);
    const again = (id: string, sealed: Buffer) => sealKeys(sealer, id, openKeys(sealer, id, sealed));
    for (const { id, secret, formerSecret } of endpoints) {
      await updateSealed(db, {
        id,
        secret: again(id, secret),
        formerSecret: formerSecret && again(id, formerSecret),
      });
    }
    const remaining = await countSealedOtherwise(db, keyVersion);
    const after = { keyVersion, resealed: endpoints.length, remaining };
    if (endpoints.length > 0) {
      await recordChange(ctx, { action: 'webhooks.reseal', subject: 'webhooks:all', after });
    }
    return after;
  });
}
