import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { insertPartner } from './queries.ts';
import { type PartnerView, presentPartner } from './wire.ts';

export interface NewPartner {
  /** Given only for demo data, whose ids stay the same from start to start. */
  id?: string;
  name: string;
}

/**
 * Creates a partner with an empty list of allowed users.
 * @example
 * const { id: partnerId } = await createPartner(ctx, { name: 'Lumen Credit' });
 */
export function createPartner(ctx: Ctx, input: NewPartner): Promise<PartnerView> {
  return inTransaction(ctx, async (ctx) => {
    const { name } = input;
    const id = await insertPartner(ctx.db, { id: input.id, name, createdAt: ctx.now });
    const partner = presentPartner({
      id,
      name,
      createdAt: ctx.now,
      suspendedAt: null,
      suspendedReason: null,
    });
    await recordChange(ctx, { action: 'partners.create', subject: `partner:${id}`, after: partner });
    return partner;
  });
}
