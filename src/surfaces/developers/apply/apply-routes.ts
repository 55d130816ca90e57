import {
  applicationBody,
  applicationErrors,
  applyForIntegration,
  checkApplication,
} from '#features/connect/applications';
import { relyingPartyOf } from '#features/people';
import { Refusal } from '#platform/errors/errors';
import { asRefusal } from '#platform/http/as-refusal';
import { callerAddress, type FastifyReply, type FastifyRequest } from '#platform/http/http';
import { isCsrfTokenOf } from '#platform/pages/csrf';
import { formIn, readField, requireFields } from '#platform/pages/form';
import { mayBeOwnForm } from '#platform/pages/own-request';
import { readMultipart } from '#platform/pages/read-multipart';
import { defineSessionCookie } from '#platform/pages/session-cookie';
import { type RatePolicy, rateLimitGuard, spendAllowance } from '#platform/rate-limit/index';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import { homeOf } from '#platform/values/address';
import { dayMs } from '#platform/values/duration';
import { frameErrors, readerOf } from '#surfaces/frame';
import { developerPageErrors } from '../errors.ts';
import type { Mount } from '../mount.ts';
import { fieldNames, readApplication, renderApply } from './apply-page.ts';
import { renderSent } from './follow-page.ts';

/** Somebody corrects a form several times, and applies seldom. */
export const triesPolicy: RatePolicy = { name: 'applications', quota: 20, windowMs: 600_000 };
export const applicationsPolicy: RatePolicy = { name: 'applications-a-day', quota: 5, windowMs: dayMs };

/** The secret of a form, because a stranger has no session. One form makes one application. */
const formCookie = defineSessionCookie('causeway_apply', dayMs);

/** So that somebody with a logo that is too large reads it at its field. */
const bodyLimit = 2 * 1_024 * 1_024;

const homeIn = (request: FastifyRequest) => homeOf(callerAddress(request));

/** `/developers/apply`, open to everybody. */
export function applyRoutes({ scope, deps, options }: Mount): void {
  const route = { exposeHeadRoute: false };
  scope.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: { headers: Record<string, unknown> }, body: Buffer) =>
      readMultipart(body, String(request.headers['content-type']), { binary: ['logo'] }),
  );
  const secretIn = ({ headers }: FastifyRequest) => {
    const secret = formCookie.read(deps.publicUrl, headers.cookie) ?? '';
    return hashSecret(secret) ? secret : undefined;
  };
  const requireAccepted = async () => {
    if (options.acceptsApplications === false) throw developerPageErrors.applicationsClosed();
  };
  const sendHtml = (reply: FastifyReply, page: string) => reply.type('text/html; charset=utf-8').send(page);

  scope.get('/apply', { ...route, onRequest: requireAccepted }, (plain, reply) => {
    const request = plain as FastifyRequest;
    const secret = secretIn(request) ?? createSecret();
    reply.header('set-cookie', formCookie.write(deps.publicUrl, secret));
    return sendHtml(reply, renderApply(readerOf(deps, request), { secret, typed: new Map() }));
  });

  const admit = rateLimitGuard(deps, triesPolicy, applicationErrors.tooManyTries, homeIn);
  const sending = { ...route, bodyLimit, onRequest: [requireAccepted, admit] as never };
  scope.post('/apply', sending, async (plain, reply) => {
    const request = plain as FastifyRequest;
    const typed = formIn(request);
    const secret = secretIn(request);
    const isOwn =
      secret !== undefined &&
      mayBeOwnForm(request, relyingPartyOf(deps).origin) &&
      isCsrfTokenOf(secret, readField(typed, 'csrf'));
    if (!isOwn) throw frameErrors.foreignForm();
    requireFields(typed, ['csrf', ...fieldNames]);
    const reader = readerOf(deps, request);
    try {
      const input = readApplication(typed);
      requireValid(request, input);
      checkApplication(input);
      await spendAllowance(deps.limiter, {
        policy: applicationsPolicy,
        subject: homeIn(request),
        exceeded: applicationErrors.tooManyFromAddress,
      });
      const at = { db: deps.db, now: deps.clock() };
      const { linkSecret } = await applyForIntegration(at, { input, formSecret: secret });
      reply.header('set-cookie', formCookie.clear(deps.publicUrl));
      const link = `${relyingPartyOf(deps).origin}/developers/applications/${linkSecret}`;
      return sendHtml(reply, renderSent(reader, { link, name: input.name }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'application_sent') {
        // The next form is another application: the answer to the first may never have arrived.
        reply.header('set-cookie', formCookie.clear(deps.publicUrl));
        throw error;
      }
      reply.status(error.status).headers(error.headers ?? {});
      return sendHtml(reply, renderApply(reader, { secret, typed, refusal: error }));
    }
  });
}

/** By the schemas of `integrations.register`, so that faults are found in the same words. */
function requireValid(request: FastifyRequest, input: object): void {
  const validate = request.compileValidationSchema(applicationBody as object, 'body');
  if (!validate(structuredClone(input)))
    throw asRefusal({ validation: validate.errors, validationContext: 'body' });
}
