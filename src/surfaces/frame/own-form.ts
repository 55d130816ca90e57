import type { Deps } from '#context';
import { issueFormToken, type PersonSession, relyingPartyOf, useFormToken } from '#features/people';
import type { FastifyRequest } from '#platform/http/http';
import { isCsrfTokenOf } from '#platform/pages/csrf';
import { type Form, formIn, readField } from '#platform/pages/form';
import { mayBeOwnForm } from '#platform/pages/own-request';
import { frameErrors } from './errors.ts';

/** The form of a request that a page of this very session sent, by its token. */
export function ownForm(deps: Deps, request: FastifyRequest, { secret }: PersonSession): Form {
  const form = formIn(request);
  const isOwn =
    mayBeOwnForm(request, relyingPartyOf(deps).origin) && isCsrfTokenOf(secret, readField(form, 'csrf'));
  if (!isOwn) throw frameErrors.foreignForm();
  return form;
}

const at = ({ db, clock }: Deps) => ({ db, now: clock() });

/** The value of the hidden field `once`, for a form that may be sent once. */
export const issueOnce = (deps: Deps, session: PersonSession): Promise<string> =>
  issueFormToken(at(deps), session);

/** Uses up the token of a form; of two requests with the same form, one is refused. */
export async function useOnce(deps: Deps, session: PersonSession, form: Form): Promise<void> {
  if (!(await useFormToken(at(deps), session, readField(form, 'once')))) throw frameErrors.sentBefore();
}
