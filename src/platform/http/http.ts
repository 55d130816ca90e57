import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { TSchema } from 'typebox';
import { commonErrors, type Refusal } from '../errors/errors.ts';
import { LazyChildLog, type Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Traces } from '../observe/traces/traces.ts';
import { blockCheck, withoutPort } from '../values/address.ts';
import { ambiguityIn } from './ambiguity.ts';
import { encodingFault } from './body-encoding.ts';
import { KnownRoutes } from './known-routes.ts';
import { lazySchemas } from './lazy-schemas.ts';
import { limits } from './limits.ts';
import { refuseSocket } from './refuse-socket.ts';
import { commonHeaders, errorSchema, sendError } from './send-error.ts';
import { SilentSockets } from './silent-sockets.ts';
import { JsonFault, parseStrictJson } from './strict-json.ts';
import { parseStrictQuery, readQuery } from './strict-query.ts';
import { traceRequests } from './trace-requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** For a request without a route: 405 if the path has other methods, else 404. */
    refuseUnknown(request: FastifyRequest): Refusal;
    /**
     * Answers what the router itself refuses below a prefix, such as an address that is not valid UTF-8, with
     * a page. Error handlers of routes do not see it.
     */
    sendFaultsUnder(prefix: string, send: SendFault): void;
  }
}

type SendFault = (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown;

export type HttpServer = ReturnType<typeof createHttpServer>;

export interface HttpOptions {
  log: Log;
  metrics: Metrics;
  /** Only these peers' `X-Forwarded-For` is trusted; any other peer could write anything there. */
  trustedProxies: readonly string[];
  /** Browsers then reach it by https alone. */
  isPublicHttps?: boolean;
  traces?: Traces | undefined;
}

/** A Fastify server with our limits, our parsers and our error bodies; it has no routes yet. */
export function createHttpServer(options: HttpOptions) {
  const { log, metrics, trustedProxies, isPublicHttps = false, traces } = options;
  const isTrusted = blockCheck(trustedProxies);
  const silent = new SilentSockets(limits.silentTimeoutMs);
  const secureHeaders: Record<string, string> = isPublicHttps
    ? { 'strict-transport-security': 'max-age=31536000' }
    : {};
  const faultsUnder = new Map<string, SendFault>();
  const senderOf = ({ url }: { url: string }) =>
    [...faultsUnder].find(([prefix]) => url.startsWith(`${prefix}/`))?.[1] ?? sendError;
  const server = Fastify({
    loggerInstance: log,
    // We log one line at the end of each request, without its URL.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (_log, bindings) => new LazyChildLog(log, bindings) as unknown as Log,
    genReqId: () => randomUUID(),
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.connectionTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkingIntervalMs,
      maxHeaderSize: limits.headerBytesMax,
      requireHostHeader: false, // refused below, with our body
    },
    trustProxy: trustedProxies.length > 0 && ((address) => isTrusted(withoutPort(address))),
    forceCloseConnections: 'idle',
    return503OnClosing: false, // refused below, with our body
    routerOptions: { maxParamLength: limits.paramLengthMax, querystringParser: parseStrictQuery },
    ajv: {
      // Nothing is coerced or dropped: a value that does not match the schema is refused, with its field.
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, allErrors: true },
    },
    schemaController: lazySchemas,
    frameworkErrors: (error, request, reply) =>
      senderOf(request)(error, request, reply.headers({ ...commonHeaders(request.id), ...secureHeaders })),
    clientErrorHandler: (error, socket) => refuseSocket({ log, silent, secureHeaders }, error, socket),
  }).withTypeProvider<TypeBoxTypeProvider>();

  // Without this, Node answers an unknown expectation with an empty body.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );

  server.server.on('request', ({ socket }) => silent.forget(socket));

  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    jsonParser(commonErrors.invalidRequest),
  );

  // Every route documents the one error body, and errors are serialised by the schema that documents it.
  server.addHook('onRoute', (route) => {
    if (route.schema) {
      route.schema.response = { '4xx': errorSchema, '5xx': errorSchema, ...(route.schema.response ?? {}) };
    }
  });
  refuseUnknownRequests(server);
  server.setErrorHandler(sendError);
  server.decorate('sendFaultsUnder', (prefix: string, send: SendFault) => void faultsUnder.set(prefix, send));
  if (traces) traceRequests(server, traces);
  addRequestHooks(server, { secureHeaders, silent });
  logRequests(server, { log, metrics });
  return server;
}

