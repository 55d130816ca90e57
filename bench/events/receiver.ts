// A process that receives webhooks and says when each event arrived first, by the machine's clock.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How an endpoint behaves, by the first part of its path. */
const answers = {
  well: (response: ServerResponse) => void response.writeHead(204).end(),
  fails: (response: ServerResponse) => void response.writeHead(500).end(),
  hangs: () => undefined,
  drips: (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': '1000' });
    const timer = setInterval(() => response.write('.'), 1_000);
    response.once('close', () => clearInterval(timer));
  },
};

let arrivals: [id: string, atMs: number][] = [];
const seen = new Set<string>();
const server = createServer((request, response) => {
  const at = performance.timeOrigin + performance.now();
  const kind = (request.url ?? '').split('/')[1] as keyof typeof answers;
  const id = `${request.url} ${request.headers['webhook-id']}`;
  if (!seen.has(id)) arrivals.push([id, at]);
  seen.add(id);
  request.resume();
  request.once('end', () => answers[kind](response));
});
server.listen(0, '127.0.0.1', () => process.send!('ready'));
process.on('message', (wanted) => {
  if (wanted === 'port') return process.send!((server.address() as AddressInfo).port);
  process.send!(arrivals);
  arrivals = [];
});
process.once('disconnect', () => {
  server.close();
  server.closeAllConnections();
});
