import type { Ctx } from '#context';
import { authenticateKey, issueKey, revokeKey, suspendKey } from '#features/keys';
import { dayMs } from '#platform/values/duration';
import type { SandboxFile, SandboxKey } from '../sandbox-file.ts';
import { partnerIds } from './partners.ts';
import { demoUsers } from './people.ts';
import { midnight } from './time.ts';

type KeyName = keyof SandboxFile['keys'];

interface DemoKey {
  name: string;
  scopes: string[];
  partner?: keyof typeof partnerIds;
  user?: keyof typeof demoUsers;
  ipAllowlist?: string[];
  /** Why it is refused, for a key that is. */
  isRefusedAs?: 'expired' | 'address' | 'revoked' | 'suspended';
}

const demoKeys: Record<KeyName, DemoKey> = {
  full: { name: 'Demo: everything', scopes: ['mcp', 'mcp_card_reveal', 'mcp:write'] },
  readOnly: { name: 'Demo: reading', scopes: ['mcp'] },
  noMcp: { name: 'Demo: without MCP', scopes: [] },
  expired: { name: 'Demo: expired', scopes: ['mcp'], isRefusedAs: 'expired' },
  ipLocked: {
    name: 'Demo: other address',
    scopes: ['mcp'],
    ipAllowlist: ['203.0.113.0/24'],
    isRefusedAs: 'address',
  },
  revoked: { name: 'Demo: revoked', scopes: ['mcp'], isRefusedAs: 'revoked' },
  suspended: { name: 'Brisa: suspended', partner: 'other', scopes: ['mcp'], isRefusedAs: 'suspended' },
  otherPartner: { name: 'Brisa: backend', partner: 'other', scopes: ['mcp'] },
  friend: { name: 'Demo: Bruno', user: 'friend', scopes: ['mcp', 'mcp:write'] },
  business: { name: 'Demo: Mar Verde', user: 'business', scopes: ['mcp'] },
};

/**
 * Tokens cannot be read back from the database: keys in the file of the last start that the database still
 * has are kept, the others are issued again.
 */
export async function keepOrIssueKeys(
  ctx: Ctx,
  known: Partial<SandboxFile['keys']>,
): Promise<SandboxFile['keys']> {
  const keys: Partial<SandboxFile['keys']> = {};
  for (const [name, terms] of Object.entries(demoKeys) as [KeyName, DemoKey][]) {
    const kept = known[name];
    keys[name] = kept?.id && (await stillWorks(ctx, kept, terms)) ? kept : await issue(ctx, terms);
  }
  return keys as SandboxFile['keys'];
}

/** Whether a key still does what its name says, including being refused for the right reason. */
async function stillWorks(ctx: Ctx, { token }: SandboxKey, { isRefusedAs }: DemoKey): Promise<boolean> {
  const verdict = await authenticateKey(ctx, { authorization: `Bearer ${token}`, address: '127.0.0.1' });
  return ('refused' in verdict ? verdict.refused : undefined) === isRefusedAs;
}

async function issue(ctx: Ctx, terms: DemoKey): Promise<SandboxKey> {
  const { name, scopes, partner = 'main', user = 'owner', ipAllowlist, isRefusedAs } = terms;
  const today = midnight(ctx.now);
  const isExpired = isRefusedAs === 'expired';
  const issued = await issueKey(
    { ...ctx, now: new Date(isExpired ? today - 7 * dayMs : today) },
    {
      name,
      scopes,
      partnerId: partnerIds[partner],
      userId: demoUsers[user].id,
      ...(ipAllowlist && { ipAllowlist }),
      ...(isExpired && { expiresAt: new Date(today - dayMs).toISOString() }),
    },
  );
  const { id, token } = issued;
  if (isRefusedAs === 'revoked') await revokeKey(ctx, { keyId: id });
  if (isRefusedAs === 'suspended')
    await suspendKey(ctx, { keyId: id, reason: 'Seen in a public repository' });
  return { id, token, scopes: issued.scopes };
}
