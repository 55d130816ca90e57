import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchemaValidationError,
  LogController,
} from 'fastify';
import { type TSchema, Type } from 'typebox';
import { commonErrors, DatabaseUnavailable, type Detail, Refusal } from '../errors/errors.ts';
import { LazyChildLog, type Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { lazySchemas } from './lazy-schemas.ts';
import { JsonFault, parseStrictJson } from './strict-json.ts';
import { parseStrictQuery, queryFault, readQuery } from './strict-query.ts';

export type HttpServer = ReturnType<typeof createHttpServer>;

export interface HttpOptions {
  log: Log;
  metrics: Metrics;
  /** Only these peers' `X-Forwarded-For` is believed; from anyone else it is what the caller chose to write. */
  trustedProxies: readonly string[];
}

/** Every bound on what a caller may send, and why it is that much. */
export const limits = {
  /** The largest partner body is under 2 KB; commands that take many records raise it for themselves. */
  bodyBytesMax: 16 * 1024,
  /** A token, a few proxies' headers and cookies fit four times over. */
  headerBytesMax: 8 * 1024,
  /** Headers that trickle in hold a socket: an honest client sends them in one packet. */
  headersTimeoutMs: 3_000,
  /** The whole request, body included; Node's default of none at all lets a slow body stay for ever. */
  requestTimeoutMs: 5_000,
  /** Node looks for the two above this often, so a slow request is cut within one of these after its time. */
  checkingIntervalMs: 1_000,
  /** A socket on which nothing moves while a request or its answer is on the way; not while we work on the answer. */
  connectionTimeoutMs: 10_000,
  /** Time to read why the connection is closed: a close at once could reset the answer away. */
  lingerMs: 250,
  /** Above the 60 s of common load balancers, so that the balancer, not we, closes an idle connection. */
  keepAliveTimeoutMs: 65_000,
  /** A UUID has 36 characters; nothing in a path of ours is longer than a transaction hash. */
  paramLengthMax: 128,
};

/** A Fastify server with our limits, our parsers and our error bodies; it has no routes yet. */
export function createHttpServer({ log, metrics, trustedProxies }: HttpOptions) {
  const server = Fastify({
    loggerInstance: log,
    // Our own line, at the end of a request, has no address in it.
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
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // refused below, with our body
    routerOptions: { maxParamLength: limits.paramLengthMax, querystringParser: parseStrictQuery },
    ajv: {
      // Nothing is coerced, dropped or guessed: what does not fit the schema is refused and named.
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, allErrors: true },
    },
    schemaController: lazySchemas,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
    clientErrorHandler: (error, socket) => refuseSocket(log, error, socket),
  }).withTypeProvider<TypeBoxTypeProvider>();

  // Node would answer an expectation that it does not know by itself, with an empty body.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );

  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    jsonParser(commonErrors.invalidRequest),
  );

  // Every route documents the one error body, and errors are serialised by the schema that documents it.
  server.addHook('onRoute', (route) => {
    if (route.schema && !route.schema.hide) {
      route.schema.response = { '4xx': errorSchema, '5xx': errorSchema, ...(route.schema.response ?? {}) };
    }
  });
  let isStopping = false;
  server.addHook('preClose', async () => {
    isStopping = true;
  });
  // Every request passes these, so they are plain callbacks: a promise for each took a tenth of a request.
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id));
    done(isStopping ? commonErrors.unavailable({ message: 'Stopping' }) : ambiguityIn(request));
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
    // A connection kept alive after its last answer would hold the stop up.
    if (isStopping) reply.header('connection', 'close');
    done();
  });
  // Its lines are made of known fields, so they need not be searched for what must not be in them.
  const lines = log.child({}, { redact: [] });
  server.addHook('onResponse', (request, reply, done) => {
    // The pattern, never the address: a path or query may carry what no log should.
    const route = request.routeOptions.url ?? 'unmatched';
    const { method, log: child } = request;
    const { statusCode: status, elapsedTime } = reply;
    metrics.observeRequest({ method, route, status }, elapsedTime / 1000);
    const about = child instanceof LazyChildLog ? child.bindings : {};
    lines.info({ ...about, method, route, status, ms: Math.round(elapsedTime) }, 'request');
    done();
  });

  server.setErrorHandler(sendError);
  server.setNotFoundHandler((request, reply) => sendError(commonErrors.notFound(), request, reply));
  return server;
}

/** Adds to every line about the request from now on. The last one is not searched for secrets: only ids and our own words. */
export function noteForLog(request: FastifyRequest, fields: Record<string, string>): void {
  if (request.log instanceof LazyChildLog) request.log.bind(fields);
}

/** Reads a body as strict JSON; what is wrong with it is refused in the surface's own way. */
export function jsonParser(refuse: (fault: { message: string }) => Error) {
  return async (_request: unknown, body: Buffer): Promise<unknown> => {
    try {
      return parseStrictJson(body);
    } catch (error) {
      throw error instanceof JsonFault ? refuse({ message: error.message }) : error;
    }
  };
}

