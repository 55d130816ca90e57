import { type Content, html } from '#platform/http/html';
import { renderInstant } from '#surfaces/frame';
import { figureReader } from '../figures.ts';
import type { Mount } from '../mount.ts';
import type { Visit } from '../visit.ts';
import { type Activity, addDaysLeft, readActivity } from '../wallets/read-wallets.ts';
import type { WalletsRead } from '../wallets/share-wallets.ts';
import { renderWalletTable } from '../wallets/wallets-table.ts';
import { findAttention } from './find-attention.ts';
import { renderOverview } from './overview-page.ts';
import { renderPlot } from './plot.ts';

/** `/console`. */
export function overviewRoutes({ page, deps, options, sharedWallets }: Mount): void {
  const figures = figureReader(options.gauges, deps);
  page('', async ({ visit, call }) => {
    const activity = await readActivity(call);
    const read = await sharedWallets.findKnown(call);
    const [items, waiting, ages] = await Promise.all([
      findAttention({ figures, call, words: visit.words, wallets: read.known?.wallets }),
      figures('causeway_withdrawals_waiting'),
      figures('causeway_withdrawals_oldest_age_seconds'),
    ]);
    const wallets = renderWallets(visit, activity, read);
    const plot = renderPlot(visit, activity);
    return renderOverview(visit, { items, waiting, ages, wallets, plot });
  });
}

interface KnownWallets {
  known: WalletsRead | undefined;
  isLate: boolean;
}

function renderWallets(visit: Visit, activity: Activity, { known, isLate }: KnownWallets): Content {
  const { unreadBalances, asOf } = visit.words.overview;
  const age = known && html` ${asOf} ${renderInstant(visit, known.readAt.toISOString())}`;
  return html`${isLate && html`<p class="note">${unreadBalances}${age}</p>`}
${known && renderWalletTable(visit, addDaysLeft(known.wallets, activity))}`;
}
