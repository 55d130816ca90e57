import { type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import type { Reader } from '../visit.ts';
import type { LastingWallet } from '../wallets/read-wallets.ts';
import { showDays } from '../wallets/wallets-table.ts';

const barsMax = 24;

interface Bar {
  label: string;
  balance: string;
  days: number | undefined;
}

/** A table of the tokens of wallets that workers sign with; each row has a bar beside its figure. */
export function renderBalances({ words }: Reader, wallets: readonly LastingWallet[]): Html | false {
  const { balances, walletToken, balance, gasDays, daysLeft } = words.overview;
  const current = wallets.filter(({ isCurrent }) => isCurrent);
  const bars = current.flatMap((wallet) => barsOf(wallet, current)).slice(0, barsMax);
  if (bars.length === 0) return false;
  const highest = Math.max(1, ...bars.map((bar) => Number(bar.balance)));
  const rows = bars.map(({ label, balance: amount, days }) => {
    const long = Math.max(0.5, (Number(amount) / highest) * 100).toFixed(1);
    const bar = html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${long}" height="10"/></svg>`;
    return html`<tr><th scope="row">${label}</th><td class="bars">${bar}</td><td class="number">${amount}</td><td>${days !== undefined && gasDays(showDays(days))}</td></tr>`;
  });
  return html`<section class="card" id="balances" data-live><h2>${balances}</h2>
<div class="scroll" role="region" aria-label="${balances}" tabindex="0"><table><thead><tr><th scope="col">${walletToken}</th><td></td><th scope="col" class="number">${balance}</th><th scope="col">${daysLeft}</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

/** With the end of its address, if its network has several. */
function barsOf(wallet: LastingWallet, all: readonly LastingWallet[]): Bar[] {
  const { network, address, onChain, daysLeft } = wallet;
  const tokens = onChain?.tokens ?? [];
  const isAlone = all.every((one) => one === wallet || one.network !== network);
  const which = isAlone ? '' : ` …${address.slice(-6)}`;
  return tokens.map(({ currency, balance }) => ({
    label: `${sanitizeText(`${network} ${currency}`, 30)}${which}`,
    balance,
    days: daysLeft,
  }));
}
