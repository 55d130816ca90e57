import { hash } from 'node:crypto';

/** A user's account of one asset, in the 22 characters that OFX allows. The same in every statement. */
export const accountNumberOf = (
  userId: string,
  { network, currency }: { network: string; currency: string },
) => hash('sha256', JSON.stringify([userId, network, currency])).slice(0, 22);

/**
 * ISO 4217 has no codes for tokens. `XXX` is its code for transactions without a currency; the name of an
 * account says which token it is of.
 */
export const noCurrency = 'XXX';
