// A separate process with callers on keep-alive connections, spread evenly over the ports of the servers.
import { randomBytes, randomUUID } from 'node:crypto';
import { type Client, openClient } from '../withdrawals/client.ts';

/** `$id` in head and body becomes a new UUID, `$hash` a new transaction hash. */
export interface Call {
  head: string;
  token: string;
  body?: string;
}

export interface CallersOrder {
  ports: number[];
  callers: number;
  durationMs: number;
  /** Made in turn; without them, those of the order before go on where it ended. */
  calls?: Call[];
}

export interface CallersReport {
  operations: number;
  seconds: number;
}

let calls: Call[] = [];
let made = 0;

const fresh = (text: string) =>
  text.includes('$')
    ? text
        .replaceAll('$id', () => randomUUID())
        .replaceAll('$hash', () => `0x${randomBytes(32).toString('hex')}`)
    : text;

function callNext(client: Client): Promise<void> {
  const { head, token, body = '' } = calls[made++ % calls.length]!;
  return client.ask(fresh(head), token, fresh(body));
}

async function run({ ports, callers, durationMs }: CallersOrder): Promise<CallersReport> {
  const open = Array.from({ length: callers }, (_, at) => openClient(ports[at % ports.length]!));
  const clients = await Promise.all(open);
  const startedAt = performance.now();
  let operations = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - startedAt < durationMs) {
        await callNext(client);
        operations += 1;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const client of clients) client.close();
  return { operations, seconds };
}

process.on('message', async (order: CallersOrder) => {
  if (order.calls) [calls, made] = [order.calls, 0];
  process.send!(await run(order));
});
process.on('disconnect', () => process.exit());
process.send!('ready');
