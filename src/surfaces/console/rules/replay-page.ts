import { type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderId } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';

/** The answer of `rules.replay`. */
export interface Replay {
  revision: number;
  since: string;
  withdrawals: number;
  isCut: boolean;
  verdicts: {
    verdict: 'allow' | 'deny' | 'approve';
    rule: string | null;
    count: number;
    withdrawalIds: string[];
  }[];
}

const tones = { allow: 'good', deny: 'bad', approve: 'fair' } as const;
const order = ['deny', 'approve', 'allow'];

/** What a set would have said, by rule, with links to some withdrawals; denials first. */
export function renderReplay(visit: Visit, replay: Replay): string {
  const { rules: words } = visit.words;
  const title = words.replayTitle(replay.revision);
  const rows = replay.verdicts.toSorted(
    (one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict),
  );
  return renderPage(visit, {
    title,
    body: html`<p><a href="/console/rules">${words.title}</a></p><h1>${title}</h1>
<p class="lead">${words.replayLead(replay.withdrawals, replay.since.slice(0, 10))} ${replay.isCut && words.replayCut}</p>
<section class="card" id="answer">${rows.length === 0 ? html`<p class="soft">${words.nothing}</p>` : renderVerdicts(visit, rows)}</section>`,
  });
}

function renderVerdicts({ words }: Visit, rows: Replay['verdicts']): Html {
  const { rules } = words;
  return html`<div class="scroll" role="region" aria-label="${rules.title}" tabindex="0"><table>
<thead><tr><th scope="col">${rules.fields.verdict}</th><th scope="col">${rules.rule}</th><th scope="col" class="number">${rules.count}</th><th scope="col">${rules.examples}</th></tr></thead>
<tbody>${rows.map(
    ({ verdict, rule, count, withdrawalIds }) =>
      html`<tr><td><span class="status ${tones[verdict]}">${rules.choices[verdict]}</span></td><td>${rule === null ? (verdict === 'deny' ? rules.noRule : '–') : sanitizeText(rule)}</td><td class="number">${count}</td><td>${withdrawalIds.map((id) => html`${renderId(`/console/withdrawals/${id}`, id)} `)}</td></tr>`,
  )}</tbody></table></div>`;
}
