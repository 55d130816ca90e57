import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface FailingReceiver {
  port: number;
  requests: number;
  failures: number;
  /** By path: the body of each event that was accepted, by its id, in the order of the first arrivals. */
  accepted: Map<string, Map<string, string>>;
  stop(): Promise<void>;
}

/** Of one event: it has ten attempts, and all of 100,000 events must arrive. */
const failuresMax = 5;

/** An HTTP server that fails in a part of all cases: by a status, by closing or halfway. */
export async function startFailingReceiver(rate: number): Promise<FailingReceiver> {
  const failures = new Map<string, number>();
  const server = createServer(async (request, response) => {
    receiver.requests += 1;
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const path = request.url ?? '';
    const id = String(request.headers['webhook-id']);
    const failed = failures.get(`${path} ${id}`) ?? 0;
    if (Math.random() < rate && failed < failuresMax) {
      failures.set(`${path} ${id}`, failed + 1);
      receiver.failures += 1;
      const kind = Math.floor(Math.random() * 4);
      if (kind === 0) return void response.writeHead(500).end('no');
      if (kind === 1) return void response.writeHead(503, { 'retry-after': '1' }).end();
      if (kind === 2) return void request.socket.destroy();
      response.writeHead(200, { 'content-length': '100' }).write('half');
      return void setTimeout(() => request.socket.destroy(), 20);
    }
    const events = receiver.accepted.get(path) ?? new Map();
    receiver.accepted.set(path, events);
    // Deleted and set again, it would move to the end: the first arrival counts.
    if (!events.has(id)) events.set(id, body);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: FailingReceiver = {
    port: (server.address() as AddressInfo).port,
    requests: 0,
    failures: 0,
    accepted: new Map(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
