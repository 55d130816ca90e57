import { figureReader } from '../figures.ts';
import type { Mount } from '../mount.ts';
import { findTrouble } from './find-trouble.ts';
import type { Change, Decisions, Delivery, Life } from './timeline.ts';
import { renderWithdrawal } from './withdrawal-page.ts';

/** `/console/withdrawals/<any id>`. */
export function withdrawalRoutes({ page, options, deps, sharedWallets, sharedNodes }: Mount): void {
  const commands = new Map(options.commands.map((command) => [command.name, command]));
  const figures = figureReader(options.gauges, deps);
  page('/withdrawals/:id', async ({ visit, call, request }) => {
    const { id: withdrawalId } = request.params as { id: string };
    const { data } = await call('withdrawals.show', { withdrawalId });
    const life = data as unknown as Life;
    const [audit, trace, approvals, trouble] = await Promise.all([
      call('audit.list', { subject: `withdrawal:${life.id}`, limit: 100 }),
      call('webhooks.trace', { withdrawalId: life.id }),
      call('approvals.payment', { withdrawalId: life.id }),
      findTrouble({ now: visit.now, figures, sharedWallets, sharedNodes, call }, life),
    ]);
    return renderWithdrawal(visit, {
      life,
      changes: audit.data.items as Change[],
      deliveries: trace.data.items as Delivery[],
      trouble,
      decisions: approvals.data as unknown as Decisions,
      commands,
    });
  });
}
