import { type TSchema, Type } from 'typebox';
import type { Ctx, Deps } from '#context';
import { callerAddress, type FastifyReply, type FastifyRequest, type HttpServer } from '#platform/http/http';
import { closed } from '#platform/http/schemas';
import { securityHeaders } from '#platform/pages/security-headers';
import { type RatePolicy, rateLimitGuard } from '#platform/rate-limit/index';
import { offerSignIn, offerStepUp, signIn, stepUp } from '../assert-passkey.ts';
import { countRefusals } from '../count-refusals.ts';
import { personErrors } from '../errors.ts';
import { offerAnother, offerRegistration, registerAnother, registerPasskey } from '../register-passkey.ts';
import { personCookie } from '../session.ts';
import { type Assertion, assertion, type Registration, registration } from '../wire.ts';
import { ownSession, requireOwnOrigin, secretIn } from './visit.ts';

/** Each attempt takes two requests. */
export const ceremonyPolicy: RatePolicy = { name: 'passkeys', quota: 60, windowMs: 60_000 };

const nothing = Type.Object({}, closed);

/** What the pages' script calls: JSON in, `{ data }` out. */
export function ceremonies(server: HttpServer, deps: Deps): void {
  const admit = rateLimitGuard(deps, ceremonyPolicy, personErrors.tooManyTries, callerAddress);
  const logOf = (request: FastifyRequest) => request.log as Ctx['log'];
  const begin = (reply: FastifyReply, { sessionSecret }: { sessionSecret: string }) => {
    reply.header('set-cookie', personCookie.write(deps.publicUrl, sessionSecret));
    return { data: {} };
  };
  server.register(
    async (scope) => {
      scope.addHook('onRequest', admit);
      scope.addHook('onRequest', async (request, reply) => {
        reply.headers(securityHeaders);
        requireOwnOrigin(deps, request);
      });
      const post = <Body>(
        path: string,
        body: TSchema,
        answer: (request: FastifyRequest, body: Body, reply: FastifyReply) => Promise<object>,
      ) =>
        scope.post(path, { schema: { body } }, (request, reply) =>
          answer(request as FastifyRequest, request.body as Body, reply),
        );
      const invitationIn = (request: FastifyRequest) => (request.params as { secret: string }).secret;

      post('/invitation/:secret/options', nothing, async (request) => ({
        data: await offerRegistration(deps, { secret: invitationIn(request) }),
      }));
      post<Registration>('/invitation/:secret', registration, async (request, answer, reply) => {
        const formerSessionSecret = secretIn(deps, request);
        const given = { secret: invitationIn(request), answer, formerSessionSecret };
        const registered = registerPasskey(deps, logOf(request), given);
        return begin(reply, await countRefusals(deps, 'invitation', registered));
      });
      post('/sign-in/options', nothing, async () => ({ data: await offerSignIn(deps) }));
      post<Assertion>('/sign-in', assertion, async (request, answer, reply) => {
        const formerSessionSecret = secretIn(deps, request);
        const signedIn = signIn(deps, logOf(request), { answer, formerSessionSecret });
        return begin(reply, await countRefusals(deps, 'passkey', signedIn));
      });
      post('/passkeys/options', nothing, async (request) => ({
        data: await offerAnother(deps, await ownSession(deps, request)),
      }));
      post<Registration>('/passkeys', registration, async (request, answer) => {
        const session = await ownSession(deps, request);
        await registerAnother(deps, logOf(request), { answer, session });
        return { data: {} };
      });
      post('/step-up/options', nothing, async (request) => ({
        data: await offerStepUp(deps, await ownSession(deps, request)),
      }));
      post<Assertion>('/step-up', assertion, async (request, answer) => {
        const session = await ownSession(deps, request);
        await countRefusals(deps, 'step-up', stepUp(deps, logOf(request), { answer, session }));
        return { data: {} };
      });
    },
    { prefix: '/people' },
  );
}
