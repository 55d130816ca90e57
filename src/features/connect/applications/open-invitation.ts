import { type Ctx, contextFor, type Deps, inTransaction } from '#context';
import { renewInvitation } from '#features/people';
import { dayMs } from '#platform/values/duration';
import { applicationErrors } from './errors.ts';
import { findApplication } from './find-application.ts';

/** After that, an administrator invites the applicant again. */
const offeredMs = 30 * dayMs;

/** Whether the private link of an approved application still leads to an invitation. */
export const isOffered = ({ endedAt }: { endedAt: Date | null }, now: Date): boolean =>
  endedAt !== null && now.getTime() - endedAt.getTime() < offeredMs;

/**
 * The address of an invitation for the first owner, by the private link of an approved application. Each one
 * ends the one before it, and there is no other once a passkey exists.
 */
export async function openInvitation(deps: Deps, log: Ctx['log'], linkSecret: string): Promise<string> {
  const now = deps.clock();
  const { status, personId, endedAt } = await findApplication({ db: deps.db, now }, linkSecret);
  if (status !== 'approved') throw applicationErrors.applicationNotFound();
  if (!isOffered({ endedAt }, now)) throw applicationErrors.invitationOver();
  const ctx = contextFor(deps, { kind: 'person', personId: personId! } as const, log);
  const invitation = await inTransaction(ctx, (ctx) => renewInvitation(ctx));
  if (!invitation) throw applicationErrors.passkeyExists();
  return invitation.url;
}
