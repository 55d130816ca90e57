import type { Metrics } from '../observe/metrics.ts';
import { type FastifyRequest, noteForLog } from './http.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller?: { kind: string };
    /** Whose request it is. Known also of a request that is refused, if its key or session is. */
    owner?: RequestOwner;
    /** The code of the error that was answered. */
    refusedWith?: string;
  }
}

/** Ids by their names, such as that of the key. */
export type RequestOwner = Readonly<Record<string, string>>;

/** A hook for `onRequest`: before the body is read, so that only known callers can make us parse one. */
export function callerGuard<Caller extends { kind: string }, Reason extends string>(
  { metrics }: { metrics: Metrics },
  guard: {
    authenticate(request: FastifyRequest): Promise<{ refused: Reason } | { actor: Caller }>;
    refuse(reason: Reason): Error;
    logged(caller: Caller): Record<string, string>;
  },
) {
  return async (request: FastifyRequest): Promise<void> => {
    const verdict = await guard.authenticate(request);
    if ('refused' in verdict) {
      metrics.countRefusedKey(verdict.refused);
      throw guard.refuse(verdict.refused);
    }
    noteForLog(request, guard.logged(verdict.actor));
    request.caller = verdict.actor;
  };
}

/** The caller of a request that passed a guard for this kind. */
export function callerOf<Caller extends { kind: string }>(
  { caller, routeOptions }: FastifyRequest,
  kind: Caller['kind'],
): Caller {
  if (caller?.kind !== kind) throw new Error(`no ${kind} guard on ${routeOptions.url}`);
  return caller as Caller;
}
