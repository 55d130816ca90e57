import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, beforeEach } from 'node:test';

export interface Received {
  method: string;
  /** With the query. */
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** What happens to one request; the last step of a script also serves all later ones. */
export type Step = (response: ServerResponse, request: Received) => void;

export interface ScriptedServer {
  url: string;
  received: Received[];
  play(...steps: Step[]): void;
}

/** A server on loopback that does what a test says, request by request. Call it at the top of a file. */
export function useScriptedServer(): ScriptedServer {
  let script: Step[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const received = { method: method!, url: url!, headers, body: await text(request) };
    scripted.received.push(received);
    const step = script.length > 1 ? script.shift()! : script[0]!;
    step(response, received);
  });
  const scripted: ScriptedServer = {
    url: '',
    received: [],
    play(...steps) {
      script = steps;
    },
  };
  beforeEach(async () => {
    scripted.received.length = 0;
    if (server.listening) return;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    scripted.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return scripted;
}

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** The connection is reset before an answer. */
export const reset: Step = (response) => void response.socket!.resetAndDestroy();

/** The answer breaks off in the middle of its body. */
export const cutOff: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data":', () => response.destroy());
};

/** Never answered. */
export const hang: Step = () => undefined;
