import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readBounded } from '#platform/values/read-bounded';
import type { Chain } from './chain.ts';
import { RpcError } from './engine.ts';
import { answerMethod } from './methods.ts';

export interface RpcServer {
  url: string;
  stop(): Promise<void>;
}

interface Call {
  id?: unknown;
  method?: unknown;
  params?: unknown;
}

const bodyMaxBytes = 10_000_000;

/** JSON-RPC over HTTP on this machine, single calls and batches. */
export async function serveChain(chainNow: () => Promise<Chain>): Promise<RpcServer> {
  const server = createServer(async (request, response) => {
    try {
      const answer = JSON.stringify(await answerBody(chainNow, request));
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    } catch {
      response.destroy();
    }
  });
  // Otherwise a busy client sometimes finds its connection closed while it writes.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answerBody(chainNow: () => Promise<Chain>, request: IncomingMessage): Promise<unknown> {
  const body = readJson(await readText(request));
  if (body === undefined) return answerError(null, new RpcError(-32700, 'parse error'));
  if (Array.isArray(body) && body.length === 0) return answerError(null, new RpcError(-32600, 'empty batch'));
  const chain = await chainNow();
  if (chain.silentUntil > Date.now()) throw new Error('the node is silent');
  const answer = (call: unknown) => chain.inTurn(() => answerCall(chain, call));
  return Array.isArray(body) ? Promise.all(body.map(answer)) : answer(body);
}

async function answerCall(chain: Chain, call: unknown): Promise<unknown> {
  const { id: given, method, params = [] } = (typeof call === 'object' && call ? call : {}) as Call;
  const id = typeof given === 'string' || typeof given === 'number' ? given : null;
  if (typeof method !== 'string') return answerError(id, new RpcError(-32600, 'invalid request'));
  if (!Array.isArray(params)) return answerError(id, new RpcError(-32602, 'non-array args'));
  try {
    return { jsonrpc: '2.0', id, result: await answerMethod(chain, method, params) };
  } catch (error) {
    return answerError(id, error instanceof RpcError ? error : new RpcError(-32603, String(error)));
  }
}

function answerError(id: unknown, { code, message, data }: RpcError): unknown {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}

async function readText(request: IncomingMessage): Promise<string> {
  const tooMuch = () => new Error('the body is too large');
  return (await readBounded(request, { bytesMax: bodyMaxBytes, tooMuch })).toString();
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
