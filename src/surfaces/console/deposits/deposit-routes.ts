import { tokenSymbols } from '#adapters/evm';
import type { ListedDeposit } from '#features/deposits';
import { commonErrors } from '#platform/errors/errors';
import { transactionHashForm } from '#platform/http/schemas';
import { figureReader, type ReadFigures } from '../figures.ts';
import { readFiltered } from '../filter.ts';
import { addressOf } from '../links.ts';
import type { Mount } from '../mount.ts';
import { renderDeposit } from './deposit-page.ts';
import { filters, renderDeposits, type WatchedNetwork } from './deposits-page.ts';

const ofTransactionMax = 25;

/** `/console/deposits` and `/console/deposits/<transaction hash>`. */
export function depositRoutes({ page, deps, options }: Mount): void {
  const byName = new Map(options.commands.map((command) => [command.name, command]));
  const figures = figureReader(options.gauges, deps);
  page('/deposits', async ({ visit, call, request, reply }) => {
    const [list, networks] = await Promise.all([
      readFiltered({ request, call }, 'deposits.list', { filters }),
      readNetworks(figures),
    ]);
    if (list.refusal) reply.status(list.refusal.status);
    const may = (name: string) => visit.may(byName.get(name)!);
    return renderDeposits(visit, { list, networks, currencies: tokenSymbols, may });
  });
  page('/deposits/:hash', async ({ visit, call, request, reply }) => {
    const { hash: transactionHash } = request.params as { hash: string };
    if (!transactionHashForm.test(transactionHash.toLowerCase())) throw commonErrors.notFound();
    const { data } = await call('deposits.list', { transactionHash, limit: ofTransactionMax });
    const deposits = data.items as ListedDeposit[];
    if (deposits.length === 0) throw commonErrors.notFound();
    // More than a page can show: the list has all of them, with pages.
    if (data.nextCursor !== null)
      return reply.redirect(addressOf('/console/deposits', { transactionHash }), 303);
    return renderDeposit(visit, { deposits, may: (name) => visit.may(byName.get(name)!) });
  });
}

/** From figures of the database: nodes that hang do not delay the page. */
async function readNetworks(figures: ReadFigures): Promise<WatchedNetwork[] | undefined> {
  const [blocks, ages, halts] = await Promise.all(
    ['last_block', 'last_block_age_seconds', 'halted'].map((name) => figures(`causeway_deposits_${name}`)),
  );
  if (!blocks || !ages || !halts) return undefined;
  return blocks.map(({ labels: { network = '' }, value: block }) => {
    const own = (rows: typeof blocks) => rows.find(({ labels }) => labels.network === network)?.value;
    return { network, block, ageSeconds: own(ages), isHalted: own(halts) === 1 };
  });
}
