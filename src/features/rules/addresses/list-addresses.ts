import type { Ctx } from '#context';
import {
  byId,
  type CursorInput,
  type CursorPage,
  nameList,
  readCursorPage,
} from '#platform/commands/cursor-page';
import { selectAddresses } from './queries.ts';
import { type BookEntry, presentAddress } from './wire.ts';

/** The address book, oldest entry first; of a partner, with the entries for every partner. */
export const listAddresses = (
  { db }: Ctx,
  { partnerId, ...input }: CursorInput & { partnerId?: string },
): Promise<CursorPage<BookEntry>> => {
  const list = byId<BookEntry>(nameList('addresses.list', { partnerId: partnerId?.toLowerCase() }));
  return readCursorPage(list, input, async (from) =>
    (await selectAddresses(db, { partnerId, ...from })).map(presentAddress),
  );
};
