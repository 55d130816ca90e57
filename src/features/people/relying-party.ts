import type { Deps } from '#context';

/** What passkeys are bound to. */
export interface RelyingParty {
  id: string;
  origin: string;
  name: string;
}

const loopbackAddresses = ['127.0.0.1', '[::1]'];

/**
 * By `PUBLIC_URL`. Browsers refuse passkeys for an IP address, so a loopback address becomes `localhost`.
 * @example
 * relyingPartyOf({ publicUrl: 'http://127.0.0.1:8080', brand }).origin; // 'http://localhost:8080'
 */
export function relyingPartyOf({ publicUrl, brand }: Pick<Deps, 'publicUrl' | 'brand'>): RelyingParty {
  const url = new URL(publicUrl);
  if (loopbackAddresses.includes(url.hostname)) url.hostname = 'localhost';
  return { id: url.hostname, origin: url.origin, name: brand.name };
}
