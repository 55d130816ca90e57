import type { Ctx } from '#context';
import { isSignedBy } from '#features/people';
import { challengeOf } from './canonical-payout.ts';
import { type ApprovedPayout, selectApproved } from './queries.ts';

/**
 * The payouts among `ids` whose approvals suffice: each was signed by the passkey of its person, over exactly
 * what is paid now. The code that signs calls this, within the transaction that signs.
 */
export async function verifyApprovals(ctx: Ctx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const verified = new Set<string>();
  if (ids.length === 0) return verified;
  for (const payout of await selectApproved(ctx.db, ids)) {
    if (payout.ruling !== 'approved') continue;
    if (await isApproved(ctx, payout)) verified.add(payout.id);
    else ctx.log.error({ withdrawalId: payout.id }, 'an approval does not fit what is to be paid');
  }
  return verified;
}

async function isApproved(ctx: Ctx, payout: ApprovedPayout): Promise<boolean> {
  const challenge = challengeOf(payout, 'approve');
  const roles: string[][] = [];
  const people = new Set<string>();
  for (const { roles: ofPerson, ...signed } of payout.approvers) {
    const { personId } = signed;
    if (people.has(personId) || !(await isSignedBy(ctx, signed, challenge))) continue;
    people.add(personId);
    roles.push(ofPerson);
  }
  return payout.needs.every(
    ({ count, role }) => roles.filter((ofPerson) => ofPerson.includes(role)).length >= count,
  );
}
