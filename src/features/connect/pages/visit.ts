import { type Ctx, contextFor, type Deps, type UserActor } from '#context';
import { findSession, isOwnPage, type Session } from '#features/connect/sessions';
import { type FastifyRequest, noteForLog } from '#platform/http/http';
import { isCsrfTokenOf } from '#platform/pages/csrf';
import { type Form, formIn, readField, requireFields } from '#platform/pages/form';
import { chooseLanguage } from '#platform/pages/language';
import { mayBeOwnForm } from '#platform/pages/own-request';
import { brandFiles } from './brand.ts';
import { pageErrors } from './errors.ts';
import type { Reader } from './page.ts';
import { userCookie } from './session-cookie.ts';

/** No route answers HEAD: opening a link changes something. */
export const route = { exposeHeadRoute: false };

/** For the page that an error becomes. */
export const sessions = new WeakMap<FastifyRequest, Session>();

export function readerOf<S extends Session | undefined>(deps: Deps, { headers }: FastifyRequest, session: S) {
  const language = chooseLanguage(headers['accept-language']);
  const { face: brand } = brandFiles(deps.brand);
  return { language, host: new URL(deps.publicUrl).host, brand, session, now: deps.clock() };
}

interface Visit {
  ctx: Ctx<UserActor>;
  reader: Reader & { session: Session };
}

export async function signedIn(deps: Deps, request: FastifyRequest): Promise<Visit> {
  const secret = userCookie.read(deps.publicUrl, request.headers.cookie);
  const session = await findSession({ db: deps.db, now: deps.clock() }, secret);
  if (!session) throw pageErrors.notSignedIn();
  sessions.set(request, session);
  const { userId } = session;
  noteForLog(request, { userId });
  return {
    ctx: contextFor(deps, { kind: 'user', userId }, request.log as Ctx['log']),
    reader: readerOf(deps, request, session),
  };
}

/** A form that a page of this very session made. */
export async function ownForm(
  deps: Deps,
  request: FastifyRequest,
  fields: readonly string[],
): Promise<Visit & { form: Form }> {
  const visit = await signedIn(deps, request);
  if (!mayBeOwnForm(request, deps.publicUrl)) throw pageErrors.foreignForm();
  const form = formIn(request);
  if (!isCsrfTokenOf(visit.reader.session.secret, readField(form, 'csrf'))) throw pageErrors.foreignForm();
  requireFields(form, ['csrf', ...fields]);
  return { ...visit, form };
}

/** The operator's login page, with the page to return to. */
export function signInLinkFor(signInUrl: string | undefined, request: FastifyRequest): string | undefined {
  if (!signInUrl) return undefined;
  const path = pathOf(request);
  const link = new URL(signInUrl);
  link.searchParams.append('return_to', isOwnPage(path) ? path : '/connect/apps');
  return link.href;
}

export const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0]!;
