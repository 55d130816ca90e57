import type { Mount } from '../mount.ts';
import type { Change, Life } from './timeline.ts';
import { renderWithdrawal } from './withdrawal-page.ts';

/** `/console/withdrawals/<any id>`. */
export function withdrawalRoutes({ page, options }: Mount): void {
  const commands = new Map(options.commands.map((command) => [command.name, command]));
  page('/withdrawals/:id', async ({ visit, call, request }) => {
    const { id: withdrawalId } = request.params as { id: string };
    const { data } = await call('withdrawals.show', { withdrawalId });
    const life = data as unknown as Life;
    const audit = await call('audit.list', { subject: `withdrawal:${life.id}`, limit: 100 });
    return renderWithdrawal(visit, { life, changes: audit.data.items as Change[], commands });
  });
}
