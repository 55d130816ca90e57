import type { Ctx } from '#context';
import type { FoundLine } from './find-lines.ts';
import { selectParties } from './queries.ts';

/** What else is known of a line. */
export interface Party {
  kind?: 'withdrawal' | 'card-refill';
  /** As the user may see it: of another user, only the beginning of the email. */
  counterparty?: { address?: string; email?: string };
}

/** By the number of a line: who was paid, or who paid. */
export async function nameParties(
  { db }: Ctx,
  userId: string,
  lines: readonly FoundLine[],
): Promise<Map<bigint, Party>> {
  const asked = lines.filter(({ transactionType }) => transactionType !== 'swap-bridge');
  if (asked.length === 0) return new Map();
  const rows = await selectParties(
    db,
    userId,
    asked.map(({ number }) => number),
  );
  return new Map(
    rows.map(({ number, address, email, isOwn, isCardRefill }) => {
      const counterparty = { ...(address !== null && { address }), ...(email !== null && { email }) };
      const kind = isCardRefill ? 'card-refill' : isOwn ? 'withdrawal' : undefined;
      const isKnown = address !== null || email !== null;
      return [number, { ...(kind && { kind }), ...(isKnown && { counterparty }) }] as const;
    }),
  );
}
