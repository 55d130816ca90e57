import type { Ctx, PartnerAdmin } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { selectOwnAddresses } from './queries.ts';
import { type OwnAddress, presentOwnAddress } from './wire.ts';

/** The partner's address book with what waits for it, oldest entry first. */
export async function listOwnAddresses(
  { db, actor: { partnerId } }: Ctx<PartnerAdmin>,
  { cursor, limit = 50 }: CursorInput,
): Promise<CursorPage<OwnAddress>> {
  const list = nameList('addresses.own', { partnerId });
  const after = decodeCursor(list, cursor, uuidForm);
  const search = { partnerId, ...(after && { after }), limit: limit + 1 };
  const rows = await selectOwnAddresses(db, search);
  return toCursorPage(list, rows.map(presentOwnAddress), limit, ({ id }) => id);
}
