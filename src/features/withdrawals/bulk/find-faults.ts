import type { Ctx, PartnerAdmin } from '#context';
import type { Detail } from '#platform/errors/errors';
import type { BulkItem, Faulty } from './item.ts';
import { type Resolved, resolveRecipients } from './resolve-recipients.ts';

/** Every item that is at fault, in order, and the recipients of the others. */
export async function findFaults(
  ctx: Ctx<PartnerAdmin>,
  { userId, items }: { userId: string; items: readonly (BulkItem | Faulty)[] },
): Promise<{ recipients: Resolved['recipients']; faults: [number, Detail][] }> {
  const readable = [...items.entries()].flatMap(([at, item]) =>
    'asset' in item ? [[at, { ...item, userId, isPaid: false }] as const] : [],
  );
  const { recipients, faults } = await resolveRecipients(ctx, new Map(readable));
  const all: [number, Detail][] = [...faults];
  for (const [at, item] of items.entries()) {
    if ('faults' in item) all.push(...item.faults.map((fault) => [at, fault] as [number, Detail]));
  }
  return { recipients, faults: all.sort(([one], [other]) => one - other) };
}
