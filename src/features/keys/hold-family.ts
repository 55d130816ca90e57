import type { Ctx } from '#context';
import { recordChanges } from '#features/audit';
import type { Db } from '#platform/db/db';
import { keyErrors } from './errors.ts';
import { type KeyRow, lockFamily } from './queries.ts';
import { presentKey } from './wire.ts';

const roundsMax = 10;
const auditedAtOnce = 500;

export interface Family {
  key: KeyRow;
  /** What it issued, directly or not, and what is not revoked of that. */
  issued: KeyRow[];
}

/**
 * Locks a key and what it issued. A key that was rotated while this waited has a successor that the statement
 * did not see, so it is repeated until it finds nothing new: what is locked has no more successors.
 */
export async function holdFamily(db: Db, keyId: string): Promise<Family> {
  let known = -1;
  for (let round = 0; round < roundsMax; round++) {
    const rows = await lockFamily(db, keyId);
    const key = rows.find(({ id }) => id === keyId);
    if (!key) throw keyErrors.keyNotFound();
    if (rows.length <= known) return { key, issued: rows.filter((row) => row !== key) };
    known = rows.length;
  }
  throw new Error(`key ${keyId}: new keys appeared in each of ${roundsMax} rounds`);
}

/** Writes the audit rows of one change of many keys, in batches of a bounded size. */
export async function recordFamily(
  ctx: Ctx,
  action: string,
  keys: readonly KeyRow[],
  change: Partial<KeyRow>,
): Promise<void> {
  const changes = keys.map((before) => ({
    ctx,
    action,
    subject: `key:${before.id}`,
    before: presentKey(before),
    after: presentKey({ ...before, ...change }),
  }));
  for (let at = 0; at < changes.length; at += auditedAtOnce)
    await recordChanges(ctx.db, changes.slice(at, at + auditedAtOnce));
}
