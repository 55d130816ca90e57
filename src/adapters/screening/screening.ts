/** Unknown: the provider did not answer, or its answer is invalid. */
export type ScreeningVerdict = 'allowed' | 'refused' | 'unknown';

/** An external check of whether an address may be paid. */
export interface Screening {
  screen(payee: { network: string; currency: string; address: string }): Promise<ScreeningVerdict>;
}

const timeoutMs = 2_000;

const everybody: Screening = { screen: async () => 'allowed' };

/**
 * Calls an HTTP service: `POST` of `{ network, currency, address }`, answered 200 with `{ "allowed": true }`
 * or `false`. Without a URL every address is allowed. Not retried: callers try again later.
 */
export function createScreening(url: string | undefined): Screening {
  if (!url) return everybody;
  return {
    async screen(payee) {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(payee),
          signal: AbortSignal.timeout(timeoutMs),
          redirect: 'error',
        });
        if (response.status !== 200) {
          await response.body?.cancel();
          return 'unknown';
        }
        const { allowed } = (await response.json()) as { allowed?: unknown };
        if (typeof allowed !== 'boolean') return 'unknown';
        return allowed ? 'allowed' : 'refused';
      } catch {
        return 'unknown';
      }
    },
  };
}
