import type { Openid } from '#adapters/openid';
import type { Ctx, Deps } from '#context';
import { callerAddress, type FastifyReply, type FastifyRequest, type HttpServer } from '#platform/http/http';
import { defineSessionCookie } from '#platform/pages/session-cookie';
import { rateLimitGuard } from '#platform/rate-limit/index';
import { countRefusals } from '../count-refusals.ts';
import { personErrors } from '../errors.ts';
import { findInvitation } from '../find-invitation.ts';
import { beginOpenid, finishOpenid } from '../openid-sign-in.ts';
import { challengeLifetimeMs } from '../passkey-options.ts';
import { personCookie } from '../session.ts';
import { ceremonyPolicy } from './ceremonies.ts';
import { returnPath } from './return-path.ts';
import { nextPathOf, secretIn, sessionOf } from './visit.ts';

const flowCookie = defineSessionCookie('causeway_openid', challengeLifetimeMs);
/** The page that opens after the sign-in. */
const nextCookie = defineSessionCookie('causeway_next', challengeLifetimeMs);

/** The way to the operator's OpenID provider and back. */
export function openidRoutes(scope: HttpServer, deps: Deps, openid: Openid): void {
  const onRequest = rateLimitGuard(deps, ceremonyPolicy, personErrors.tooManyTries, callerAddress);
  const route = { exposeHeadRoute: false, onRequest };
  const begin = async (reply: FastifyReply, use: Parameters<typeof beginOpenid>[2], next?: string) => {
    const { flowSecret, url } = await beginOpenid(deps, openid, use);
    const place = next && nextCookie.write(deps.publicUrl, encodeURIComponent(next));
    const flow = flowCookie.write(deps.publicUrl, flowSecret);
    reply.header('set-cookie', [flow, place ?? nextCookie.clear(deps.publicUrl)]);
    return reply.redirect(url, 303);
  };

  scope.get('/openid/sign-in', route, (request, reply) =>
    begin(reply, { purpose: 'openid-sign-in', boundTo: null }, nextPathOf(request as FastifyRequest)),
  );

  scope.get<{ Params: { secret: string } }>('/openid/invitation/:secret', route, async (request, reply) => {
    const at = { db: deps.db, now: deps.clock() };
    const { secretSha256 } = await findInvitation(at, request.params.secret);
    return begin(reply, { purpose: 'openid-register', boundTo: secretSha256 });
  });

  scope.get('/openid/step-up', route, async (request, reply) => {
    const session = await sessionOf(deps, request);
    if (!session) throw personErrors.notSignedIn();
    return begin(reply, { purpose: 'openid-step-up', boundTo: session.secretSha256 });
  });

  scope.get('/openid/callback', route, async (request: FastifyRequest, reply) => {
    const finished = finishOpenid(deps, request.log as Ctx['log'], openid, {
      flowSecret: flowCookie.read(deps.publicUrl, request.headers.cookie),
      path: request.url,
      session: await sessionOf(deps, request),
      formerSessionSecret: secretIn(deps, request),
    });
    const begun = await countRefusals(deps, 'openid', finished);
    const cleared = [flowCookie, nextCookie].map((cookie) => cookie.clear(deps.publicUrl));
    const session = begun ? [personCookie.write(deps.publicUrl, begun.sessionSecret)] : [];
    reply.header('set-cookie', [...cleared, ...session]);
    const next = nextCookie.read(deps.publicUrl, request.headers.cookie) ?? '';
    return reply.redirect(returnPath(decodePath(next)) ?? '/people', 303);
  });
}

/** Undefined if somebody else wrote it. */
function decodePath(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
