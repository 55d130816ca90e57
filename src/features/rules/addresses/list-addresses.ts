import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { selectAddresses } from './queries.ts';
import { type BookEntry, presentAddress } from './wire.ts';

/** The address book, oldest entry first; of a partner, with the entries for every partner. */
export async function listAddresses(
  { db }: Ctx,
  { partnerId, cursor, limit = 50 }: CursorInput & { partnerId?: string },
): Promise<CursorPage<BookEntry>> {
  const list = nameList('addresses.list', { partnerId: partnerId?.toLowerCase() });
  const after = decodeCursor(list, cursor, uuidForm);
  const rows = await selectAddresses(db, { partnerId, after, limit: limit + 1 });
  return toCursorPage(list, rows.map(presentAddress), limit, ({ id }) => id);
}
