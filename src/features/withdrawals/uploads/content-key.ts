import { hashFacts } from '#platform/values/hash-facts';
import type { BulkItem } from '../bulk/item.ts';
import { fingerprintOf } from '../create-withdrawal.ts';

/** So often the same content can be paid on purpose. */
export const timesMax = 50;

/**
 * The idempotency key of a file: a hash of the user who pays and of what its rows ask for, in any spelling.
 * So the same file pays once. `times`: how often it was paid before, if it is paid again on purpose.
 */
export function contentKey(userId: string, items: readonly BulkItem[], times: number): string {
  const facts = items.map((item) => fingerprintOf({ ...item, userId }).toString('hex'));
  const name = `upload-${hashFacts(['upload', userId, ...facts]).toString('hex')}`;
  return times === 0 ? name : `${name}-${times}`;
}
