import type { Ctx, PartnerAdmin } from '#context';
import {
  byId,
  type CursorInput,
  type CursorPage,
  nameList,
  readCursorPage,
} from '#platform/commands/cursor-page';
import { selectOwnAddresses } from './queries.ts';
import { type OwnAddress, presentOwnAddress } from './wire.ts';

/** The partner's address book with what waits for it, oldest entry first. */
export const listOwnAddresses = (
  { db, actor: { partnerId } }: Ctx<PartnerAdmin>,
  input: CursorInput,
): Promise<CursorPage<OwnAddress>> =>
  readCursorPage(byId(nameList('addresses.own', { partnerId })), input, async ({ after, limit }) =>
    (await selectOwnAddresses(db, { partnerId, ...(after && { after }), limit })).map(presentOwnAddress),
  );
