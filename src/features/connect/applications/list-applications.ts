import type { Ctx } from '#context';
import { byId, type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import type { ApplicationStatus } from './application.ts';
import { asOf } from './find-application.ts';
import { selectApplications } from './queries.ts';
import { type ApplicationView, presentApplication } from './wire.ts';

/** Applications, newest first. */
export const listApplications = (
  { db, now }: Ctx,
  { status, ...input }: CursorInput & { status?: ApplicationStatus },
): Promise<CursorPage<ApplicationView>> =>
  readCursorPage(byId('integrations.applications'), input, async ({ after: before, limit }) => {
    const rows = await selectApplications(db, { status, before, limit });
    return rows.map((row) => presentApplication(asOf(row, now)));
  });
