import type { NodeError } from './json-rpc.ts';

const knownWords =
  /\balready[ _]?(?:known|imported|exists|in the txpool)|\bknown transaction|\bexisting txn? with same hash/i;

/**
 * Whether a node refused a transaction because it already has it. Clients word it differently. "Nonce too
 * low" does not count: it may be about another transaction.
 */
export const isKnownTransaction = ({ said = '' }: NodeError): boolean => knownWords.test(said);
