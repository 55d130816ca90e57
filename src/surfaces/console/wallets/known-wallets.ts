import { type Content, html } from '#platform/http/html';
import { renderInstant } from '#surfaces/frame';
import type { Visit } from '../visit.ts';
import type { WalletsRead } from './share-wallets.ts';

export interface KnownWallets {
  known: WalletsRead | undefined;
  /** A node did not answer in time. */
  isLate: boolean;
}

/** Says that balances could not be read, and from when those are that are shown. */
export function renderLateNote(visit: Visit, { known, isLate }: KnownWallets): Content {
  const { unreadBalances, asOf } = visit.words.overview;
  const age = known && html` ${asOf} ${renderInstant(visit, known.readAt.toISOString())}`;
  return isLate && html`<p class="note">${unreadBalances}${age}</p>`;
}
