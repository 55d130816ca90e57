import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '#config/config';
import type { Deps, OperatorActor } from '#context';
import { findPersonSession, operatorRoleOf, personCookie, relyingPartyOf } from '#features/people';
import { mayRun, refuseRole } from '#operator-roles';
import type { Command } from '#platform/commands/command';
import type { FastifyRequest } from '#platform/http/http';
import { isCsrfTokenOf } from '#platform/pages/csrf';
import { mayBeOwnForm } from '#platform/pages/own-request';
import { isRefresh } from '#platform/pages/refresh';
import { operatorErrors } from './errors.ts';

export const operators = new WeakMap<FastifyRequest, OperatorActor>();

type Guarded = Pick<Command, 'name' | 'roles' | 'stepUp'>;

/**
 * Who calls, and whether their role and the freshness of their session allow the command. It runs before the
 * body is read.
 */
export function operatorGuard(deps: Deps, tokens: Config['operatorTokens']) {
  const findToken = tokenFinder(tokens);
  return (command: Guarded) =>
    async (request: FastifyRequest): Promise<void> => {
      const { authorization } = request.headers;
      const caller = authorization === undefined ? await findPerson(deps, request) : findToken(authorization);
      if (!caller) throw operatorErrors.unauthorized();
      const { actor, isFresh } = caller;
      if (!mayRun(actor.role, command)) throw refuseRole(actor.role, command.name);
      if (command.stepUp && !isFresh) throw operatorErrors.stepUpRequired();
      operators.set(request, actor);
    };
}

interface Caller {
  actor: OperatorActor;
  /** Machines have no passkey, so a token always is. */
  isFresh: boolean;
}

function tokenFinder(tokens: Config['operatorTokens']) {
  const hashes = [...tokens].map(([name, { token, role = 'admin' }]) => ({
    name,
    role,
    hash: sha256(token),
  }));
  return (authorization: string): Caller | undefined => {
    const presented = sha256(/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '');
    // Compare every token, so that the response time reveals nothing about them.
    const [match] = hashes.filter(({ hash }) => timingSafeEqual(hash, presented));
    return match && { actor: { kind: 'operator', name: match.name, role: match.role }, isFresh: true };
  };
}

/** A signed-in person, if a page of the session sent the request. No name of a token has a colon. */
async function findPerson(deps: Deps, request: FastifyRequest): Promise<Caller | undefined> {
  const secret = personCookie.read(deps.publicUrl, request.headers.cookie);
  const at = { db: deps.db, now: deps.clock() };
  const session = await findPersonSession(at, secret, { isRefresh: isRefresh(request) });
  if (!session) return undefined;
  const { 'x-csrf-token': token } = request.headers;
  const isOwn =
    mayBeOwnForm(request, relyingPartyOf(deps).origin) &&
    typeof token === 'string' &&
    isCsrfTokenOf(session.secret, token);
  if (!isOwn) throw operatorErrors.foreignRequest();
  const { person, isFresh } = session;
  const role = operatorRoleOf(person);
  if (!role) throw operatorErrors.notOperatorStaff();
  const name = `person:${person.email}`;
  return { actor: { kind: 'operator', name, role, personId: person.id }, isFresh };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();
