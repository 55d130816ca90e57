import { setTimeout as sleep } from 'node:timers/promises';

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sent.
  body: any;
}

const patienceMs = 120_000;

/** Calls any of the servers until one of them answers, with anything but an outage or a rate limit. */
export function createCaller(ports: readonly number[]) {
  return async (method: string, where: string, token: string, options: CallOptions = {}): Promise<Reply> => {
    const end = performance.now() + patienceMs;
    for (;;) {
      const port = ports[Math.floor(Math.random() * ports.length)]!;
      try {
        const response = await fetch(`http://127.0.0.1:${port}${where}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(options.body !== undefined && { 'content-type': 'application/json' }),
            ...options.headers,
          },
          ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
          signal: AbortSignal.timeout(20_000),
        });
        const body = await response.json();
        if (response.status < 500 && response.status !== 429) return { status: response.status, body };
      } catch {
        // It was killed, or is not up yet.
      }
      if (performance.now() > end) throw new Error(`${method} ${where} is not answered`);
      await sleep(100);
    }
  };
}

interface CallOptions {
  body?: object;
  headers?: Record<string, string>;
}
