import { type Ctx, inTransaction } from '#context';
import { authenticateKey, issueKey } from '#features/keys';
import { seedLedger } from '#features/ledger';
import { allowUser, createPartner } from '#features/partners';
import { demoUsers, hasUsers, seedUsers, userExists } from '#features/users';
import { StartupError } from '#platform/errors/startup-error';
import { loadConnect } from './demo-connect.ts';
import type { SandboxFile, SandboxKey } from './sandbox-file.ts';

const partnerId = '0198a0de-0000-7000-8000-0000000000aa';
const dayMs = 86_400_000;
const storyDays = 548;

export type DemoData = Pick<SandboxFile, 'partner' | 'users' | 'keys' | 'integrations' | 'consents'>;

/**
 * Loads the demo data into an empty database, all or none, and returns what tools need to know. The data
 * begins eighteen months before today's midnight, so that two starts on one day give the same data; only
 * secrets are new. Tokens cannot be read back from the database: keys in the file of the last start that the
 * database still has are kept, the others are issued again.
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
    await seedLedger(ctx);
    const keys = await keepOrIssueKeys(ctx, known?.keys ?? {});
    const users = Object.fromEntries(
      (['owner', 'friend', 'stranger', 'blocked'] as const).map((name) => {
        const { id, email, wallet, custody } = demoUsers[name];
        return [name, { id, email, wallet, custody }];
      }),
    ) as SandboxFile['users'];
    const connect = await loadConnect({ ...ctx, now: new Date(midnight(ctx.now)) }, known ?? {});
    return { partner: { id: partnerId }, users, keys, ...connect };
  });
}

const midnight = (now: Date) => now.getTime() - (now.getTime() % dayMs);

/** A sandbox must not write into a real database. */
async function requireEmpty(ctx: Ctx): Promise<void> {
  if (await hasUsers(ctx.db)) {
    throw new StartupError(
      'The database at DATABASE_URL has users and no demo data: the sandbox leaves it alone. Use `causeway serve`.',
    );
  }
}

interface DemoKey {
  name: string;
  scopes: string[];
  ipAllowlist?: string[];
  isExpired?: true;
}

const demoKeys: Record<keyof SandboxFile['keys'], DemoKey> = {
  full: { name: 'Demo: everything', scopes: ['mcp', 'mcp_card_reveal', 'mcp:write'] },
  readOnly: { name: 'Demo: reading', scopes: ['mcp'] },
  noMcp: { name: 'Demo: without MCP', scopes: [] },
  expired: { name: 'Demo: expired', scopes: ['mcp'], isExpired: true },
  ipLocked: { name: 'Demo: other address', scopes: ['mcp'], ipAllowlist: ['203.0.113.0/24'] },
};

async function keepOrIssueKeys(ctx: Ctx, known: Partial<SandboxFile['keys']>): Promise<SandboxFile['keys']> {
  const keys: Partial<SandboxFile['keys']> = {};
  for (const [name, terms] of Object.entries(demoKeys) as [keyof SandboxFile['keys'], DemoKey][]) {
    const kept = known[name];
    keys[name] = kept && (await stillWorks(ctx, kept, terms)) ? kept : await issueDemoKey(ctx, terms);
  }
  return keys as SandboxFile['keys'];
}

/** Whether a key still does what its name says, including being refused for the right reason. */
async function stillWorks(
  ctx: Ctx,
  { token }: SandboxKey,
  { isExpired, ipAllowlist }: DemoKey,
): Promise<boolean> {
  const verdict = await authenticateKey(ctx, { authorization: `Bearer ${token}`, address: '127.0.0.1' });
  const refused = 'refused' in verdict ? verdict.refused : undefined;
  return refused === (isExpired ? 'expired' : ipAllowlist ? 'address' : undefined);
}

async function issueDemoKey(ctx: Ctx, { isExpired, ...terms }: DemoKey): Promise<SandboxKey> {
  const today = midnight(ctx.now);
  const issuedAt = new Date(isExpired ? today - 7 * dayMs : today);
  const { token, scopes } = await issueKey(
    { ...ctx, now: issuedAt },
    {
      partnerId,
      userId: demoUsers.owner.id,
      ...terms,
      expiresAt: isExpired && new Date(today - dayMs).toISOString(),
    },
  );
  return { token, scopes };
}
