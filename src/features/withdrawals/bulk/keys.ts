import { hash } from 'node:crypto';

/** A key that a caller sends has no space, so no other request can have the key of an item. */
export const keyOfItem = (idempotencyKey: string | undefined, at: number): string | null => {
  if (idempotencyKey === undefined) return null;
  return at === 0 ? idempotencyKey : `${idempotencyKey} ${at}`;
};

/** The same for a request that is repeated after a restore. */
export function bulkIdOf(partnerId: string, idempotencyKey: string): string {
  const digest = hash('sha256', `bulk ${partnerId} ${idempotencyKey}`, 'hex');
  // Version 8, for ids that applications make.
  const variant = '89ab'[Number.parseInt(digest[16]!, 16) % 4];
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
