import { type Ctx, inTransaction } from '#context';
import { hasUsers, userExists } from '#features/users';
import { StartupError } from '#platform/errors/startup-error';
import type { SandboxFacts, SandboxFile } from '../sandbox-file.ts';
import { loadConnect } from './connect.ts';
import { fundPeople } from './funds.ts';
import { keepOrIssueKeys } from './keys.ts';
import { postStory, unsettledIds } from './ledger.ts';
import { storyIds } from './ledger-story.ts';
import { createPartners, partnerIds } from './partners.ts';
import { createPeople, demoUsers } from './people.ts';
import { daysBefore, storyDays } from './time.ts';
import { queueWithdrawals } from './withdrawals.ts';

/** What the sandbox's file says of the demo data; cards come from the issuer, later. */
export type World = Omit<SandboxFacts, 'operatorToken' | 'loginToken' | 'cards' | 'networks' | 'cardIssuer'>;

/**
 * Loads the demo data into an empty database, all or none, and returns what tools need to know. The data
 * begins eighteen months before today's midnight, so that two starts on one day give the same data; only
 * secrets are new.
 */
export async function loadWorld(ctx: Ctx, known: Partial<SandboxFile> = {}): Promise<World> {
  return inTransaction(ctx, async (ctx) => {
    const isNew = !(await userExists(ctx.db, demoUsers.owner.id));
    const beginning = { ...ctx, now: daysBefore(ctx.now, storyDays) };
    if (isNew) {
      await requireEmpty(ctx);
      await createPeople(beginning);
    }
    await createPartners(beginning);
    await fundPeople(beginning);
    if (isNew) await postStory(ctx);
    const keys = await keepOrIssueKeys(ctx, known.keys ?? {});
    return {
      partner: { id: partnerIds.main },
      partners: { main: { id: partnerIds.main }, other: { id: partnerIds.other } },
      users: describePeople(),
      keys,
      ...(await loadConnect({ ...ctx, now: daysBefore(ctx.now, 0) }, known)),
      ledger: storyIds,
      unsettled: unsettledIds,
      withdrawals: await queueWithdrawals(ctx, keys),
    };
  });
}

function describePeople(): SandboxFile['users'] {
  const people = Object.entries(demoUsers).map(([name, { id, email, wallet, custody }]) => [
    name,
    { id, email, wallet, custody },
  ]);
  return Object.fromEntries(people);
}

/** A sandbox must not write into a real database. */
async function requireEmpty(ctx: Ctx): Promise<void> {
  if (await hasUsers(ctx.db)) {
    throw new StartupError(
      'The database at DATABASE_URL has users and no demo data: the sandbox leaves it alone. Use `causeway serve`.',
    );
  }
}
