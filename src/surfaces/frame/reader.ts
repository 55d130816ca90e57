import type { Deps } from '#context';
import { findPersonSession, type PersonSession, personCookie } from '#features/people';
import { type FastifyRequest, noteForLog } from '#platform/http/http';
import { chooseLanguage, type Language } from '#platform/pages/language';
import { isRefresh } from '#platform/pages/refresh';
import { defineSessionCookie } from '#platform/pages/session-cookie';
import { dayMs } from '#platform/values/duration';
import { frameErrors } from './errors.ts';
import { type FrameWords, frameWords } from './words.ts';

/** Who reads a page, and in which language. */
export interface Reader {
  language: Language;
  frame: FrameWords;
  brand: Deps['brand'];
  now: Date;
  /** Path and query of the page. */
  address: string;
  session?: PersonSession | undefined;
}

const yearMs = 365 * dayMs;
export const languageCookie = defineSessionCookie('causeway_language', yearMs);

export function readerOf(deps: Deps, { headers, url }: FastifyRequest): Reader {
  const chosen = languageCookie.read(deps.publicUrl, headers.cookie);
  const language = isLanguage(chosen) ? chosen : chooseLanguage(headers['accept-language']);
  return { language, frame: frameWords[language], brand: deps.brand, now: deps.clock(), address: url };
}

export const isLanguage = (text: unknown): text is Language =>
  typeof text === 'string' && Object.hasOwn(frameWords, text);

/** Sessions of requests, for the pages of their errors. */
export const sessions = new WeakMap<FastifyRequest, PersonSession>();

/** The reader of a page for signed-in people. */
export async function sessionReader(
  deps: Deps,
  request: FastifyRequest,
): Promise<Reader & { session: PersonSession }> {
  const secret = personCookie.read(deps.publicUrl, request.headers.cookie);
  const at = { db: deps.db, now: deps.clock() };
  const session = await findPersonSession(at, secret, { isRefresh: isRefresh(request) });
  if (!session) throw frameErrors.notSignedIn();
  noteForLog(request, { personId: session.person.id });
  sessions.set(request, session);
  return { ...readerOf(deps, request), session };
}
