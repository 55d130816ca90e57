import { IssuerFault, type IssuerFaultReason } from '#adapters/issuer';
import type { RefusalFactory } from '#platform/errors/errors';
import { hashFacts } from '#platform/values/hash-facts';
import { cardErrors } from './errors.ts';

type FaultRows = Readonly<Record<IssuerFaultReason, RefusalFactory>>;

const usualRows: FaultRows = {
  'not-found': cardErrors.cardNotFound,
  refused: (options) => cardErrors.issuerRefused({ ...options, message: refusalOf(options?.cause) }),
  'session-invalid': cardErrors.sessionInvalid,
  'session-used': cardErrors.sessionUsed,
  'key-reused': cardErrors.idempotencyKeyReused,
  unsupported: cardErrors.notOffered,
  unavailable: cardErrors.issuerUnavailable,
};

/** What the issuer answers, or a row of our table for why it did not. */
export async function askIssuer<T>(asked: Promise<T>, rows: Partial<FaultRows> = {}): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw asCardError(error, rows);
  }
}

/** A fault of the issuer's as a row of our table; `rows` has those that mean something else here. */
export function asCardError(error: unknown, rows: Partial<FaultRows> = {}): unknown {
  return error instanceof IssuerFault ? { ...usualRows, ...rows }[error.reason]({ cause: error }) : error;
}

/** The message may be shown to anybody: the issuer adapter only lets safe texts through. */
const refusalOf = (cause: unknown) =>
  cause instanceof IssuerFault ? `The card issuer refused: ${cause.message}` : undefined;

/**
 * The idempotency key of a request at the issuer. It is a hash of the facts, so any process that repeats the
 * request after a crash sends the same key.
 */
export function issuerKey(...facts: readonly string[]): string {
  return hashFacts(facts).toString('base64url');
}
