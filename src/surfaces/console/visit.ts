import type { Deps } from '#context';
import { findPersonSession, operatorRoleOf, type PersonSession, personCookie } from '#features/people';
import { mayRun, type OperatorRole } from '#operator-roles';
import { type FastifyRequest, noteForLog } from '#platform/http/http';
import { chooseLanguage, type Language } from '#platform/pages/language';
import { isRefresh } from '#platform/pages/refresh';
import { defineSessionCookie } from '#platform/pages/session-cookie';
import { consoleErrors } from './errors.ts';
import { type Texts, texts } from './texts/index.ts';

/** Who reads a page, in which words. */
export interface Reader {
  language: Language;
  words: Texts;
  brand: Deps['brand'];
  now: Date;
  /** Path and query of the page. */
  address: string;
  session?: PersonSession | undefined;
}

export interface Visit extends Reader {
  session: PersonSession;
  role: OperatorRole;
  may(command: { roles: readonly string[] }): boolean;
}

const yearMs = 365 * 86_400_000;
export const languageCookie = defineSessionCookie('causeway_language', yearMs);

export function readerOf(deps: Deps, { headers, url }: FastifyRequest): Reader {
  const chosen = languageCookie.read(deps.publicUrl, headers.cookie);
  const language = isLanguage(chosen) ? chosen : chooseLanguage(headers['accept-language']);
  return { language, words: texts[language], brand: deps.brand, now: deps.clock(), address: url };
}

export const isLanguage = (text: unknown): text is Language =>
  typeof text === 'string' && Object.hasOwn(texts, text);

/** Sessions of requests, for the pages of their errors. */
export const sessions = new WeakMap<FastifyRequest, PersonSession>();

/** The session of a member of the operator's staff; staff of others are refused. */
export async function visitOf(deps: Deps, request: FastifyRequest): Promise<Visit> {
  const secret = personCookie.read(deps.publicUrl, request.headers.cookie);
  const at = { db: deps.db, now: deps.clock() };
  const session = await findPersonSession(at, secret, { isRefresh: isRefresh(request) });
  if (!session) throw consoleErrors.notSignedIn();
  noteForLog(request, { personId: session.person.id });
  sessions.set(request, session);
  const role = operatorRoleOf(session.person);
  if (!role) throw consoleErrors.notOperatorStaff();
  return { ...readerOf(deps, request), session, role, may: (command) => mayRun(role, command) };
}