/** A request that came by `inject` has no socket of its own. */
export function setSocketTimeout(request: FastifyRequest, timeoutMs: number): void {
  if (request.raw.socket instanceof Socket) request.raw.socket.setTimeout(timeoutMs);
}

const singleHeaders = new Set(['host', 'authorization', 'x-api-key']);

/** Two readers of one request, a proxy and we, must not see two different requests. */
function ambiguityIn(request: FastifyRequest): Refusal | undefined {
  const { rawHeaders } = request.raw;
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.includes(name))
      return commonErrors.invalidRequest({ message: `Header ${name} is given more than once` });
    seen.push(name);
  }
  if (!seen.includes('host')) return commonErrors.invalidRequest({ message: 'Header host is missing' });
  const { expect } = request.headers;
  if (expect !== undefined && !/^(100-continue)?$/i.test(expect)) {
    return commonErrors.invalidRequest({ message: 'Header expect must be 100-continue' });
  }
  const fault = queryFault(request.query);
  return fault === undefined ? undefined : commonErrors.invalidRequest({ message: fault });
}

/** The one exit of every surface that answers `{ error }`. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = asRefusal(error);
  if (refusal.status >= 500) request.log.error({ err: error, code: refusal.code }, 'request failed');
  // Not every error has passed the hooks: the router refuses some addresses before them.
  reply.headers({ ...commonHeaders(request.id), ...refusal.headers });
  return reply.status(refusal.status).send(errorBody(refusal, request.id));
}

const commonHeaders = (requestId: string) => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
});

/** The one error body; a route whose errors carry more adds it in a schema of their status. */
export const errorSchema = Type.Object({
  error: Type.String(),
  code: Type.String({ description: 'Stable, for programs' }),
  requestId: Type.String({ description: 'Also in the log and in the header x-request-id' }),
  details: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
});

export function errorBody(refusal: Refusal, requestId: string) {
  const { message, fields, code, details } = refusal;
  return { error: message, ...fields, code, requestId, ...(details && { details }) };
}

/** Any error as something that may be shown. What is not meant for callers becomes `Internal error`. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof DatabaseUnavailable) {
    return commonErrors.unavailable({ cause: error, headers: { 'retry-after': '2' } });
  }
  const { validation, validationContext, statusCode = 500, code } = error as Partial<FastifyError>;
  if (validation) return validationRefusal(validation, validationContext);
  switch (statusCode) {
    case 413:
      return commonErrors.bodyTooLarge();
    case 415:
      return commonErrors.unsupportedMediaType();
    case 404:
      return commonErrors.notFound();
    case 503:
      return commonErrors.unavailable({ headers: { 'retry-after': '2' } });
  }
  if (statusCode < 500) {
    return commonErrors.invalidRequest({ message: frameworkMessages[code ?? ''] ?? 'Invalid request' });
  }
  return commonErrors.internalError({ cause: error });
}

const frameworkMessages: Record<string, string> = {
  FST_ERR_BAD_URL: 'Path is not valid UTF-8',
  FST_ERR_MAX_PARAM_LENGTH: 'Path is too long',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Body does not have the length that Content-Length says',
};

const detailsMax = 20;

function validationRefusal(faults: FastifySchemaValidationError[], where = 'body'): Refusal {
  const details = faults.slice(0, detailsMax).map((fault) => describeFault(fault, where));
  const [first] = details;
  return commonErrors.invalidRequest({
    message: first ? `${first.field} ${first.message}` : undefined,
    details,
  });
}

function describeFault(
  { instancePath, keyword, params, message }: FastifySchemaValidationError,
  where: string,
): Detail {
  const path = instancePath.split('/').slice(1);
  if (keyword === 'required') path.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') path.push(String(params.additionalProperty));
  const field = path.length > 0 ? path.join('.').slice(0, 100) : where;
  return { field, message: describeKeyword(keyword, params) ?? message ?? 'is not valid' };
}

function describeKeyword(keyword: string, params: Record<string, unknown>): string | undefined {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is not known here';
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
  if (keyword === 'const') return `must be ${String(params.allowedValue)}`;
  return undefined;
}

/** What Node's parser refuses before there is a request: answered with our body, then closed. */
function refuseSocket(log: Log, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? commonErrors.headersTooLarge()
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? commonErrors.requestTimeout()
        : commonErrors.invalidRequest({ message: 'Request is not valid HTTP' });
  const requestId = randomUUID();
  log.info(
    { reqId: requestId, status: refusal.status, code: error.code },
    'request refused before it was read',
  );
  const body = JSON.stringify(errorBody(refusal, requestId));
  const headers = {
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Our end alone would let a caller that goes on sending keep the socket for ever.
  setTimeout(() => socket.destroy(), limits.lingerMs).unref();
}

/** The peer's address, or the right hop of `X-Forwarded-For` behind a trusted proxy. */
export function callerAddress(request: FastifyRequest): string {
  return request.ip;
}

export type { FastifyReply, FastifyRequest };
