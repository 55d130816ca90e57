import type { Ctx } from '#context';
import type { Command } from '#platform/commands/command';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderInstant, renderStatus } from '#surfaces/frame';
import { renderAnswer } from '../answer.ts';
import { answerAddress } from '../links.ts';
import { whyOf } from '../overview/find-attention.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import type { HaltedWallet } from '../wallets/help-for-halt.ts';
import { renderHalt, renderHaltHelp } from '../wallets/render-halt.ts';
import { actionsFor } from './actions.ts';
import { reasonOf, type Trouble } from './find-trouble.ts';
import { type Happened, type Moment, timelineOf } from './timeline.ts';

export interface WithdrawalPage extends Happened {
  trouble: Trouble;
  commands: ReadonlyMap<string, Command<Ctx>>;
}

/** The life of a withdrawal: why it waits and what to do, what happened, and its facts. */
export function renderWithdrawal(visit: Visit, page: WithdrawalPage): string {
  const { life, commands } = page;
  const { withdrawal } = visit.words;
  const title = withdrawal.title(life.amount, life.currency);
  const { states: _states, payout: _payout, formerPayouts: _former, ...facts } = life;
  const command = commands.get('withdrawals.show')!;
  return renderPage(visit, {
    title,
    body: html`<div id="life" data-live><h1>${title} ${renderStatus(visit, life.status)}</h1>
${renderWait(visit, page)}
${page.trouble.halted.map((wallet) => renderHalted(visit, commands, wallet))}
${renderActions(visit, page)}
<section class="card"><h2>${withdrawal.timeline}</h2><ol class="timeline">${timelineOf(visit, page).map((one) => renderMoment(visit, one))}</ol></section>
<section class="card"><h2>${withdrawal.facts}</h2>${renderAnswer({ reader: visit, command }, facts)}
<p><a href="${answerAddress('webhooks.list', { partnerId: life.partnerId })}">${withdrawal.endpoints}</a></p></section></div>`,
  });
}

function renderMoment(visit: Visit, { at, what, whole, detail, address }: Moment): Html {
  const text = html`<strong${whole && html` title="${whole}"`}>${sanitizeText(what)}</strong>`;
  return html`<li>${renderInstant(visit, at)} ${address ? html`<a href="${address}">${text}</a>` : text}${detail && html`<p class="soft">${sanitizeText(detail, 500)}</p>`}</li>`;
}

function renderWait({ words }: Visit, { life, trouble }: WithdrawalPage): Content {
  const { withdrawal, reasons } = words;
  if (life.status === 'completed' || life.status === 'failed') {
    const why = life.errorMessage && html` <strong>${sanitizeText(life.errorMessage, 500)}</strong>`;
    return html`<p class="note ${life.status === 'failed' && 'bad'}">${withdrawal.finalText}${why}</p>`;
  }
  const reason = reasonOf(life, trouble);
  const todo = (reasons[reason] ?? reasons.currency!).todo;
  return html`<section class="card"><h2>${withdrawal.waits}</h2><p>${whyOf(words, reason)}</p>
<h2>${withdrawal.todo}</h2><p>${todo}</p></section>`;
}

/** The wallet that the withdrawal waits for, why it is halted, and what ends the halt. */
function renderHalted(visit: Visit, commands: WithdrawalPage['commands'], wallet: HaltedWallet): Html {
  const { network, address } = wallet;
  return html`<section class="card"><h2>${visit.words.halts.title}</h2>
<p>${network} <a href="/console/wallets#${network}-${address}"><code>${address}</code></a></p>
${renderHalt(visit, wallet)}
<p class="actions">${renderHaltHelp(visit, commands, wallet)}</p></section>`;
}

/** Only what the person's role may run. */
function renderActions(visit: Visit, { life, trouble, commands }: WithdrawalPage): Html | false {
  const may = (name: string) => visit.may(commands.get(name)!);
  const actions = actionsFor(life, trouble, visit.words).filter(
    ({ command }) => command === undefined || may(command),
  );
  if (actions.length === 0) return false;
  return html`<p class="actions">${actions.map(
    ({ address, label }, at) => html`<a class="button${at > 0 && ' quiet'}" href="${address}">${label}</a> `,
  )}</p>`;
}
