import type { PositionKind } from './position.ts';
import type { Quote } from './queries.ts';
import { type Quantity, valueInCents } from './usd.ts';

/** Something that a user has, with what one unit of it costs; without a price where nobody says. */
export interface Owned extends Quantity {
  kind: 'holding' | PositionKind;
  token: string;
  network: string;
  quote?: Quote;
  costCents?: bigint | null;
}

export const staleReasons = ['no-price', 'old-position', 'old-price'] as const;
export type StaleReason = (typeof staleReasons)[number];

export interface ValuedLine extends Owned {
  cents: bigint | null;
  /** The older of its price and its snapshot; a balance of the ledger is of now. */
  asOf: Date;
  /** Undefined if the line is current. */
  staleReason: StaleReason | undefined;
}

/** Amounts are US cents. */
export interface Portfolio {
  /** The most valuable first, those without a price last. */
  lines: ValuedLine[];
  holding: bigint;
  staked: bigint;
  tokenized: bigint;
  total: bigint;
  /** What tokenized positions are worth beyond what was paid for them, of those with a price and a cost. */
  tokenizedPnl: bigint;
  unpricedTokens: string[];
  /** The oldest of what it is made of. */
  fetchedAt: Date;
  isStale: boolean;
}

export interface Moment {
  now: Date;
  /** Time of the positions, even if the list is empty; undefined if none were ever recorded. */
  positionsAt: Date | undefined;
  staleAfterMs: number;
}

/**
 * What all of it is worth. Each line is rounded to the cent and totals are sums of lines, so that what is
 * shown adds up.
 */
export function valuePortfolio(owned: readonly Owned[], moment: Moment): Portfolio {
  const { now, positionsAt } = moment;
  const lines = owned.map((one) => ({
    ...one,
    cents: one.quote ? valueInCents(one, one.quote.price) : null,
    ...dateLine(one, moment),
  }));
  const sumOf = (kind: Owned['kind']) =>
    sum(lines.filter((line) => line.kind === kind).map(({ cents }) => cents ?? 0n));
  const [holding, staked, tokenized] = [sumOf('holding'), sumOf('staked'), sumOf('tokenized')];
  const gains = lines.map(({ kind, cents, costCents }) =>
    kind === 'tokenized' && cents !== null && costCents != null ? cents - costCents : 0n,
  );
  const unpriced = lines.filter(({ cents }) => cents === null).map(({ token }) => token);
  const instants = [
    ...lines.flatMap(({ quote }) => quote?.quotedAt ?? []),
    ...(positionsAt ? [positionsAt] : []),
  ];
  const fetchedAt = instants.length > 0 ? new Date(Math.min(...instants.map(Number))) : now;
  return {
    lines: lines.sort(byValue),
    holding,
    staked,
    tokenized,
    total: holding + staked + tokenized,
    tokenizedPnl: sum(gains),
    unpricedTokens: [...new Set(unpriced)].sort(),
    fetchedAt,
    isStale: unpriced.length > 0 || isOld(fetchedAt, moment),
  };
}

const isOld = (at: Date, { now, staleAfterMs }: Moment) => now.getTime() - at.getTime() > staleAfterMs;

/** If both are old, the position is named: its amount may be wrong, too. */
function dateLine({ kind, quote }: Owned, moment: Moment): Pick<ValuedLine, 'asOf' | 'staleReason'> {
  const takenAt = kind === 'holding' ? moment.now : (moment.positionsAt ?? moment.now);
  const asOf = quote && quote.quotedAt < takenAt ? quote.quotedAt : takenAt;
  if (!quote) return { asOf, staleReason: 'no-price' };
  if (isOld(takenAt, moment)) return { asOf, staleReason: 'old-position' };
  return { asOf, staleReason: isOld(quote.quotedAt, moment) ? 'old-price' : undefined };
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n);

function byValue(a: ValuedLine, b: ValuedLine): number {
  if (a.cents !== b.cents) {
    if (a.cents === null || b.cents === null) return a.cents === null ? 1 : -1;
    return a.cents > b.cents ? -1 : 1;
  }
  return compare(a.token, b.token) || compare(a.network, b.network) || compare(a.kind, b.kind);
}

const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
