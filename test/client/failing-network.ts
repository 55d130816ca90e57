import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** What goes wrong with a request. The client gives up on a hanging one before a late one arrives. */
export const faults = [
  'refused',
  'request lost',
  'answer lost',
  'answer cut off',
  '503 without the server',
  '503 after the server answered',
  'hangs',
  'hangs after the server answered',
  'arrives late',
] as const;
export type Fault = (typeof faults)[number];

export interface FailingNetwork {
  url: string;
  /** How often each fault happened, and how many requests there were. */
  counts: Map<Fault, number>;
  requests: number;
  /** Requests that reached the server. */
  forwarded: number;
  stop(): Promise<void>;
}

const lateAfterMs = 1_500;
const refuseForMs = 40;

/**
 * A proxy on loopback that fails a share of all requests, by a fault chosen at random. It closes connections
 * without a reset: after thousands of resets, a process of Node 24 once spun in its cleanup and never ended.
 */
export async function startFailingNetwork(target: string, failingShare: number): Promise<FailingNetwork> {
  const server = createServer((request, response) => void serve(request, response).catch(() => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let isStopped = false;
  const network: FailingNetwork = {
    url: `http://127.0.0.1:${port}`,
    counts: new Map(faults.map((fault) => [fault, 0])),
    requests: 0,
    forwarded: 0,
    async stop() {
      isStopped = true;
      server.closeAllConnections();
      if (server.listening) server.close();
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    network.requests++;
    const fault =
      Math.random() < failingShare ? faults[Math.floor(Math.random() * faults.length)]! : undefined;
    if (fault) network.counts.set(fault, network.counts.get(fault)! + 1);
    if (fault === 'refused') return refuse(response);
    if (fault === 'request lost') return void response.destroy();
    if (fault === '503 without the server') return send(response, 503, 'Bad gateway');
    if (fault === 'hangs') return;
    if (fault === 'arrives late') await sleep(lateAfterMs);
    if (isStopped) return;
    network.forwarded++;
    const answer = await forward(request, body);
    const text = await answer.text();
    if (fault === 'hangs after the server answered' || fault === 'arrives late') return;
    if (fault === 'answer lost') return void response.destroy();
    if (fault === 'answer cut off') return cutOff(response, text);
    if (fault === '503 after the server answered') return send(response, 503, 'Bad gateway');
    send(response, answer.status, text);
  }

  const forward = ({ method, url, headers }: IncomingMessage, body: Buffer) => {
    const { host: _host, connection: _connection, ...others } = headers;
    return fetch(target + url, {
      method,
      headers: others as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
  };

  /** Nobody listens for a moment, so that new connections are refused. */
  function refuse(response: ServerResponse): void {
    response.destroy();
    if (!server.listening) return;
    server.close();
    setTimeout(() => {
      if (!isStopped) server.listen(port, '127.0.0.1');
    }, refuseForMs);
  }

  return network;
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': status === 503 ? 'text/plain' : 'application/json' });
  response.end(text);
}

function cutOff(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}
