import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Receiver {
  url: string;
  port: number;
  /** Withdrawals of which a final state was received, by their id. */
  final: Map<string, string>;
  stop(): void;
}

/** A partner's endpoint that accepts everything. */
export async function startReceiver(): Promise<Receiver> {
  const final = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const event = (await json(request)) as { type: string; data: { object: { id: string } } };
    if (event.type === 'withdrawal.completed' || event.type === 'withdrawal.failed')
      final.set(event.data.object.id, event.type);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    final,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