/** 405 where another method has a route, else 404. */
function refuseUnknownRequests(server: HttpServer): void {
  const routes = new KnownRoutes();
  server.addHook('onRoute', ({ url, method }) => routes.add(url, method));
  server.decorate('refuseUnknown', ({ url }: FastifyRequest) => {
    const allow = routes.methodsOf(url).join(', ');
    return allow ? commonErrors.methodNotAllowed({ headers: { allow } }) : commonErrors.notFound();
  });
  server.setNotFoundHandler((request, reply) => sendError(server.refuseUnknown(request), request, reply));
}

interface Connections {
  secureHeaders: Record<string, string>;
  silent: SilentSockets;
}

/**
 * Every request passes these hooks, so they are callbacks: with async functions, a request that does nothing
 * else takes 1.08 times the CPU (`npm run bench -- shortcuts code`).
 */
function addRequestHooks(server: HttpServer, { secureHeaders, silent }: Connections): void {
  let isStopping = false;
  server.addHook('preClose', async () => {
    isStopping = true;
    silent.close();
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id));
    reply.headers(secureHeaders);
    if (isStopping) return done(commonErrors.unavailable({ message: 'Stopping' }));
    done(ambiguityIn(request) ?? encodingFault(request));
  });
  server.addHook('preValidation', (request, _reply, done) => {
    const schema = request.routeOptions.schema?.querystring as TSchema | undefined;
    if (!schema) return done();
    try {
      request.query = readQuery(schema, request.query as Record<string, unknown>);
    } catch (error) {
      return done(error as Error);
    }
    done();
  });
  server.addHook('preHandler', (request, _reply, done) => {
    setSocketTimeout(request, 0);
    done();
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    setSocketTimeout(request, limits.connectionTimeoutMs);
    // A kept-alive connection would delay the stop.
    if (isStopping) reply.header('connection', 'close');
    done();
  });
}

function logRequests(server: HttpServer, { log, metrics }: Pick<HttpOptions, 'log' | 'metrics'>): void {
  // These lines have known fields only, so they are not redacted.
  const lines = log.child({}, { redact: [] });
  server.addHook('onResponse', (request, reply, done) => {
    // The route's pattern, never the URL: a path or query may contain secrets or personal data.
    const route = request.routeOptions.url ?? 'unmatched';
    const { method, log: child } = request;
    const { statusCode: status, elapsedTime } = reply;
    metrics.observeRequest({ method, route, status }, elapsedTime / 1000);
    const about = child instanceof LazyChildLog ? child.bindings : {};
    lines.info({ ...about, method, route, status, ms: Math.round(elapsedTime) }, 'request');
    done();
  });
}

/** Adds fields to later log lines of a request. Only ids and our own words: the last line is not redacted. */
export function noteForLog(request: FastifyRequest, fields: Record<string, string>): void {
  if (request.log instanceof LazyChildLog) request.log.bind(fields);
}

/** Reads a body as strict JSON; `refuse` turns a fault into the surface's error. */
export function jsonParser(refuse: (fault: { message: string }) => Error) {
  return async (_request: unknown, body: Buffer): Promise<unknown> => {
    try {
      return parseStrictJson(body);
    } catch (error) {
      throw error instanceof JsonFault ? refuse({ message: error.message }) : error;
    }
  };
}

/** A request by `inject` has no socket. */
export function setSocketTimeout(request: FastifyRequest, timeoutMs: number): void {
  if (request.raw.socket instanceof Socket) request.raw.socket.setTimeout(timeoutMs);
}

/** The peer's address, or the right hop of `X-Forwarded-For` behind a trusted proxy. */
export function callerAddress(request: FastifyRequest): string {
  return withoutPort(request.ip);
}

export type { FastifyReply, FastifyRequest };
