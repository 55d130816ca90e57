import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '#context';
import { callerAddress, type FastifyReply, type FastifyRequest, type HttpServer } from '#platform/http/http';
import { uuidForm } from '#platform/http/schemas';
import { isRefresh } from '#platform/pages/refresh';
import type { RequestRow } from './queries.ts';
import { RequestBuffer } from './request-buffer.ts';

const buffers = new WeakMap<Deps['db'], RequestBuffer>();
const flushMs = 2_000;
/** Ids of keys and deliveries are shorter, and no secret is this short. */
const idLengthMax = 20;

/** Notes each request whose partner is known, after it is answered. */
export function noteRequests(server: HttpServer, deps: Deps): void {
  const buffer = new RequestBuffer(deps);
  buffers.set(deps.db, buffer);
  server.addHook('onResponse', (request, reply, done) => {
    const row = rowOf(deps, request as FastifyRequest, reply as FastifyReply);
    if (row) buffer.add(row);
    done();
  });
}

/** At a graceful stop, after the last answer. What is not stored in time is dropped. */
export async function flushRequests({ db }: Pick<Deps, 'db'>): Promise<void> {
  const stopped = new AbortController();
  const flushed = buffers.get(db)?.drain();
  await Promise.race([flushed, sleep(flushMs, undefined, { signal: stopped.signal }).catch(() => undefined)]);
  stopped.abort();
}

function rowOf({ clock }: Deps, request: FastifyRequest, reply: FastifyReply): RequestRow | undefined {
  const { id, method, owner, refusedWith, routeOptions, params } = request;
  if (owner?.partnerId === undefined) return undefined;
  const { partnerId, keyId, personId } = owner;
  // An open tab reads every few seconds, and nobody asked for it.
  if (personId !== undefined && method === 'GET' && isRefresh(request)) return undefined;
  const route = routeOptions.url ?? '';
  return {
    requestId: id,
    at: new Date(clock().getTime() - reply.elapsedTime),
    partnerId,
    keyId: keyId ?? null,
    personId: personId ?? null,
    method,
    route,
    path: pathOf(route, params as Record<string, string>),
    status: reply.statusCode,
    errorCode: refusedWith ?? null,
    durationMs: Math.round(reply.elapsedTime),
    callerAddress: callerAddress(request),
  };
}

/** The pattern with the ids of the request. What is no id may be anything, also a token by mistake. */
function pathOf(route: string, params: Readonly<Record<string, string>>): string {
  if (!route.includes(':')) return route;
  const parts = route.split('/').map((part) => {
    if (!part.startsWith(':')) return part;
    const value = params[part.slice(1)] ?? '';
    return isId(value) ? value : '…';
  });
  return parts.join('/');
}

const isId = (text: string) =>
  uuidForm.test(text.toLowerCase()) || (text.length <= idLengthMax && isPlain(text));

const isPlain = (text: string) =>
  [...text].every(
    (character) => (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z'),
  );
