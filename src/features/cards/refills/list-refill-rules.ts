import { idForm } from '#adapters/issuer';
import type { Ctx } from '#context';
import { type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { type RefillRule, selectRules } from './queries/rules.ts';

/** Rules of all accounts, in the order of accounts. */
export const listRefillRules = (ctx: Ctx, input: CursorInput): Promise<CursorPage<RefillRule>> =>
  readCursorPage(
    { name: 'cards.refill-rules', keyForm: idForm, keyOf: ({ cardIssuerUserId }) => cardIssuerUserId },
    input,
    (from) => selectRules(ctx.db, from),
  );
