import type { Db } from '../db/db.ts';

const everyMs = 60_000;
const rememberedMax = 100_000;

/**
 * Notes that a key was used, at most once a minute. The request does not wait for it, and a
 * note that fails is left out: the next one comes a minute later.
 */
export function useNoter(upsert: (db: Db, use: { keyId: string; at: Date }) => Promise<unknown>) {
  const remembered = new WeakMap<Db, Map<string, number>>();
  return ({ db, now }: { db: Db; now: Date }, keyId: string): void => {
    const notes = remembered.get(db) ?? new Map<string, number>();
    remembered.set(db, notes);
    const notedAt = notes.get(keyId);
    if (notedAt !== undefined && now.getTime() - notedAt < everyMs) return;
    if (notes.size >= rememberedMax) notes.clear();
    notes.set(keyId, now.getTime());
    upsert(db, { keyId, at: now }).catch(() => undefined);
  };
}
