import { type Content, html } from '#platform/http/html';
import { findStalledJobs } from '#platform/worker/stalled-jobs';
import { figureReader } from '../figures.ts';
import { renderLateNote } from '../late-note.ts';
import type { Mount } from '../mount.ts';
import type { Known } from '../share-answer.ts';
import type { Visit } from '../visit.ts';
import { type Activity, addDaysLeft, readActivity, type Wallet } from '../wallets/read-wallets.ts';
import { renderWalletTable } from '../wallets/wallets-table.ts';
import { findAttention } from './find-attention.ts';
import { renderOverview } from './overview-page.ts';
import { renderPlot } from './plot.ts';
import { renderBalances } from './plot-balances.ts';
import { renderLatency } from './plot-latency.ts';

/** `/console`. */
export function overviewRoutes({ page, deps, options, sharedWallets, sharedNodes }: Mount): void {
  const figures = figureReader(options.gauges, deps);
  const readJobs = () =>
    findStalledJobs(deps.db, options.jobs).catch((error: unknown) => {
      deps.log.warn({ err: error }, 'the jobs could not be read');
      return undefined;
    });
  page('', async ({ visit, call }) => {
    const activity = await readActivity(call);
    const [read, nodes] = await Promise.all([sharedWallets.findKnown(call), sharedNodes.findKnown(call)]);
    const known = { wallets: read.known?.wallets, nodes: nodes.known?.networks };
    const [items, waiting, ages] = await Promise.all([
      findAttention({ figures, call, words: visit.words, readJobs, ...known }),
      figures('causeway_withdrawals_waiting'),
      figures('causeway_withdrawals_oldest_age_seconds'),
    ]);
    const wallets = renderWallets(visit, activity, read);
    const lasting = addDaysLeft(read.known?.wallets ?? [], activity);
    const plot = [
      renderBalances(visit, lasting),
      renderPlot(visit, activity),
      renderLatency(visit, activity),
    ];
    return renderOverview(visit, { items, waiting, ages, wallets, plot });
  });
}

function renderWallets(
  visit: Visit,
  activity: Activity,
  read: Known<{ wallets: readonly Wallet[] }>,
): Content {
  return html`${renderLateNote(visit, read)}
${read.known && renderWalletTable(visit, addDaysLeft(read.known.wallets, activity))}`;
}
