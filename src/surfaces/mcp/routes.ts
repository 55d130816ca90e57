import { type Deps, type KeyActor, readAfresh, readingContext, readingDatabase } from '#context';
import { authenticateKey } from '#features/keys';
import { DatabaseUnavailable, Refusal } from '#platform/errors/errors';
import { asRefusal } from '#platform/http/as-refusal';
import {
  callerAddress,
  type FastifyReply,
  type FastifyRequest,
  type HttpServer,
  jsonParser,
  noteForLog,
} from '#platform/http/http';
import { type RatePolicy, spendAllowance } from '#platform/rate-limit/index';
import { createDispatch, type Offer, type ServerInfo } from './dispatch.ts';
import { mcpErrors, RpcError } from './errors.ts';
import { idOf, type RequestId, readMessage } from './message.ts';
import { type AllowedPlaces, createPlaceChecks } from './origins.ts';
import { mcpReference, mcpRequest } from './reference.ts';
import { readDialect } from './revisions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** A caller at a wrong address is refused after the body is read, in the order of `errors.ts`. */
    mcpCaller?: { actor: KeyActor; isAddressAllowed: boolean };
    /** Answered after the body is read, under the id in it. */
    mcpOutage?: DatabaseUnavailable;
  }
}

const mcpPolicy: RatePolicy = { name: 'mcp', quota: 60, windowMs: 10_000 };

/**
 * `POST /mcp`: JSON-RPC for the contract's plain caller and for MCP clients of every revision, stateless, one
 * message and one JSON answer a request. The steps are those of the table in `errors.ts`, in its order.
 */
