import { shorten } from '#platform/commands/values';
import { type Content, type Html, html } from '#platform/http/html';
import { showDuration } from '#platform/values/duration';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderTable } from '#surfaces/frame';
import { searchAddress } from '../links.ts';
import type { Visit } from '../visit.ts';
import type { ShownBlock, ShownNetwork, ShownPayout } from './shown-network.ts';

/** Nodes need a moment to show a transaction that others have. */
const youngMs = 60_000;

/** What each node of a network answers, where they differ, and what to do about it. */
export function renderNodes(visit: Visit, shown: ShownNetwork): Html {
  const { nodes: words } = visit.words;
  const { network, nodes, agreeing, quorum, finality, deposits } = shown;
  const setting = `${network.toUpperCase()}_RPC_URLS`;
  const advice = Object.entries(words.advice).filter(([state]) => nodes.some((one) => one.state === state));
  return html`<section class="card" id="nodes-${network}"><h2>${words.of(network)}</h2>
<p class="${agreeing < quorum && 'note bad'}">${words.agree(agreeing, nodes.length, quorum)} <span class="soft">${words.finality(finality)}</span></p>
${renderTable(
  words.of(network),
  [
    words.node,
    words.state,
    { number: words.head },
    { number: words.age },
    { number: words.behind },
    { number: words.final },
    words.faults,
  ],
  nodes.map((one) => rowOf(visit, one)),
)}
${advice.length > 0 && html`<h3>${words.todo}</h3><ul>${advice.map(([, say]) => html`<li>${say(setting)}</li>`)}</ul>`}
${deposits?.trouble && html`<p class="note bad">${words.deposits(deposits.block)} <span lang="en" class="reason">${sanitizeText(deposits.trouble, 500)}</span></p>`}
${shown.payouts.map((one) => renderPayout(visit, one, setting))}</section>`;
}

function rowOf(
  visit: Visit,
  { node, state, head, blocksBehind, final, faults }: ShownNetwork['nodes'][number],
) {
  const { nodes: words } = visit.words;
  const tone = state === 'ok' ? 'good' : state === 'contradicts' || state === 'wrong chain' ? 'bad' : 'fair';
  const age = head
    ? showDuration(Math.max(visit.now.getTime() - new Date(head.at).getTime(), 0) / 1_000)
    : '–';
  const row: Content[] = [
    String(node),
    html`<span class="status ${tone}">${words.states[state] ?? state}</span>`,
    renderBlock(head),
    age,
    blocksBehind === null ? '–' : String(blocksBehind),
    renderBlock(final),
    faults.length === 0
      ? '–'
      : html`<span lang="en">${faults.map((fault) => html`<span class="fault-text">${sanitizeText(fault, 300)}</span>`)}</span>`,
  ];
  return row;
}

const renderBlock = (block: ShownBlock | null): Content =>
  block ? html`${block.number} <code title="${block.hash}">${shorten(block.hash)}</code>` : '–';

/** The first payout in line, if nodes differ about it for longer than they need. */
function renderPayout(visit: Visit, payout: ShownPayout, setting: string): Content {
  const { nodes: words } = visit.words;
  const { nonce, withdrawalId, wallet, signedAt, isContradicted, answers } = payout;
  const ageMs = visit.now.getTime() - new Date(signedAt).getTime();
  if (!isContradicted && ageMs < youngMs) return undefined;
  const rows = answers.map((one): Content[] => [
    String(one.node),
    html`<span class="status ${tones[one.outcome] ?? ''}">${words.outcomes[one.outcome] ?? one.outcome}</span>`,
    one.block === null ? '–' : String(one.block),
    String(one.transactionCount),
  ]);
  const title = words.payout(nonce);
  return html`<h3><a href="/console/withdrawals/${withdrawalId}">${title}</a></h3>
<p>${words.signed(showDuration(Math.max(ageMs, 0) / 1_000))} <a href="${searchAddress(wallet)}"><code>${shorten(wallet)}</code></a></p>
${isContradicted && html`<p class="note bad">${words.contradicted(setting)}</p>`}
${answers.length > 0 && renderTable(title, [words.node, words.says, { number: words.block }, { number: words.count }], rows)}`;
}

const tones: Readonly<Record<string, string>> = {
  success: 'good',
  reverted: 'bad',
  absent: 'fair',
  unknown: 'fair',
};
