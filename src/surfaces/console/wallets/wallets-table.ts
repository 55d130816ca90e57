import { shorten } from '#platform/commands/values';
import { type Html, html } from '#platform/http/html';
import type { Texts } from '../texts/index.ts';
import type { Reader } from '../visit.ts';
import type { LastingWallet } from './read-wallets.ts';

const daysShownMax = 999;

/** `12.5`, or `>999`. */
export const showDays = (days: number) => (days > daysShownMax ? `>${daysShownMax}` : days.toFixed(1));

/** Gas, tokens and days left, one row a wallet. */
export function renderWalletTable({ words }: Reader, wallets: readonly LastingWallet[]): Html {
  const { overview } = words;
  if (wallets.length === 0) return html`<p class="soft">${overview.noWallets}</p>`;
  const heads = [overview.network, overview.wallet, overview.gas, overview.payoutsLeft, overview.daysLeft];
  return html`<div class="scroll" role="region" aria-label="${overview.wallets}" tabindex="0"><table>
<thead><tr>${heads.map((head, at) => html`<th scope="col"${at > 1 && html` class="number"`}>${head}</th>`)}<th scope="col">${overview.tokens}</th><th scope="col" class="number">${overview.open}</th></tr></thead>
<tbody>${wallets.map((wallet) => renderRow(wallet, words))}</tbody></table></div>`;
}

function renderRow(wallet: LastingWallet, { overview, wallets }: Texts): Html {
  const { network, address, onChain, daysLeft, laneDepth, haltedAt } = wallet;
  const { unknown } = overview;
  const days = daysLeft === undefined ? '–' : showDays(daysLeft);
  const tokens = onChain?.tokens.map(
    ({ currency, balance }) => html`<span class="token">${balance} ${currency}</span> `,
  );
  return html`<tr><td>${network}${haltedAt && html` <span class="status bad">${wallets.halted}</span>`}</td><td><a href="/console/wallets#${network}-${address}" title="${address}"><code>${shorten(address)}</code></a></td>
<td class="number">${onChain ? renderGas(onChain.gas) : unknown}</td><td class="number">${onChain?.payoutsLeft ?? unknown}</td><td class="number">${days}</td><td>${tokens ?? unknown}</td><td class="number">${laneDepth}</td></tr>`;
}

/** Down to a millionth: less pays for nothing. */
function renderGas(gas: string): Html {
  const [whole, fraction = ''] = gas.split('.');
  return html`<span title="${gas}">${whole}.${fraction.slice(0, 6).padEnd(6, '0')}</span>`;
}
