import type { Ctx } from '#context';
import {
  byId,
  type CursorInput,
  type CursorPage,
  nameList,
  readCursorPage,
} from '#platform/commands/cursor-page';
import { selectPeople } from './queries/people.ts';
import { type PersonView, presentPerson } from './wire.ts';

/** People, oldest first, with those that are removed. */
export const listPeople = (
  ctx: Ctx,
  { partnerId, integrationId, ...input }: CursorInput & { partnerId?: string; integrationId?: string },
): Promise<CursorPage<PersonView>> =>
  readCursorPage(byId(nameList('people.list', { partnerId, integrationId })), input, async (from) =>
    (await selectPeople(ctx.db, { partnerId, integrationId, ...from })).map(presentPerson),
  );
