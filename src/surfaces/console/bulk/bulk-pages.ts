import type { Ctx } from '#context';
import { passkeyScript, renderStepUp } from '#features/people';
import type { Command } from '#platform/commands/command';
import { wordsOf } from '#platform/commands/command-description';
import { type Item, shorten, wordsOfField } from '#platform/commands/values';
import type { Refusal } from '#platform/errors/errors';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderCsrf } from '#surfaces/frame';
import { renderAnswer } from '../answer.ts';
import { ownFields, type Typed } from '../command/read-form.ts';
import { hideSecrets } from '../command/read-preview.ts';
import { renderFields } from '../command/render-form.ts';
import { placeOf } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import type { BulkCommand } from './bulk-commands.ts';

export interface BulkPage {
  command: Command<Ctx>;
  bulk: BulkCommand;
  byName: ReadonlyMap<string, Command<Ctx>>;
  typed: Typed;
  /** Each is stored for a second operator instead of run. */
  waits: boolean;
  refusal?: Refusal | undefined;
}

/** A record that was chosen: what is known about it, or why it could not be read. */
export interface Chosen {
  id: string;
  facts?: Item;
  fault?: string;
}

export interface Outcome {
  id: string;
  state: 'done' | 'stored' | 'refused' | 'unknown';
  message?: string;
}

/** Every record with what would happen to it. What cannot be read is left out. */
export function renderBulkConfirmation(
  visit: Visit,
  page: BulkPage,
  { chosen, once }: { chosen: readonly Chosen[]; once: string },
): string {
  const { command, waits, refusal } = page;
  const { confirm, bulk: words } = visit.words;
  const { session } = visit;
  const needsPasskey = command.stepUp === true && !session.isFresh;
  const known = chosen.filter(({ fault }) => fault === undefined);
  return renderPage(visit, {
    title: confirm.title,
    scripts: needsPasskey ? [passkeyScript] : [],
    body: html`<h1>${confirm.title}</h1>
${refusal && html`<div role="alert" class="fault card"><p>${visit.words.form.fix} <strong lang="en">${sanitizeText(refusal.message, 1_000)}</strong></p></div>`}
<div class="card"><p>${words.will(known.length)} <strong lang="en">${wordsOf(command)}</strong></p>
<p lang="en">${command.summary}</p>${renderGiven(page)}
<ol class="chosen">${chosen.map((one) => renderChosen(visit, page, one))}</ol>
${waits && html`<p class="note">${confirm.secondOperator}</p>`}
<p class="soft">${confirm.audited(`person:${session.person.email}`)}</p>
${needsPasskey && html`<p class="note">${confirm.stepUp}</p>`}
${known.length > 0 && renderRunForm(visit, page, { known, once, needsPasskey })}</div>`,
  });
}

interface RunForm {
  known: readonly Chosen[];
  once: string;
  needsPasskey: boolean;
}

function renderRunForm(visit: Visit, page: BulkPage, { known, once, needsPasskey }: RunForm): Html {
  const { command, bulk, typed, waits, refusal } = page;
  const { confirm } = visit.words;
  const hidden = [
    ...known.map(({ id }) => [bulk.each, id] as const),
    ...givenIn(page).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
  ].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  const fields =
    bulk.asked.length > 0 &&
    renderFields(visit, onlyAsked(page), { typed, faults: refusal?.details ?? [], example: {} });
  return html`<form id="run" method="post" action="/console/bulk/${command.name}">${renderCsrf(visit.session)}<input type="hidden" name="step" value="run"><input type="hidden" name="once" value="${once}">${hidden}
${fields}<button${needsPasskey && html` class="quiet"`}>${waits ? confirm.ask : confirm.run}</button></form>
${needsPasskey && renderStepUp(visit.session, visit.language, 'run')}`;
}

/** The command with the fields that are typed here. */
function onlyAsked({ command, bulk }: BulkPage): Command<Ctx> {
  const { properties, required = [] } = command.input;
  const isAsked = (name: string) => bulk.asked.includes(name);
  const input = {
    ...command.input,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isAsked(name))),
    required: required.filter(isAsked),
  };
  return { ...command, input } as Command<Ctx>;
}

/** Fields that came with the choice, such as the decision. */
const givenIn = ({ bulk, typed }: BulkPage) =>
  [...typed].filter(
    ([name, values]) =>
      name !== bulk.each &&
      !ownFields.includes(name) &&
      !bulk.asked.includes(name) &&
      values.some((one) => one !== ''),
  );

function renderGiven(page: BulkPage): Html | false {
  const given = givenIn(page);
  if (given.length === 0) return false;
  return html`<dl class="facts">${given.map(
    ([name, values]) =>
      html`<div><dt lang="en">${wordsOfField(name)}</dt><dd><strong class="typed">${values.join('\n')}</strong></dd></div>`,
  )}</dl>`;
}

function renderChosen(visit: Visit, { command, bulk, byName }: BulkPage, { id, facts, fault }: Chosen): Html {
  const name = renderName(command, bulk, id);
  if (fault !== undefined)
    return html`<li>${name} <span class="bad">${visit.words.bulk.leftOut}</span> <span lang="en">${fault}</span></li>`;
  if (!facts) return html`<li>${name}</li>`;
  const { input, ...plain } = facts;
  const shown = input === undefined ? plain : { ...plain, input: hideSecrets((input ?? {}) as Item) };
  const view = { reader: visit, command: byName.get(bulk.read!.command)! };
  return html`<li>${name}${renderAnswer(view, shown, 3)}</li>`;
}

function renderName({ name }: Command<Ctx>, { each }: BulkCommand, id: string): Content {
  const code = html`<code title="${id}">${shorten(sanitizeText(id))}</code>`;
  const place = placeOf(name, each, id);
  return place === undefined ? code : html`<a href="${place}">${code}</a>`;
}

/** One line each. */
export function renderBulkResult(
  visit: Visit,
  { command, bulk }: BulkPage,
  outcomes: readonly Outcome[],
): string {
  const { bulk: words, form } = visit.words;
  const done = outcomes.filter(({ state }) => state === 'done' || state === 'stored').length;
  const title = words.result(done, outcomes.length);
  const hasUnknown = outcomes.some(({ state }) => state === 'unknown');
  return renderPage(visit, {
    title,
    body: html`<h1>${title}</h1><p class="lead" lang="en">${wordsOf(command)}: ${command.summary}</p>
<div class="card"><ol class="chosen" id="outcomes">${outcomes.map(({ id, state, message }) => {
      const tone = state === 'done' ? 'good' : state === 'stored' ? 'fair' : 'bad';
      return html`<li>${renderName(command, bulk, id)} <strong class="${tone}">${words.states[state]}</strong>${message && html` <span lang="en">${sanitizeText(message, 500)}</span>`}</li>`;
    })}</ol>${hasUnknown && html`<p class="note bad">${form.lookFirst}</p>`}</div>
<p><a class="button" href="/console">${visit.frame.toOverview}</a></p>`,
  });
}
