import type { Ctx } from '#context';
import {
  applicationErrors,
  findApplication,
  isOffered,
  openInvitation,
  readApplicationLogo,
} from '#features/connect/applications';
import { relyingPartyOf } from '#features/people';
import { callerAddress, type FastifyRequest } from '#platform/http/http';
import { mayBeOwnForm } from '#platform/pages/own-request';
import { rateLimitGuard } from '#platform/rate-limit/index';
import { frameErrors, readerOf, sendPrivatePicture } from '#surfaces/frame';
import type { Mount } from '../mount.ts';
import { triesPolicy } from './apply-routes.ts';
import { renderFollow } from './follow-page.ts';

/** The private link of an application. Who has it is the applicant. */
export function followRoutes({ scope, deps }: Mount): void {
  const route = { exposeHeadRoute: false };
  const secretIn = (request: FastifyRequest) => (request.params as { secret: string }).secret;

  scope.get('/applications/:secret', route, async (plain, reply) => {
    const request = plain as FastifyRequest;
    const [secret, now] = [secretIn(request), deps.clock()];
    const application = await findApplication({ db: deps.db, now }, secret);
    const page = renderFollow(readerOf(deps, request), {
      application,
      isOffered: isOffered(application, now),
      secret,
    });
    return reply.type('text/html; charset=utf-8').send(page);
  });

  scope.get('/applications/:secret/logo/:sha256', route, async (plain, reply) => {
    const { id } = await findApplication(
      { db: deps.db, now: deps.clock() },
      secretIn(plain as FastifyRequest),
    );
    return sendPrivatePicture(reply, await readApplicationLogo(deps, { applicationId: id }));
  });

  const admit = rateLimitGuard(deps, triesPolicy, applicationErrors.tooManyTries, callerAddress);
  scope.post(
    '/applications/:secret/passkey',
    { ...route, onRequest: admit as never },
    async (plain, reply) => {
      const request = plain as FastifyRequest;
      // No other site knows the link, so it is the token of this form, too.
      if (!mayBeOwnForm(request, relyingPartyOf(deps).origin)) throw frameErrors.foreignForm();
      const url = await openInvitation(deps, request.log as Ctx['log'], secretIn(request));
      return reply.redirect(new URL(url).pathname, 303);
    },
  );
}
