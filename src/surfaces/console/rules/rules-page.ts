import { responsibleFor } from '#features/people';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderCsrf, renderInstant } from '#surfaces/frame';
import { addressOf, formAddress } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { differenceOf, type Rule, type RuleSet, sentenceOf } from './rule.ts';

/** A page of more would be larger than 60 kB. */
const shownMax = 25;

/** The part of the list that has a rule. */
export const partOf = (at: number): number => Math.max(0, Math.floor(at / shownMax) || 0) * shownMax;

export interface RulesPage {
  /** The first rule that is shown, from `partOf`. */
  from: number;
  published: RuleSet | undefined;
  /** The newest set, if it is not published. */
  draft: RuleSet | undefined;
  /** The newest revision; 0 if there is no set. */
  last: number;
  /** From `issueOnce`, for whichever form of the page is sent. */
  once: string;
  /** Drafts are stored for a second operator. */
  waits: boolean;
  canDraft: boolean;
  canPublish: boolean;
}

/** Published rules and the draft, as sentences, with what can be done to each. */
export function renderRules(visit: Visit, page: RulesPage): string {
  const { rules: words } = visit.words;
  const { published, draft, canDraft, last, waits } = page;
  const base = (draft ?? published)?.revision ?? 0;
  return renderPage(visit, {
    title: words.title,
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
${waits && canDraft && html`<p class="note">${visit.words.confirm.secondOperator}</p>`}
<section class="card" id="published"><h2>${words.published} ${renderAbout(visit, published)}</h2>${renderList(visit, page, published, !draft)}</section>
<section class="card" id="draft"><h2>${words.draft} ${renderAbout(visit, draft)}</h2>
${draft ? html`${renderList(visit, page, draft, true)}${renderRemoved(visit, page)}${renderDraftActions(visit, page, draft)}` : html`<p class="soft">${words.noDraft}</p>`}</section>
${canDraft && html`<p><a class="button" href="${addressOf('/console/rules/edit', { base: String(base), last: String(last) })}">${words.add}</a> <small>${words.saved}</small></p>`}`,
  });
}

function renderAbout(visit: Visit, set: RuleSet | undefined): Content {
  const { rules: words } = visit.words;
  return (
    set &&
    html`<small>${words.revision(set.revision)}, ${words.by(sanitizeText(set.draftedBy))}, ${renderInstant(visit, set.draftedAt)}</small>`
  );
}

function renderList(visit: Visit, page: RulesPage, set: RuleSet | undefined, isEdited: boolean): Html {
  const { rules: words } = visit.words;
  if (!set || set.rules.length === 0) return html`<p class="soft">${words.noRules}</p>`;
  const { from } = page;
  const former = set.status === 'draft' ? (page.published?.rules ?? []) : undefined;
  return html`${renderParts(visit, page, set, former)}<ol class="rules" start="${from + 1}">${set.rules
    .slice(from, from + shownMax)
    .map((rule, nth) => {
      const at = from + nth;
      const difference = former && differenceOf(former, rule, at);
      const tag = difference && difference !== 'same' && words.differences[difference];
      return html`<li><strong>${sanitizeText(rule.name)}</strong>${tag && html` <span class="tag">${tag}</span>`}<br>${sentenceOf(visit.words, rule)}
${isEdited && page.canDraft && renderRuleActions(visit, page, set, { rule, at })}</li>`;
    })}</ol>`;
}

/** Links to the parts of a long list, each with how many of its rules differ from the published ones. */
function renderParts(
  { words }: Visit,
  { from }: RulesPage,
  { rules }: RuleSet,
  former: readonly Rule[] | undefined,
): Content {
  if (rules.length <= shownMax) return undefined;
  const starts = Array.from({ length: Math.ceil(rules.length / shownMax) }, (_, part) => part * shownMax);
  return html`<p class="filter">${starts.map((start) => {
    const some = rules.slice(start, start + shownMax);
    const count = former
      ? some.filter((rule, nth) => differenceOf(former, rule, start + nth) !== 'same').length
      : 0;
    return html`<a href="${addressOf('/console/rules', { from: String(start) })}"${start === from && html` aria-current="true"`}>${start + 1}–${start + some.length}${count > 0 && html` (${words.rules.differ(count)})`}</a> `;
  })}</p>`;
}

function renderRuleActions(
  visit: Visit,
  { last, once }: RulesPage,
  set: RuleSet,
  place: { rule: Rule; at: number },
): Html {
  const { rules: words } = visit.words;
  const { rule, at } = place;
  const about = html` <span class="unseen">${words.ofRule(sanitizeText(rule.name))}</span>`;
  const fields = { base: String(set.revision), last: String(last), at: String(at) };
  const hidden = Object.entries({ ...fields, once }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const button = (move: string, label: string) =>
    html`<button class="quiet small" name="move" value="${move}">${label}${about}</button> `;
  return html`<form class="inline" method="post" action="/console/rules/move">${renderCsrf(visit.session)}${hidden}<a class="button quiet small" href="${addressOf('/console/rules/edit', fields)}">${words.change}${about}</a>
${at > 0 && button('up', words.up)}${at < set.rules.length - 1 && button('down', words.down)}${button('remove', words.remove)}</form>`;
}

function renderRemoved(visit: Visit, { published, draft }: RulesPage): Content {
  const { rules: words } = visit.words;
  const kept = new Set(draft!.rules.map(({ name }) => name));
  const gone = (published?.rules ?? []).filter(({ name }) => !kept.has(name));
  if (gone.length === 0) return '';
  const more = gone.length - shownMax;
  return html`<p>${words.removed}</p><ul>${gone.slice(0, shownMax).map((rule) => html`<li><del>${sanitizeText(rule.name)}: ${sentenceOf(visit.words, rule)}</del></li>`)}</ul>${more > 0 && html`<p class="soft">${visit.words.result.more(more)}</p>`}`;
}

function renderDraftActions(visit: Visit, { canPublish }: RulesPage, draft: RuleSet): Html {
  const { rules: words } = visit.words;
  const revision = String(draft.revision);
  const isOwn = responsibleFor(draft.draftedBy) === responsibleFor(`person:${visit.session.person.email}`);
  const publish =
    canPublish &&
    (isOwn
      ? html`<span class="soft">${words.ownDraft}</span>`
      : html`<a class="button" href="${formAddress('rules.publish', { revision })}">${words.publish}</a>`);
  return html`<p class="actions"><a class="button quiet" href="${addressOf('/console/rules/replay', { revision })}">${words.replay}</a> ${publish}</p>`;
}
