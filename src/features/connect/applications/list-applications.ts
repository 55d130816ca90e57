import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import type { ApplicationStatus } from './application.ts';
import { asOf } from './find-application.ts';
import { selectApplications } from './queries.ts';
import { type ApplicationView, presentApplication } from './wire.ts';

/** Applications, newest first. */
export async function listApplications(
  { db, now }: Ctx,
  { status, cursor, limit = 50 }: CursorInput & { status?: ApplicationStatus },
): Promise<CursorPage<ApplicationView>> {
  const before = decodeCursor('integrations.applications', cursor, uuidForm);
  const rows = await selectApplications(db, { status, before, limit: limit + 1 });
  const shown = rows.map((row) => presentApplication(asOf(row, now)));
  return toCursorPage('integrations.applications', shown, limit, ({ id }) => id);
}
