import type { Ctx } from '#context';
import type { Command } from '#platform/commands/command';
import { type Content, type Html, html } from '#platform/http/html';
import { renderLateNote } from '../late-note.ts';
import { answerAddress, formAddress } from '../links.ts';
import type { Mount } from '../mount.ts';
import { renderNodes } from '../nodes/render-nodes.ts';
import { whyOf } from '../overview/find-attention.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { addDaysLeft, type LastingWallet, readActivity } from './read-wallets.ts';
import { renderHalt, renderHaltHelp } from './render-halt.ts';
import { renderWalletTable } from './wallets-table.ts';

/** `/console/wallets`. */
export function walletRoutes({ page, options, sharedWallets, sharedNodes }: Mount): void {
  const byName = new Map(options.commands.map((command) => [command.name, command]));
  page('/wallets', async ({ visit, call }) => {
    const activity = await readActivity(call);
    const [read, nodes] = await Promise.all([sharedWallets.findKnown(call), sharedNodes.findKnown(call)]);
    const wallets = addDaysLeft(read.known?.wallets ?? [], activity);
    const { title, lead } = visit.words.wallets;
    return renderPage(visit, {
      title,
      body: html`<h1>${title}</h1><p class="lead">${lead}</p><div id="wallets" data-live>
${renderLateNote(visit, read)}
${read.known && html`<section class="card">${renderWalletTable(visit, wallets)}</section>`}
${wallets.map((wallet) => renderWallet(visit, byName, wallet))}
${renderLateNote(visit, nodes, visit.words.nodes.unread)}
${nodes.known?.networks.map((one) => renderNodes(visit, one))}</div>`,
    });
  });
}

function renderWallet(visit: Visit, byName: ReadonlyMap<string, Command<Ctx>>, wallet: LastingWallet): Html {
  const { words } = visit;
  const { network, address, isCurrent, haltedAt, waiting, onChain } = wallet;
  const action = (name: string, label: string): Content =>
    visit.may(byName.get(name)!) &&
    html`<a class="button quiet" href="${formAddress(name, { network, address })}">${label}</a> `;
  return html`<section class="card" id="${network}-${address}"><h2>${network} <small>${isCurrent ? words.wallets.current : words.wallets.former}</small></h2>
<p><code>${address}</code></p>
${haltedAt && renderHalt(visit, wallet)}
${!onChain && html`<p class="note">${words.wallets.noChain}</p>`}
${
  waiting.length > 0 &&
  html`<h3>${words.wallets.waiting(network)}</h3><ul>${waiting.map(({ waitingFor, count }) => {
    const filter = { status: 'pending', network, waitingFor };
    return html`<li><a href="${answerAddress('withdrawals.list', filter)}">${count}: ${whyOf(words, waitingFor)}</a></li>`;
  })}</ul>`
}
<p class="actions">${haltedAt ? renderHaltHelp(visit, byName, wallet) : action('wallets.halt', words.wallets.halt)}</p></section>`;
}
