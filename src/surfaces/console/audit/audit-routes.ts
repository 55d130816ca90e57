import { readFiltered } from '../filter.ts';
import type { Mount } from '../mount.ts';
import { filters, renderAudit } from './audit-page.ts';

/** Rows with their fields are long. */
const limit = 20;

/** `/console/audit`. */
export function auditRoutes({ page, options }: Mount): void {
  const verify = options.commands.find(({ name }) => name === 'audit.verify')!;
  page('/audit', async ({ visit, call, request, reply }) => {
    const list = await readFiltered({ request, call }, 'audit.list', { filters, limit });
    if (list.refusal) reply.status(list.refusal.status);
    return renderAudit(visit, { list, mayVerify: visit.may(verify) });
  });
}
