import type { Deps } from '#context';
import { type FastifyRequest, noteForLog } from '#platform/http/http';
import { isCsrfTokenOf } from '#platform/pages/csrf';
import { formIn, readField, requireFields } from '#platform/pages/form';
import { mayBeOwnForm } from '#platform/pages/own-request';
import { isRefresh } from '#platform/pages/refresh';
import { personErrors } from '../errors.ts';
import { relyingPartyOf } from '../relying-party.ts';
import { findPersonSession, type PersonSession, personCookie } from '../session.ts';
import { returnPath } from './return-path.ts';

export const secretIn = (deps: Deps, { headers }: FastifyRequest) =>
  personCookie.read(deps.publicUrl, headers.cookie);

/** Undefined if the browser has no open session. */
export async function sessionOf(deps: Deps, request: FastifyRequest): Promise<PersonSession | undefined> {
  const at = { db: deps.db, now: deps.clock() };
  const session = await findPersonSession(at, secretIn(deps, request), { isRefresh: isRefresh(request) });
  if (session) noteForLog(request, { personId: session.person.id });
  return session;
}

/** For reads, which another site can cause but not see. */
export async function requireSession(deps: Deps, request: FastifyRequest): Promise<PersonSession> {
  const session = await sessionOf(deps, request);
  if (!session) throw personErrors.notSignedIn();
  return session;
}

/** By the browser's headers. */
export function requireOwnOrigin(deps: Deps, request: FastifyRequest): void {
  if (!mayBeOwnForm(request, relyingPartyOf(deps).origin)) throw personErrors.foreignRequest();
}

/** The session of a request that a page of this very session sent, by its token. */
async function ownRequest(deps: Deps, request: FastifyRequest, token: unknown): Promise<PersonSession> {
  const session = await sessionOf(deps, request);
  if (!session) throw personErrors.notSignedIn();
  requireOwnOrigin(deps, request);
  if (typeof token !== 'string' || !isCsrfTokenOf(session.secret, token)) throw personErrors.foreignRequest();
  return session;
}

/** With the token in a header, for the script. */
export const ownSession = (deps: Deps, request: FastifyRequest) =>
  ownRequest(deps, request, request.headers['x-csrf-token']);

/** Of a request to the API: a change needs the token, so that a page of another site cannot send it. */
export const apiSession = (deps: Deps, request: FastifyRequest) =>
  (request.method === 'GET' || request.method === 'HEAD' ? requireSession : ownSession)(deps, request);

/** With the token as the only field of a form. */
export function ownForm(deps: Deps, request: FastifyRequest): Promise<PersonSession> {
  const form = formIn(request);
  requireFields(form, ['csrf']);
  return ownRequest(deps, request, readField(form, 'csrf'));
}

/** On a laptop: the page under the name for which passkeys work, if it was opened by the address. */
export function nameForPasskeys(deps: Deps, request: FastifyRequest): string | undefined {
  const { origin } = relyingPartyOf(deps);
  const isNamed = origin === deps.publicUrl || request.host === new URL(origin).host;
  return isNamed ? undefined : origin + request.url;
}

/** The page of the console for which a visitor signs in. */
export const nextPathOf = ({ query }: FastifyRequest) => returnPath((query as { next?: unknown }).next);
