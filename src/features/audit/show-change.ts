import type { Ctx } from '#context';
import { commonErrors } from '#platform/errors/errors';
import type { RecordedElsewhere } from './list-changes.ts';
import { type AuditRow, selectAuditRow } from './queries.ts';

const numberForm = /^\d+$/;

/** One row of the audit log: by its number in the chains, or by the id of what another table records. */
export async function showChange(ctx: Ctx, id: string, elsewhere?: RecordedElsewhere): Promise<AuditRow> {
  const row = numberForm.test(id) ? await selectAuditRow(ctx.db, id) : await elsewhere?.find(ctx, id);
  if (!row) throw commonErrors.notFound();
  return row;
}
