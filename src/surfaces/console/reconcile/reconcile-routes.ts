import { figureReader } from '../figures.ts';
import type { Mount } from '../mount.ts';
import { type Asset, type Halts, type Network, renderReconcile } from './reconcile-page.ts';

/** `/console/reconcile`. */
export function reconcileRoutes({ page, deps, options }: Mount): void {
  const byName = new Map(options.commands.map((command) => [command.name, command]));
  const figures = figureReader(options.gauges, deps);
  const haltedIn = async (name: string) => {
    const rows = await figures(name);
    return rows?.filter(({ value }) => value === 1).map(({ labels }) => labels.network ?? '');
  };
  page('/reconcile', async ({ visit, call }) => {
    const [{ data }, wallets, deposits] = await Promise.all([
      call('treasury.show'),
      haltedIn('causeway_payouts_halted'),
      haltedIn('causeway_deposits_halted'),
    ]);
    const halts: Halts = { wallets, deposits };
    return renderReconcile(visit, {
      networks: data.networks as Network[],
      assets: data.assets as Asset[],
      halts,
      may: (name) => visit.may(byName.get(name)!),
    });
  });
}
