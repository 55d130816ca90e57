import type { SandboxFile } from '../sandbox-file.ts';

/** Nobody waits for these calls, and a busy machine answers late while the worker pays the demo's payouts. */
const timeoutMs = 60_000;

interface Call {
  key: keyof SandboxFile['keys'];
  path: string;
  /** Sent as JSON. */
  body?: object;
}

/** Not by the keys of the banner: people who try its lines need their rate limit. */
const calls: readonly Call[] = [
  { key: 'friend', path: '/api/crypto/assets' },
  { key: 'friend', path: '/api/history?resource=account&feature=account&pageSize=2' },
  { key: 'friend', path: '/api/limits' },
  { key: 'business', path: '/api/events?limit=5' },
  { key: 'business', path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  { key: 'business', path: '/api/history?resource=account&feature=nothing' },
  { key: 'expired', path: '/api/crypto/assets' },
  { key: 'revoked', path: '/api/crypto/assets' },
  { key: 'otherPartner', path: '/api/crypto/assets' },
];

/**
 * Calls the API as programs of the demo partners do, by HTTP, so that the request log shows real entries
 * from the first minute: answers, and refusals of keys that no longer work. None of them changes anything.
 */
export async function makeCalls({ baseUrl, keys }: Pick<SandboxFile, 'baseUrl' | 'keys'>): Promise<void> {
  await Promise.allSettled(
    calls.map(async ({ key, path, body }) => {
      const response = await fetch(baseUrl + path, {
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${keys[key].token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.arrayBuffer();
    }),
  );
}
