import { parsePrice, priceDecimals } from '#adapters/prices';
import { invalidField } from '#platform/errors/errors';
import { formatCents, formatMinor, parseMinor } from '#platform/values/money';

export const positionKinds = ['staked', 'tokenized'] as const;
export type PositionKind = (typeof positionKinds)[number];

/** An asset of a user that is not in our ledger. */
export interface Position {
  kind: PositionKind;
  token: string;
  network: string;
  /** With `amountDecimals` decimals. */
  amount: bigint;
  /** Cost of the whole position. */
  costCents: bigint | null;
  /** Price of one unit, with `priceDecimals` decimals; used if the price source has no price. */
  price: bigint | null;
}

/** As operators write it: decimal strings. */
export interface WrittenPosition {
  kind: PositionKind;
  token: string;
  network: string;
  amount: string;
  costUsd?: string | null;
  priceUsd?: string | null;
}

export const amountDecimals = 18;
// What the columns hold: eighteen digits before the point.
const amountBound = 10n ** 36n;
const costBound = 10n ** 20n;

/**
 * Positions as numbers in a canonical order, so that two spellings of a snapshot are equal; refusals name the
 * field.
 */
export function readPositions(written: readonly WrittenPosition[]): Position[] {
  const positions = written.map((one, at) => readPosition(one, `positions.${at}`));
  const seen = new Set<string>();
  positions.forEach((position, at) => {
    const { kind, token, network } = position;
    if (seen.has(keyOf(position))) {
      throw invalidField(`positions.${at}`, `repeats ${kind} ${token} on ${network}: add the amounts up`);
    }
    seen.add(keyOf(position));
  });
  return positions.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ kind, token, network }: Position) => `${kind} ${token} ${network}`;

function readPosition(written: WrittenPosition, field: string): Position {
  const { kind, token, network, costUsd, priceUsd } = written;
  const amount = parseMinor(written.amount, amountDecimals);
  if (!amount || amount >= amountBound) {
    throw invalidField(
      `${field}.amount`,
      'must be a decimal above 0 with at most 18 digits before and after the point',
    );
  }
  const costCents = costUsd == null ? null : parseMinor(costUsd, 2);
  if (costCents === undefined || (costCents ?? 0n) >= costBound) {
    throw invalidField(`${field}.costUsd`, 'must be a decimal in US dollars with at most two decimals');
  }
  if (costCents !== null && kind !== 'tokenized') {
    throw invalidField(`${field}.costUsd`, 'is for tokenized positions only');
  }
  const price = priceUsd == null ? null : parsePrice(priceUsd);
  if (price === undefined) {
    throw invalidField(
      `${field}.priceUsd`,
      'must be a decimal above 0 with at most 18 digits before and after the point',
    );
  }
  return { kind, token, network, amount, costCents, price };
}

export function writePosition(position: Position): Required<WrittenPosition> {
  const { kind, token, network, amount, costCents, price } = position;
  return {
    kind,
    token,
    network,
    amount: formatMinor(amount, amountDecimals),
    costUsd: costCents === null ? null : formatCents(costCents),
    priceUsd: price === null ? null : formatMinor(price, priceDecimals),
  };
}
