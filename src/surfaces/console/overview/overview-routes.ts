import { setTimeout as after } from 'node:timers/promises';
import { type Content, html } from '#platform/http/html';
import type { CallCommand } from '../call-command.ts';
import { figureReader } from '../figures.ts';
import type { Mount } from '../mount.ts';
import type { Visit } from '../visit.ts';
import { type Activity, readActivity, readWallets } from '../wallets/read-wallets.ts';
import { renderWalletTable } from '../wallets/wallets-table.ts';
import { findAttention } from './find-attention.ts';
import { renderOverview } from './overview-page.ts';
import { renderPlot } from './plot.ts';

/** Balances come from nodes: the page does not wait for one that is down. */
const walletsWaitMs = 1_000;

/** `/console`. */
export function overviewRoutes({ page, deps, options }: Mount): void {
  const figures = figureReader(options.gauges, deps);
  page('', async ({ visit, call }) => {
    const activity = await readActivity(call);
    const [items, waiting, ages, wallets] = await Promise.all([
      findAttention({ figures, call, words: visit.words }),
      figures('causeway_withdrawals_waiting'),
      figures('causeway_withdrawals_oldest_age_seconds'),
      renderWallets(visit, call, activity),
    ]);
    const plot = renderPlot(visit, activity);
    return renderOverview(visit, { items, waiting, ages, wallets, plot });
  });
}

async function renderWallets(visit: Visit, call: CallCommand, activity: Activity): Promise<Content> {
  const { unread } = visit.words.overview;
  const stop = new AbortController();
  const late = after(walletsWaitMs, undefined, { signal: stop.signal }).catch(() => undefined);
  const read = readWallets(call, activity).catch(() => undefined);
  const wallets = await Promise.race([read, late]);
  stop.abort();
  return wallets ? renderWalletTable(visit, wallets) : html`<p class="note">${unread}</p>`;
}
