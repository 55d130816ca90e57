import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { selectPeople } from './queries/people.ts';
import { type PersonView, presentPerson } from './wire.ts';

/** People, oldest first, with those that are removed. */
export async function listPeople(
  ctx: Ctx,
  {
    partnerId,
    integrationId,
    limit = 50,
    cursor,
  }: CursorInput & { partnerId?: string; integrationId?: string },
): Promise<CursorPage<PersonView>> {
  const list = nameList('people.list', { partnerId, integrationId });
  const after = decodeCursor(list, cursor, uuidForm);
  const rows = await selectPeople(ctx.db, { partnerId, integrationId, after, limit: limit + 1 });
  return toCursorPage(list, rows.map(presentPerson), limit, ({ id }) => id);
}
