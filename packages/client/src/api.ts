import type { IdempotencyStore } from './idempotency.ts';
import type { Transport } from './transport.ts';

/** What the methods of a client share. */
export interface Api {
  transport: Transport;
  baseUrl: string;
  historyUrl: string;
  /** Whose key the client has. */
  caller: 'partner' | 'integration';
  store?: IdempotencyStore;
}

/** Methods of the other kind of key would only be answered with 401. */
export function requireCaller({ caller }: Api, wanted: Api['caller']): void {
  if (caller === wanted) return;
  throw new TypeError(
    wanted === 'partner'
      ? 'This call needs a client with apiKey, the key of a partner (cwk_…)'
      : 'This call needs a client with integrationKey, the key of an integration (cwi_…)',
  );
}
