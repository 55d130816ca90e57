import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What happens to a request: forwarded and answered, forwarded but the answer is lost, late, or not
 * forwarded.
 */
export type Passage = 'whole' | 'answer lost' | 'request lost' | { lateMs: number };

export interface UnreliableProxy {
  url: string;
  /** Forwarded requests, `METHOD /path`. */
  passed: string[];
  /** Decides from now on; by the request, `METHOD /path`. */
  passage: (request: string) => Passage;
  stop(): Promise<void>;
}

/** A proxy before an HTTP server that loses what a network or a dying process would lose. */
export async function startUnreliableProxy(target: string): Promise<UnreliableProxy> {
  const server = createServer(async (request, response) => {
    const name = `${request.method} ${request.url?.split('?')[0]}`;
    const passage = proxy.passage(name);
    if (passage === 'request lost') return void request.socket.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _host, connection: _connection, ...headers } = request.headers;
    proxy.passed.push(name);
    const answer = await fetch(new URL(request.url!, target), {
      method: request.method,
      headers: headers as Record<string, string>,
      body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
    }).catch(() => undefined);
    // The server is not reachable.
    if (!answer) return void request.socket.destroy();
    const body = Buffer.from(await answer.arrayBuffer());
    if (passage === 'answer lost') return void request.socket.destroy();
    if (typeof passage === 'object') await sleep(passage.lateMs);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: UnreliableProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: [],
    passage: () => 'whole',
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return proxy;
}
