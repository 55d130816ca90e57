import { type Ctx, contextFor, type Deps, type KeyActor } from '#context';
import { Refusal, type RefusalFactory } from '#platform/errors/errors';
import { callerAddress, type FastifyRequest, noteForLog } from '#platform/http/http';
import { authenticateKey, type KeyVerdict } from './authenticate-key.ts';

/** A surface's own rows for the ways in which a key can be refused. */
export interface GuardRows {
  missing: RefusalFactory;
  invalid: RefusalFactory;
  address: RefusalFactory;
  /** Where the contract has a row for a failure of ours while validating; elsewhere the common exit answers. */
  failed?: RefusalFactory;
}

declare module 'fastify' {
  interface FastifyRequest {
    keyActor?: KeyActor;
  }
}

/** A hook for `onRequest`: before the body is read, so that nobody without a key can make us parse one. */
export function keyGuard(deps: Deps, rows: GuardRows) {
  return async (request: FastifyRequest): Promise<void> => {
    const verdict = await judge(deps, request, rows);
    if ('refused' in verdict) {
      deps.metrics.countRefusedKey(verdict.refused);
      if (verdict.refused === 'address') throw rows.address();
      throw verdict.refused === 'missing' ? rows.missing() : rows.invalid();
    }
    const { keyId, partnerId } = verdict.actor;
    noteForLog(request, { keyId, partnerId });
    request.keyActor = verdict.actor;
  };
}

async function judge(deps: Deps, request: FastifyRequest, rows: GuardRows): Promise<KeyVerdict> {
  const credentials = { authorization: request.headers.authorization, address: callerAddress(request) };
  try {
    return await authenticateKey({ db: deps.db, now: deps.clock() }, credentials);
  } catch (cause) {
    if (cause instanceof Refusal || !rows.failed) throw cause;
    throw rows.failed({ cause });
  }
}

/** The context of a request that passed `keyGuard`. */
export const keyContext = (deps: Deps, request: FastifyRequest): Ctx<KeyActor> =>
  contextFor(deps, keyActorOf(request), request.log as Ctx['log']);

export function keyActorOf({ keyActor, routeOptions }: FastifyRequest): KeyActor {
  if (!keyActor) throw new Error(`no key guard on ${routeOptions.url}`);
  return keyActor;
}
