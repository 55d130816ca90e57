// A process of its own that asks the server over keep-alive connections, so that asking does not slow answering down.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RateOrder {
  kind: 'rate';
  port: number;
  token: string;
  connections: number;
  durationMs: number;
  /** Each request is a POST of any of the bodies to any of the paths. */
  paths: string[];
  bodies: string[];
  withIdempotencyKey: boolean;
}

export interface LatencyOrder {
  kind: 'latency';
  port: number;
  token: string;
  /** Got one after another on one connection, in turns. */
  paths: string[];
  turns: number;
}

export interface LoadReport {
  /** Requests a second of a rate order. */
  perSecond: number;
  /** Milliseconds that each turn of each path of a latency order took. */
  milliseconds: number[][];
}

interface Client {
  /** Resolves when the answer is read to its end; rejects unless it is a 200. */
  ask(head: string, body: string): Promise<void>;
  close(): void;
}

async function openClient(port: number, token: string): Promise<Client> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const common = `host: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n`;
  let received = '';
  let settle: { resolve(): void; reject(error: Error): void } | undefined;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
    if (received.length < headEnd + 4 + length) return;
    const answer = received;
    received = '';
    if (answer.startsWith('HTTP/1.1 200 ')) settle!.resolve();
    else settle!.reject(new Error(answer));
  });
  socket.on('close', () => settle?.reject(new Error('the server closed the connection')));
  return {
    ask: (head, body) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        const entity =
          body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
        socket.write(`${head}\r\n${common}${entity}\r\n${body}`);
      }),
    close: () => socket.destroy(),
  };
}

const pick = (some: readonly string[]) => some[Math.floor(Math.random() * some.length)]!;

async function runRate(order: RateOrder): Promise<LoadReport> {
  const { port, token, connections, durationMs, paths, bodies, withIdempotencyKey } = order;
  const clients = await Promise.all(Array.from({ length: connections }, () => openClient(port, token)));
  const startedAt = performance.now();
  let answers = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - startedAt < durationMs) {
        const key = withIdempotencyKey ? `\r\nidempotency-key: ${randomUUID()}` : '';
        await client.ask(`POST ${pick(paths)} HTTP/1.1${key}`, pick(bodies));
        answers += 1;
      }
    }),
  );
  const perSecond = (answers * 1000) / (performance.now() - startedAt);
  for (const client of clients) client.close();
  return { perSecond, milliseconds: [] };
}

async function runLatency({ port, token, paths, turns }: LatencyOrder): Promise<LoadReport> {
  const client = await openClient(port, token);
  const milliseconds: number[][] = paths.map(() => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [at, path] of paths.entries()) {
      const startedAt = performance.now();
      await client.ask(`GET ${path} HTTP/1.1`, '');
      milliseconds[at]!.push(performance.now() - startedAt);
    }
  }
  client.close();
  return { perSecond: 0, milliseconds };
}

process.on('message', async (order: RateOrder | LatencyOrder) => {
  process.send!(await (order.kind === 'rate' ? runRate(order) : runLatency(order)));
});
process.on('disconnect', () => process.exit());
process.send!('ready');
