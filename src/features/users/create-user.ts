import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { violates } from '#platform/db/db';
import { parseEmail } from './email.ts';
import { userErrors } from './errors.ts';
import { insertUser, newUserId, type UserRow } from './queries/users.ts';
import { requireFreeEmail } from './require-free-email.ts';
import { sealIdentity } from './seal-identity.ts';
import { presentUser, type UserView } from './wire.ts';

export interface NewUser {
  /** Given only for demo data, whose ids are fixed. */
  id?: string;
  email: string;
  givenName: string;
  familyName: string;
  emailVerified?: boolean;
  entityType?: 'individual' | 'business';
  legalName?: string | null;
  /** In one line, as statements show it. */
  postalAddress?: string | null;
  documentType?: string | null;
  documentNumber?: string | null;
  taxId?: string | null;
}

/**
 * Creates a user without wallets. Document number and tax id are sealed before they reach the database.
 * @example
 * const { id } = await createUser(ctx, { email: 'ana@example.com', givenName: 'Ana', familyName: 'Silva' });
 */
export function createUser(ctx: Ctx, input: NewUser): Promise<UserView> {
  return inTransaction(ctx, async (ctx) => {
    const id = input.id ?? (await newUserId(ctx.db));
    const email = parseEmail(input.email);
    await requireFreeEmail(ctx, email);
    const row: UserRow = {
      id,
      email,
      emailVerified: input.emailVerified ?? false,
      givenName: input.givenName,
      familyName: input.familyName,
      entityType: input.entityType ?? 'individual',
      legalName: input.legalName ?? null,
      postalAddress: input.postalAddress ?? null,
      documentType: input.documentType ?? null,
      documentNumberSealed: null,
      taxIdSealed: null,
      ...sealIdentity(ctx.sealer, id, input),
      createdAt: ctx.now,
      updatedAt: ctx.now,
      suspendedAt: null,
      suspendedReason: null,
    };
    await insertUser(ctx.db, row).catch((error) => {
      throw violates(error, 'users_email_key') ? userErrors.emailTaken({ cause: error }) : error;
    });
    const user = presentUser(row);
    await recordChange(ctx, { action: 'users.create', subject: `user:${id}`, after: user });
    return user;
  });
}
