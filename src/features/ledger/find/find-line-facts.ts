import type { Ctx } from '#context';
import { formatCents, parseMinor } from '#platform/values/money';
import { decimalsMax, type Knowledge } from './filter.ts';
import type { FoundLine } from './find-lines.ts';
import { selectFacts } from './queries/parties.ts';

/** By the number of a line: who was paid or who paid, and what it was worth. */
export async function findLineFacts(
  { db }: Ctx,
  userId: string,
  lines: readonly FoundLine[],
): Promise<Map<bigint, Knowledge>> {
  if (lines.length === 0) return new Map();
  const amounts = new Map(lines.map(({ number, amount }) => [number, amount]));
  const rows = await selectFacts(db, userId, [...amounts.keys()]);
  return new Map(
    rows.map(({ number, address, email, isOwn, isCardRefill, price }) => {
      const counterparty = { ...(address !== null && { address }), ...(email !== null && { email }) };
      const kind = isCardRefill ? ('card-refill' as const) : isOwn ? ('withdrawal' as const) : undefined;
      const isKnown = address !== null || email !== null;
      const known: Knowledge = {
        ...(kind && { kind }),
        ...(isKnown && { counterparty }),
        ...(price !== null && { valueUsd: worthOf(amounts.get(number)!, price) }),
      };
      return [number, known] as const;
    }),
  );
}

/** To the nearest cent. */
function worthOf(amount: string, price: string): string {
  const product = parseMinor(amount, decimalsMax)! * parseMinor(price, decimalsMax)!;
  const cent = 10n ** BigInt(2 * decimalsMax - 2);
  return formatCents((product + cent / 2n) / cent);
}
