import { ledgerErrors } from '../errors.ts';
import type { UnsettledRow } from './queries.ts';

/** The legs of a record that operators move: a withdrawal moves by its payment alone. */
export function requireOperatorsOwn(
  legs: readonly UnsettledRow[],
): readonly [UnsettledRow, ...UnsettledRow[]] {
  const [first, ...others] = legs;
  if (!first) throw ledgerErrors.unsettledNotFound();
  if (first.isWithdrawal) throw ledgerErrors.unsettledIsWithdrawal();
  return [first, ...others];
}
