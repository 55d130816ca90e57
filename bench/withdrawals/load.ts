// A separate process that calls the server over keep-alive connections, so that the load does not slow the
// server down.
import { randomUUID } from 'node:crypto';
import { type Client, openClient } from './client.ts';

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

export interface ReadsOrder {
  kind: 'reads';
  port: number;
  connections: number;
  durationMs: number;
  /** Each is got in its turn; the next order goes on where the last one ended. */
  requests: { path: string; token: string }[];
}

export interface LatencyOrder {
  kind: 'latency';
  port: number;
  token: string;
  /** Got one after another on one connection, in turns. */
  paths: string[];
  /** Those of the paths, where they differ. */
  tokens?: string[];
  turns: number;
}

export interface CallsOrder {
  kind: 'calls';
  port: number;
  connections: number;
  durationMs: number;
  /** Of every request. */
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Taken in turn; the next order goes on where the last one ended. */
  tokens: string[];
}

export type LoadOrder = RateOrder | ReadsOrder | LatencyOrder | CallsOrder;

export interface LoadReport {
  /** Requests a second; of a latency order 0. */
  perSecond: number;
  answers: number;
  /** Milliseconds that each turn of each path of a latency order took. */
  milliseconds: number[][];
}

const pick = (some: readonly string[]) => some[Math.floor(Math.random() * some.length)]!;

async function runRate(order: RateOrder): Promise<LoadReport> {
  const { token, paths, bodies, withIdempotencyKey } = order;
  return askFor(order, (client) => {
    const key = withIdempotencyKey ? `\r\nidempotency-key: ${randomUUID()}` : '';
    return client.ask(`POST ${pick(paths)} HTTP/1.1${key}`, token, pick(bodies));
  });
}

let readsAsked = 0;

async function runReads(order: ReadsOrder): Promise<LoadReport> {
  const { requests } = order;
  return askFor(order, (client) => {
    const { path, token } = requests[readsAsked++ % requests.length]!;
    return client.ask(`GET ${path} HTTP/1.1`, token);
  });
}

let callsMade = 0;

async function runCalls(order: CallsOrder): Promise<LoadReport> {
  const { path, headers, body, tokens } = order;
  const lines = Object.entries(headers).map(([name, value]) => `\r\n${name}: ${value}`);
  const head = `POST ${path} HTTP/1.1${lines.join('')}`;
  return askFor(order, (client) => client.ask(head, tokens[callsMade++ % tokens.length]!, body));
}

async function askFor(
  { port, connections, durationMs }: RateOrder | ReadsOrder | CallsOrder,
  askOnce: (client: Client) => Promise<void>,
): Promise<LoadReport> {
  const clients = await Promise.all(Array.from({ length: connections }, () => openClient(port)));
  const startedAt = performance.now();
  let answers = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - startedAt < durationMs) {
        await askOnce(client);
        answers += 1;
      }
    }),
  );
  const perSecond = (answers * 1000) / (performance.now() - startedAt);
  for (const client of clients) client.close();
  return { perSecond, answers, milliseconds: [] };
}

async function runLatency({ port, token, paths, tokens, turns }: LatencyOrder): Promise<LoadReport> {
  const client = await openClient(port);
  const milliseconds: number[][] = paths.map(() => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [at, path] of paths.entries()) {
      const startedAt = performance.now();
      await client.ask(`GET ${path} HTTP/1.1`, tokens?.[at] ?? token);
      milliseconds[at]!.push(performance.now() - startedAt);
    }
  }
  client.close();
  return { perSecond: 0, answers: paths.length * turns, milliseconds };
}

function run(order: LoadOrder): Promise<LoadReport> {
  switch (order.kind) {
    case 'rate':
      return runRate(order);
    case 'reads':
      return runReads(order);
    case 'calls':
      return runCalls(order);
    case 'latency':
      return runLatency(order);
  }
}

process.on('message', async (order: LoadOrder) => {
  process.send!(await run(order));
});
process.on('disconnect', () => process.exit());
process.send!('ready');
