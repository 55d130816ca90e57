import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: an event; tests assert its shape.
  event: any;
  at: number;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Answers a request; default: 204. */
  answer: (request: Received, response: ServerResponse) => void;
  stop(): Promise<void>;
}

/** An HTTP server on this machine that keeps what it receives. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '');
    const one: Received = {
      path: request.url ?? '',
      headers: request.headers,
      body,
      event: body === '' ? undefined : JSON.parse(body),
      at: performance.now(),
    };
    receiver.received.push(one);
    receiver.answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received: [],
    answer: (_request, response) => void response.writeHead(204).end(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
