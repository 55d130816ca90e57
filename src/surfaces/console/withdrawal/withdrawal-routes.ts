import type { Mount } from '../mount.ts';
import type { Change, Decisions, Delivery, Life } from './timeline.ts';
import { renderWithdrawal } from './withdrawal-page.ts';

/** `/console/withdrawals/<any id>`. */
export function withdrawalRoutes({ page, options }: Mount): void {
  const commands = new Map(options.commands.map((command) => [command.name, command]));
  page('/withdrawals/:id', async ({ visit, call, request }) => {
    const { id: withdrawalId } = request.params as { id: string };
    const { data } = await call('withdrawals.show', { withdrawalId });
    const life = data as unknown as Life;
    const [audit, trace, approvals] = await Promise.all([
      call('audit.list', { subject: `withdrawal:${life.id}`, limit: 100 }),
      call('webhooks.trace', { withdrawalId: life.id }),
      call('approvals.payment', { withdrawalId: life.id }),
    ]);
    return renderWithdrawal(visit, {
      life,
      changes: audit.data.items as Change[],
      deliveries: trace.data.items as Delivery[],
      decisions: approvals.data as unknown as Decisions,
      commands,
    });
  });
}