export function mcpRoutes(
  server: HttpServer,
  deps: Deps,
  offer: Offer,
  options: AllowedPlaces & { serverInfo: ServerInfo },
): void {
  const dispatch = createDispatch(offer, options.serverInfo, deps.metrics.countToolCall);
  const admit = admitter(deps, options);

  // Returns text, not the reply: for a returned reply, Fastify adds listeners until its last byte is sent.
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const { body, headers } = request;
    if (body === undefined) throw mcpErrors.notJson({ message: 'Body is missing' });
    if (Array.isArray(body)) throw mcpErrors.batch();
    if (request.mcpOutage) throw request.mcpOutage;
    const { actor, isAddressAllowed } = request.mcpCaller!;
    if (!isAddressAllowed) throw mcpErrors.addressNotAllowed();
    if (!actor.scopes.includes('mcp')) throw mcpErrors.mcpScopeMissing();
    const terms = { policy: mcpPolicy, subject: actor.userId, exceeded: refuseMore };
    reply.headers(await spendAllowance(deps.limiter, terms));
    if (Object.keys(request.query as object).length > 0) {
      throw mcpErrors.invalidRequest({ message: 'This endpoint has no query parameters' });
    }
    const message = readMessage(body);
    if (message.id === undefined) {
      reply.status(202);
      return '';
    }
    const dialect = readDialect(message, headers);
    // Writes of tools go to the primary server. The body may have come long after the headers.
    readAfresh(request);
    const ctx = readingContext(deps, actor, request);
    const tool = dispatch.toolOf(message);
    if (tool !== undefined) noteForLog(request, { tool });
    const result = await dispatch.run(ctx, message, dialect);
    reply.header('content-type', jsonType);
    return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`;
  };

  server.register(async (scope) => {
    scope.removeContentTypeParser('application/json');
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, jsonParser(mcpErrors.notJson));
    scope.setErrorHandler(sendRpcError);
    scope.route({
      method: ['POST'],
      url: '/mcp',
      onRequest: admit,
      handler: answer,
      // JSON-RPC errors refuse invalid bodies; the schema is for the reference only.
      validatorCompiler: () => () => true,
      config: { reference: mcpReference(offer.tools) },
      schema: { body: mcpRequest(offer.tools) },
    });
    scope.route({
      method: scope.supportedMethods.filter((method) => method !== 'POST'),
      url: '/mcp',
      onRequest: admit,
      handler: answer,
    });
  });
}

/** Finds the caller. Some refusals wait until the body is read, because they are answered under its id. */
function admitter(deps: Deps, places: AllowedPlaces) {
  const { isAllowedOrigin, isAllowedHost } = createPlaceChecks(places);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header('cache-control', 'no-store');
    const { origin, host = '', authorization } = request.headers;
    if (request.method !== 'POST') throw mcpErrors.methodNotAllowed({ headers: { allow: 'POST' } });
    if (origin !== undefined && !isAllowedOrigin(origin)) throw mcpErrors.originNotAllowed();
    if (!isAllowedHost(host)) throw mcpErrors.hostNotAllowed();
    const credentials = { authorization, address: callerAddress(request) };
    const ctx = { db: deps.db, now: deps.clock(), readingDb: readingDatabase(deps, request) };
    const verdict = await authenticateKey(ctx, credentials).catch((error) => {
      if (error instanceof DatabaseUnavailable) return error;
      throw error;
    });
    if (verdict instanceof DatabaseUnavailable) {
      request.mcpOutage = verdict;
      return;
    }
    if (verdict.owner) request.owner = verdict.owner;
    if ('refused' in verdict) {
      deps.metrics.countRefusedKey(verdict.refused);
      if (verdict.refused !== 'address') {
        throw mcpErrors.unauthorized({ headers: { 'www-authenticate': 'Bearer realm="mcp"' } });
      }
    }
    const { actor } = verdict;
    noteForLog(request, { keyId: actor.keyId, partnerId: actor.partnerId });
    request.mcpCaller = { actor, isAddressAllowed: !('refused' in verdict) };
  };
}

function sendRpcError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = asRpcError(error, request);
  const isOurs = refusal.code === -32603;
  if (isOurs) request.log.error({ err: error }, 'request failed');
  const data = isOurs ? { requestId: request.id, ...refusal.data } : refusal.data;
  const { code, message } = refusal;
  request.refusedWith = String(code);
  reply.headers(refusal.headers ?? {});
  const body = {
    jsonrpc: '2.0',
    id: answeredId(refusal, request.body),
    error: { code, message, data },
  };
  reply.status(refusal.status).header('content-type', jsonType).send(JSON.stringify(body));
}

/** Many clients ignore headers, so the wait is in the body, too. */
const refuseMore = ({ headers }: { headers: Record<string, string> }) =>
  mcpErrors.rateLimitExceeded({ headers, data: { retryAfterSeconds: Number(headers['retry-after']) } });

const jsonType = 'application/json; charset=utf-8';

/** The id of a refusal: null without a valid key, or if the body is not JSON. */
function answeredId({ code, status }: RpcError, body: unknown): RequestId | null {
  return status === 401 || code === -32700 ? null : idOf(body);
}

/** Any error as a row of `mcpErrors`. */
function asRpcError(error: unknown, { headers: { accept }, body }: FastifyRequest): RpcError {
  if (error instanceof RpcError) return error;
  const refusal = asRefusal(error);
  const { message, headers } = refusal;
  switch (refusal.status) {
    case 413:
      return mcpErrors.bodyTooLarge();
    case 415:
      return mcpErrors.unsupportedMediaType({ message });
  }
  if (refusal.status < 500) return mcpErrors.invalidRequest({ message, headers });
  if (error instanceof DatabaseUnavailable) {
    const data = { retryAfterSeconds: Number(headers!['retry-after']) };
    // Every MCP client accepts streams. It treats a status other than 200 as a broken connection, not as an
    // answer.
    // A notification has no answer to read: for it, the status alone says that it was not taken.
    const isClient = accept?.includes('text/event-stream') && idOf(body) !== null;
    return mcpErrors[isClient ? 'unavailableForClients' : 'unavailable']({ headers, data, cause: error });
  }
  // A stopping server answers 503; any other failure is a JSON-RPC error.
  return error instanceof Refusal && refusal.status === 503
    ? mcpErrors.unavailable({ headers, cause: error })
    : mcpErrors.internalError({ cause: error });
}
