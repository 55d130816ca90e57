import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { isAllowedUser, partnerErrors, partnerExists } from '#features/partners';
import { findOperatorPerson } from '#features/people';
import { userErrors, userExists } from '#features/users';
import { commonErrors, invalidField } from '#platform/errors/errors';
import { faultInCidr } from '#platform/values/address';
import { keyErrors } from './errors.ts';
import { insertKey, type KeyRow } from './queries.ts';
import { completeScopes, hasOnlyOneKind } from './scopes.ts';
import { createToken } from './token.ts';
import { type KeyView, presentKey } from './wire.ts';

export interface NewKey {
  name: string;
  partnerId: string;
  userId: string;
  /** A list without one of our scopes gets `usualScopes`, too. */
  scopes?: string[];
  ipAllowlist?: string[];
  expiresAt?: string;
}

/** The token is in this answer only: the database has its hash. */
export type IssuedKey = KeyView & { token: string };

/**
 * Issues a key to a partner, owned by one user. The token is in this answer only.
 * @example
 * const { token } = await issueKey(ctx, { name: 'Backend', partnerId, userId, scopes: ['mcp'] });
 */
export function issueKey(ctx: Ctx, input: NewKey): Promise<IssuedKey> {
  return inTransaction(ctx, async (ctx) => {
    const { name, partnerId, userId, scopes = [], ipAllowlist = [] } = input;
    const expiresAt = input.expiresAt === undefined ? null : parseExpiry(input.expiresAt, ctx.now);
    requireAddressBlocks(ipAllowlist);
    requireOneKind(scopes);
    if (!(await partnerExists(ctx.db, partnerId))) throw partnerErrors.partnerNotFound();
    if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
    if (!(await isAllowedUser(ctx.db, partnerId, userId))) throw keyErrors.userNotAllowed();
    return storeNewKey(ctx, 'keys.issue', {
      name,
      partnerId: partnerId.toLowerCase(),
      userId: userId.toLowerCase(),
      scopes: completeScopes(scopes),
      ipAllowlist,
      expiresAt,
      rotatedFrom: null,
      issuedByKey: ctx.actor.kind === 'key' ? ctx.actor.keyId : null,
    });
  });
}

export function requireOneKind(scopes: readonly string[]): void {
  if (!hasOnlyOneKind(scopes)) throw invalidField('scopes', 'has api:none together with scopes of the API');
}

export function requireAddressBlocks(ipAllowlist: readonly string[]): void {
  for (const block of ipAllowlist) {
    const fault = faultInCidr(block);
    if (fault) throw keyErrors.invalidAddressBlock({ message: `ipAllowlist: ${fault}` });
  }
}

/** `format: date-time` has years of four digits, so a later expiry could be stored but not shown. */
export const latestExpiry = new Date('9999-12-31T23:59:59.999Z');

/**
 * `format: date-time` also accepts dates that `Date` cannot read, such as a leap second, and dates that fall
 * into the year 10000 in UTC.
 */
export function parseExpiry(text: string, now: Date): Date {
  const expiresAt = new Date(text);
  if (!(expiresAt <= latestExpiry)) {
    throw commonErrors.invalidRequest({
      message: 'expiresAt is out of range',
      details: [{ field: 'expiresAt', message: 'is out of range' }],
    });
  }
  if (expiresAt <= now) throw keyErrors.expiryInThePast();
  return expiresAt;
}

type KeyTerms = Pick<
  KeyRow,
  'name' | 'partnerId' | 'userId' | 'scopes' | 'ipAllowlist' | 'expiresAt' | 'rotatedFrom' | 'issuedByKey'
>;

export async function storeNewKey(ctx: Ctx, action: string, terms: KeyTerms): Promise<IssuedKey> {
  const token = createToken();
  const row: KeyRow = {
    id: token.id,
    ...terms,
    createdAt: ctx.now,
    revokedAt: null,
    rotatedAt: null,
    suspendedAt: null,
    suspendedReason: null,
  };
  const { secretSha256 } = token;
  const actingKey = ctx.actor.kind === 'key' ? ctx.actor.keyId : null;
  await insertKey(ctx.db, row, { secretSha256, issuedBy: await issuerOf(ctx), actingKey });
  const shown = presentKey(row);
  await recordChange(ctx, { action, subject: `key:${row.id}`, after: shown });
  return { ...shown, token: token.text };
}

/** Null for a key, which has its issuer, and for an operator's token without an owner. */
async function issuerOf({ db, actor }: Ctx): Promise<string | null> {
  if (actor.kind === 'person') return actor.personId;
  if (actor.kind !== 'operator') return null;
  return (await findOperatorPerson(db, actor.name))?.id ?? null;
}
