import { contextFor, type Deps } from '#context';
import { recordChange } from '#features/audit';
import { beginSession, contextOf, personCookie, relyingPartyOf } from '#features/people';
import { commonErrors } from '#platform/errors/errors';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import { type DemoStaff, keepOrInvite } from '../world/staff.ts';

const lifetimeMs = 15 * 60_000;

/** Links that sign demo staff in, each once. They are only in the memory of this process. */
export class StaffLinks {
  readonly #open = new Map<DemoStaff, { sha256: string; expiresAt: number }>();

  /** Replaces the one before. */
  issue(who: DemoStaff, { clock, ...deps }: Pick<Deps, 'clock' | 'publicUrl' | 'brand'>): string {
    const secret = createSecret();
    const expiresAt = clock().getTime() + lifetimeMs;
    this.#open.set(who, { sha256: hashSecret(secret)!.toString('hex'), expiresAt });
    return `${relyingPartyOf(deps).origin}/sandbox/${pages[who]}/${secret}`;
  }

  /** True once for the link that was issued, until it expires. */
  use(who: DemoStaff, secret: string, now: Date): boolean {
    const open = this.#open.get(who);
    const isOpen =
      open !== undefined &&
      open.sha256 === hashSecret(secret)?.toString('hex') &&
      now.getTime() < open.expiresAt;
    if (isOpen) this.#open.delete(who);
    return isOpen;
  }
}

/** Where each of them works. */
const pages: Record<DemoStaff, string> = { operator: 'console', partner: 'partner' };

/** Where the links lead. `isAllowed`: the caller is on this machine. */
export function mountStaffLinks(
  server: HttpServer,
  deps: Deps,
  { links, isAllowed }: { links: StaffLinks; isAllowed(request: FastifyRequest): boolean },
): void {
  for (const [who, page] of Object.entries(pages) as [DemoStaff, string][])
    server.get<{ Params: { secret: string } }>(`/sandbox/${page}/:secret`, async (request, reply) => {
      const isOpen =
        isAllowed(request as FastifyRequest) && links.use(who, request.params.secret, deps.clock());
      if (!isOpen) throw commonErrors.notFound();
      reply.headers({
        'set-cookie': await signIn(deps, who, request.headers.cookie),
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      });
      return reply.redirect(`/${page}`, 303);
    });
}

async function signIn(deps: Deps, who: DemoStaff, cookie: string | undefined): Promise<string> {
  const operator = { kind: 'operator', name: 'sandbox', role: 'admin' } as const;
  const personId = await keepOrInvite(contextFor(deps, operator, deps.log), who);
  const former = personCookie.read(deps.publicUrl, cookie);
  const { sessionSecret } = await deps.db.transaction(async (db) => {
    const ctx = { ...contextOf(deps, personId, deps.log), db };
    await recordChange(ctx, { action: 'people.sign-in', subject: `person:${personId}`, after: {} });
    return beginSession(ctx, former);
  });
  return personCookie.write(deps.publicUrl, sessionSecret);
}
