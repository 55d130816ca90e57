import type { AuditRow } from '#features/audit';
import { commonErrors, Refusal } from '#platform/errors/errors';
import { readFiltered } from '../filter.ts';
import type { Mount } from '../mount.ts';
import { filters, renderAudit, renderAuditRow } from './audit-page.ts';

/** Rows with their fields are long. */
const limit = 20;

/** `/console/audit` and `/console/audit/<number or id of a withdrawal>`. */
export function auditRoutes({ page, options }: Mount): void {
  const verify = options.commands.find(({ name }) => name === 'audit.verify')!;
  page('/audit', async ({ visit, call, request, reply }) => {
    const list = await readFiltered({ request, call }, 'audit.list', { filters, limit });
    if (list.refusal) reply.status(list.refusal.status);
    return renderAudit(visit, { list, mayVerify: visit.may(verify) });
  });
  page('/audit/:id', async ({ visit, call, request }) => {
    const { id } = request.params as { id: string };
    const { data } = await call('audit.show', { id }).catch((error: unknown) => {
      // An id that can be none is like an unknown one.
      throw error instanceof Refusal && error.status === 400 ? commonErrors.notFound() : error;
    });
    return renderAuditRow(visit, data as unknown as AuditRow);
  });
}
