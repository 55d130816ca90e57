import { type CardStatus, idForm } from '#adapters/issuer';
import type { Ctx } from '#context';
import { type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { type CardRow, selectAcrossUsers } from './queries/cards.ts';

export interface AcrossUsers extends CursorInput {
  userId?: string;
  status?: CardStatus;
}

/** Cards of all users, in order of their ids. */
export const listAcrossUsers = (
  ctx: Ctx,
  { userId, status, ...input }: AcrossUsers,
): Promise<CursorPage<CardRow>> => {
  const name = `cards ${userId?.toLowerCase() ?? ''} ${status ?? ''}`;
  return readCursorPage({ name, keyForm: idForm, keyOf: ({ id }) => id }, input, (from) =>
    selectAcrossUsers(ctx.db, { userId, status, ...from }),
  );
};
