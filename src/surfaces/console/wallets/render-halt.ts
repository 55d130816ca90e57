import type { Ctx } from '#context';
import type { Command } from '#platform/commands/command';
import { type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderInstant } from '#surfaces/frame';
import type { Visit } from '../visit.ts';
import { type HaltedWallet, helpForHalt } from './help-for-halt.ts';

/** Since when a wallet is halted, and why. */
export function renderHalt(visit: Visit, { haltedAt, haltedReason }: HaltedWallet): Html {
  const { wallets, halts } = visit.words;
  const reason =
    haltedReason === null
      ? halts.notRead
      : html`<span lang="en" class="reason">${sanitizeText(haltedReason, 500)}</span>`;
  return html`<p class="note bad"><strong>${wallets.halted}</strong> ${haltedAt && html`${renderInstant(visit, haltedAt)}: `}${reason}</p>`;
}

/** Buttons for what ends the halt, as far as the person's role may. */
export function renderHaltHelp(
  visit: Visit,
  byName: ReadonlyMap<string, Command<Ctx>>,
  wallet: HaltedWallet,
): Html[] {
  return helpForHalt(wallet, visit.words)
    .filter(({ command }) => command === undefined || visit.may(byName.get(command)!))
    .map(
      ({ label, address }, at) =>
        html`<a class="button${at > 0 && ' quiet'}" href="${address}">${label}</a> `,
    );
}
