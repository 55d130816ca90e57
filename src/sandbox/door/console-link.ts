import { contextFor, type Deps } from '#context';
import { recordChange } from '#features/audit';
import { beginSession, contextOf, personCookie, relyingPartyOf } from '#features/people';
import { commonErrors } from '#platform/errors/errors';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import { keepOrInviteOperator } from '../world/staff.ts';

const lifetimeMs = 15 * 60_000;

/** A link that signs the demo operator in, once. It is only in the memory of this process. */
export class ConsoleLink {
  #open: { sha256: string; expiresAt: number } | undefined;

  /** Replaces the one before. */
  issue({ clock, ...deps }: Pick<Deps, 'clock' | 'publicUrl' | 'brand'>): string {
    const secret = createSecret();
    this.#open = { sha256: hashSecret(secret)!.toString('hex'), expiresAt: clock().getTime() + lifetimeMs };
    return `${relyingPartyOf(deps).origin}/sandbox/console/${secret}`;
  }

  /** True once for the link that was issued, until it expires. */
  use(secret: string, now: Date): boolean {
    const isOpen =
      this.#open !== undefined &&
      this.#open.sha256 === hashSecret(secret)?.toString('hex') &&
      now.getTime() < this.#open.expiresAt;
    if (isOpen) this.#open = undefined;
    return isOpen;
  }
}

/** Where the link leads. `isAllowed`: the caller is on this machine. */
export function mountConsoleLink(
  server: HttpServer,
  deps: Deps,
  { link, isAllowed }: { link: ConsoleLink; isAllowed(request: FastifyRequest): boolean },
): void {
  server.get<{ Params: { secret: string } }>('/sandbox/console/:secret', async (request, reply) => {
    const plain = request as FastifyRequest;
    if (!isAllowed(plain) || !link.use(request.params.secret, deps.clock())) throw commonErrors.notFound();
    const operator = { kind: 'operator', name: 'sandbox', role: 'admin' } as const;
    const personId = await keepOrInviteOperator(contextFor(deps, operator, deps.log));
    const ctx = contextOf(deps, personId, deps.log);
    const former = personCookie.read(deps.publicUrl, request.headers.cookie);
    const { sessionSecret } = await deps.db.transaction(async (db) => {
      await recordChange(
        { ...ctx, db },
        { action: 'people.sign-in', subject: `person:${personId}`, after: {} },
      );
      return beginSession({ ...ctx, db }, former);
    });
    reply.headers({
      'set-cookie': personCookie.write(deps.publicUrl, sessionSecret),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    return reply.redirect('/console', 303);
  });
}
