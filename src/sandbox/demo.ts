import { type Ctx, inTransaction } from '../context.ts';
import { issueKey } from '../keys/index.ts';
import { allowUser, createPartner } from '../partners/index.ts';
import { StartError } from '../platform/start-error.ts';
import { demoUsers, hasUsers, seedUsers, userExists } from '../users/index.ts';
import type { SandboxFile, SandboxKey } from './sandbox-file.ts';

const partnerId = '0198a0de-0000-7000-8000-0000000000aa';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const storyDays = 548;

export type DemoData = Pick<SandboxFile, 'partner' | 'users' | 'keys' | 'integrations' | 'consents'>;

/**
 * Loads the demo data into an empty database, all of it or none, and says what tools need to know. It tells a story that
 * began eighteen months before today's midnight, so that two starts on one day give the same data; only secrets are new each
 * time. Tokens cannot be read back from the database, so a sandbox whose file was lost gets new keys.
 */
export async function loadDemo(ctx: Ctx, known: SandboxFile | undefined): Promise<DemoData> {
  return inTransaction(ctx, async (ctx) => {
    const isLoaded = await userExists(ctx.db, demoUsers.owner.id);
    if (!isLoaded) {
      await requireEmpty(ctx);
      const beginning = { ...ctx, now: new Date(midnight(ctx.now) - storyDays * dayMs) };
      await seedUsers(beginning);
      await createPartner(beginning, { id: partnerId, name: 'Demo Partner' });
      for (const { id } of [demoUsers.owner, demoUsers.friend, demoUsers.blocked]) {
        await allowUser(beginning, { partnerId, userId: id });
      }
    }
    const keys = isLoaded && known ? known.keys : await issueDemoKeys(ctx);
    const users = Object.fromEntries(
      (['owner', 'friend', 'stranger', 'blocked'] as const).map((name) => {
        const { id, email, wallet } = demoUsers[name];
        return [name, { id, email, wallet }];
      }),
    ) as SandboxFile['users'];
    return { partner: { id: partnerId }, users, keys, integrations: {}, consents: {} };
  });
}

const midnight = (now: Date) => now.getTime() - (now.getTime() % dayMs);

/** A sandbox pointed at somebody's real database must not write a line into it. */
async function requireEmpty(ctx: Ctx): Promise<void> {
  if (await hasUsers(ctx.db)) {
    throw new StartError(
      'The database at DATABASE_URL has users and no demo data: the sandbox leaves it alone. Use `causeway serve`.',
    );
  }
}

async function issueDemoKeys(ctx: Ctx): Promise<SandboxFile['keys']> {
  const issue = async (
    ctx: Ctx,
    name: string,
    terms: { scopes?: string[]; ipAllowlist?: string[]; expiresAt?: string },
  ) => {
    const { token, scopes } = await issueKey(ctx, { name, partnerId, userId: demoUsers.owner.id, ...terms });
    return { token, scopes } satisfies SandboxKey;
  };
  const today = { ...ctx, now: new Date(midnight(ctx.now)) };
  const lastWeek = { ...ctx, now: new Date(midnight(ctx.now) - 7 * dayMs) };
  const yesterday = new Date(midnight(ctx.now) - dayMs).toISOString();
  return {
    full: await issue(today, 'Demo: everything', { scopes: ['mcp', 'mcp_card_reveal', 'mcp:write'] }),
    readOnly: await issue(today, 'Demo: reading', { scopes: ['mcp'] }),
    noMcp: await issue(today, 'Demo: without MCP', {}),
    expired: await issue(lastWeek, 'Demo: expired', { scopes: ['mcp'], expiresAt: yesterday }),
    ipLocked: await issue(today, 'Demo: other address', { scopes: ['mcp'], ipAllowlist: ['203.0.113.0/24'] }),
  };
}
