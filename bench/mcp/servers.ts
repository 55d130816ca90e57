// A process with everything that is compared, one port each, whose CPU nobody else uses.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer as McpServerOf1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer as McpServerOf2 } from '@modelcontextprotocol/server';
import fastify from 'fastify';
import { Type } from 'typebox';
import { z } from 'zod';
import type { Ctx, Deps, KeyActor } from '#context';
import { defineTool } from '#platform/commands/tool';
import { createHttpServer, type HttpServer } from '#platform/http/http';
import { createMetrics } from '#platform/observe/metrics';
import { mcpRoutes } from '#surfaces/mcp';
import { buildApp } from '../../src/app.ts';
import { admitsAll, quietNetworks } from '../history/world.ts';
import { createBenchDeps } from '../withdrawals/world.ts';

export const candidates = [
  'echo',
  'endpoint',
  'tool',
  'toolWithKeys',
  'sdk1',
  'sdk2',
  'select',
  'product',
] as const;
export type Candidate = (typeof candidates)[number];

export interface ServersReport {
  ports: Record<Candidate, number>;
  /** Of this process so far, in microseconds. */
  cpu: number;
}

const echoTool = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Gives back a text.',
  scope: 'mcp',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: Type.Object({ text: Type.String({ maxLength: 200 }) }, { additionalProperties: false }),
  output: Type.Object({ text: Type.String() }, { additionalProperties: false }),
  run: async (_ctx: Ctx<KeyActor>, { text }) => ({ text }),
});

const serverInfo = { name: 'bench', title: 'Bench', version: '1' };

/** The endpoint alone: keys, allowance, ladder and dispatch, on a Fastify as bare as that of the echo. */
async function serveEndpoint(deps: Deps): Promise<number> {
  const server = fastify() as unknown as HttpServer;
  mcpRoutes(server, deps, { tools: [echoTool], prompts: [], resources: [] }, { serverInfo });
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
}

/** As a caller has it: our HTTP server with its limits, hooks, metrics and log, and the endpoint on it. */
async function serveTool(deps: Deps): Promise<number> {
  const metrics = createMetrics();
  const server = createHttpServer({ log: deps.log, metrics, trustedProxies: [] });
  mcpRoutes(server, { ...deps, metrics }, { tools: [echoTool], prompts: [], resources: [] }, { serverInfo });
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
}

/**
 * The row of the key is at hand, as if PostgreSQL cost nothing: the limit that it is compared with asks
 * nobody either.
 */
function withKeyAtHand(deps: Deps, keyId: string): Deps {
  let row: object[] | undefined;
  const query = async (text: string) => {
    row ??= await deps.db.query(text, [[keyId]]);
    if (row.length !== 1) throw new Error('the key is not there');
    return row;
  };
  return { ...deps, db: { ...deps.db, query } as Deps['db'] };
}

async function serveEcho(): Promise<number> {
  const echo = fastify();
  echo.post('/mcp', async (request) => request.body);
  await echo.listen({ host: '127.0.0.1', port: 0 });
  return (echo.server.address() as AddressInfo).port;
}

async function serveSelect({ db }: Deps): Promise<number> {
  const bare = fastify();
  bare.post('/mcp', async () => {
    const [row] = await db.query('select id, email, given_name from users where id = $1', [aUser]);
    return row;
  });
  await bare.listen({ host: '127.0.0.1', port: 0 });
  return (bare.server.address() as AddressInfo).port;
}

let aUser = '';

/**
 * Its documents' way for servers without sessions: a server and a transport for each request; JSON answers,
 * which cost it less.
 */
async function serveSdk1(): Promise<number> {
  const app = createMcpExpressApp();
  app.post('/mcp', async (request: IncomingMessage & { body: unknown }, response: ServerResponse) => {
    const server = new McpServerOf1({ name: 'bench', version: '1' });
    server.registerTool(
      'echo',
      { title: 'Echo', description: 'Gives back a text.', inputSchema: { text: z.string().max(200) } },
      async ({ text }) => ({ content: [{ type: 'text', text: JSON.stringify({ text }) }] }),
    );
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    response.on('close', () => {
      transport.close();
      server.close();
    });
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  return listen(createServer(app));
}

async function serveSdk2(): Promise<number> {
  const handler = createMcpHandler(() => {
    const server = new McpServerOf2({ name: 'bench', version: '1' });
    server.registerTool(
      'echo',
      {
        title: 'Echo',
        description: 'Gives back a text.',
        inputSchema: z.object({ text: z.string().max(200) }),
      },
      async ({ text }) => ({ content: [{ type: 'text', text: JSON.stringify({ text }) }] }),
    );
    return server;
  });
  return listen(createServer(toNodeHandler(handler)));
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

process.once('message', async (order: { databaseUrl: string; keyId: string; userId: string }) => {
  const deps: Deps = { ...createBenchDeps(order.databaseUrl, quietNetworks()), limiter: admitsAll };
  aUser = order.userId;
  const options = {
    operatorTokens: new Map(),
    databasePoolMax: 10,
    trustedProxies: [],
    withdrawalLimits: [],
    withdrawalRates: { partner: 1_000_000, user: 1_000_000 },
  };
  const product = await buildApp(deps, { ...options, balanceStaleAfterMs: 3_600_000, servesApi: true });
  await product.listen({ host: '127.0.0.1', port: 0 });
  const ports: ServersReport['ports'] = {
    echo: await serveEcho(),
    endpoint: await serveEndpoint(withKeyAtHand(deps, order.keyId)),
    tool: await serveTool(withKeyAtHand(deps, order.keyId)),
    toolWithKeys: await serveTool(deps),
    sdk1: await serveSdk1(),
    sdk2: await serveSdk2(),
    select: await serveSelect(deps),
    product: (product.server.address() as AddressInfo).port,
  };
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send!({ ports, cpu: user + system } satisfies ServersReport);
  });
  process.on('disconnect', () => process.exit());
  process.send!('ready');
});
