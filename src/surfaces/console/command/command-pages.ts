import type { Ctx } from '#context';
import { passkeyScript, renderStepUp } from '#features/people';
import type { Command } from '#platform/commands/command';
import { wordsOf } from '#platform/commands/command-description';
import { wordsOfField } from '#platform/commands/values';
import type { Refusal } from '#platform/errors/errors';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderCsrf } from '#surfaces/frame';
import { renderAnswer } from '../answer.ts';
import { answerAddress, formAddress } from '../links.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { ownFields, type Typed } from './read-form.ts';
import { renderFields, secretFields } from './render-form.ts';

export interface CommandPage {
  command: Command<Ctx>;
  /** All commands. */
  byName: ReadonlyMap<string, Command<Ctx>>;
  /** Stored for a second operator instead of run. */
  waits: boolean;
  example: Record<string, unknown>;
  typed: Typed;
  refusal?: Refusal | undefined;
  /** What a confirmation shows besides what was typed. */
  preview?: Content;
}

/** A read whose answer is shown as soon as its page opens: nothing is required and it is no long check. */
export const opensAtOnce = ({ changes, input, verdict, fileTypes, roles }: Command) =>
  !changes && !input.required?.length && !verdict && !fileTypes && roles.includes('viewer');

/** Commands of the person's role, by feature. */
export function renderCommandList(
  visit: Visit,
  commands: readonly Command<Ctx>[],
  fourEyes: ReadonlySet<string>,
): string {
  const { title, lead, reads, changes, secondOperator } = visit.words.commands;
  const groups = Map.groupBy(commands.filter(visit.may), ({ name }) => name.split('.')[0]!);
  const row = (command: Command<Ctx>) => {
    const { name, summary } = command;
    const to = opensAtOnce(command) ? answerAddress(name) : formAddress(name);
    return html`<li><a href="${to}">${wordsOf(command)}</a> <span class="tag">${command.changes ? changes : reads}</span>${fourEyes.has(name) && html` <span class="tag">${secondOperator}</span>`}
<p lang="en" class="soft">${summary}</p></li>`;
  };
  const body = html`<h1>${title}</h1><p class="lead">${lead}</p>
<div class="groups">${[...groups].map(([feature, some]) => html`<section class="card"><h2 id="${feature}">${feature}</h2><ul class="plain">${some.map(row)}</ul></section>`)}</div>`;
  return renderPage(visit, { title, body });
}

/** The form, with the faults of the last try, and below it the answer of a read. */
export function renderForm(visit: Visit, page: CommandPage, answer?: Content): string {
  const { command, typed, refusal, example } = page;
  const { form } = visit.words;
  const { changes, fileTypes, name, summary } = command;
  const title = wordsOf(command);
  const faults = refusal?.details ?? [];
  const button = fileTypes ? form.download : changes ? form.review : form.show;
  const fields = renderFields(visit, command, { typed, faults, example });
  const hidden = changes
    ? [renderCsrf(visit.session), html`<input type="hidden" name="step" value="review">`]
    : html`<input type="hidden" name="run" value="1">`;
  const isOpen = answer === undefined || refusal !== undefined;
  const inner = html`<form class="command" method="${changes ? 'post' : 'get'}" action="/console/commands/${name}">${hidden}${fields}
<p><button>${button}</button></p></form>`;
  return renderPage(visit, {
    title,
    body: html`<h1 lang="en">${title}</h1><p class="lead" lang="en">${summary}</p>
${refusal && renderFault(visit, command, refusal)}
${isOpen ? html`<div class="card">${inner}</div>` : html`<details class="card"><summary>${form.filter}</summary>${inner}</details>`}
${answer}
<p class="soft">${form.cli} <code lang="en">causeway ${title} --help</code></p>`,
  });
}

/** What will happen, in words, with what was typed; nothing has run yet. */
export function renderConfirmation(visit: Visit, page: CommandPage, once: string): string {
  const { command, waits, typed, refusal, preview } = page;
  const { confirm } = visit.words;
  const { session } = visit;
  const needsPasskey = command.stepUp === true && !session.isFresh;
  const shown = [...typed].filter(
    ([name, values]) => !ownFields.includes(name) && values.some((one) => one !== ''),
  );
  const button = html`<button${needsPasskey && html` class="quiet"`}>${waits ? confirm.ask : confirm.run}</button>`;
  return renderPage(visit, {
    title: confirm.title,
    scripts: needsPasskey ? [passkeyScript] : [],
    body: html`<h1>${confirm.title}</h1>
${refusal && renderFault(visit, command, refusal)}
<div class="card"><p>${confirm.will} <strong lang="en">${wordsOf(command)}</strong></p>
<p lang="en">${command.summary}</p>
${shown.length === 0 ? html`<p class="soft">${confirm.noInput}</p>` : renderTyped(visit, shown)}
${preview}
${waits && html`<p class="note">${confirm.secondOperator}</p>`}
<p class="soft">${confirm.audited(`person:${session.person.email}`)}</p>
${needsPasskey && html`<p class="note">${confirm.stepUp}</p>${renderStepUp(session, visit.language, 'run')}<p class="soft">${confirm.elsewhere}</p>`}
<form id="run" method="post" action="/console/commands/${command.name}">${renderCsrf(visit.session)}<input type="hidden" name="step" value="run"><input type="hidden" name="once" value="${once}">${renderHidden(typed)}
${button}</form>
<form method="post" action="/console/commands/${command.name}">${renderCsrf(visit.session)}<input type="hidden" name="step" value="change">${renderHidden(typed)}
<button class="quiet">${confirm.change}</button></form></div>`,
  });
}

function renderTyped({ words }: Visit, shown: readonly (readonly [string, readonly string[]])[]): Html {
  const rows = shown.map(([name, values]) => {
    const [field = '', isCleared] = name.split(':');
    const text = secretFields.includes(field) ? '••••' : values.map((one) => one.slice(0, 10_000)).join('\n');
    const value = isCleared ? html`<em>${words.form.clear}</em>` : html`<span class="typed">${text}</span>`;
    return html`<div><dt lang="en">${wordsOfField(field)}</dt><dd>${value}</dd></div>`;
  });
  return html`<dl class="facts">${rows}</dl>`;
}

const renderHidden = (typed: Typed): Html[] =>
  [...typed]
    .filter(([name]) => !ownFields.includes(name))
    .flatMap(([name, values]) =>
      values.map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
    );

/** What became of a command that changes something. */
export function renderResult(
  visit: Visit,
  command: Command<Ctx>,
  { data, waits }: { data: Record<string, unknown>; waits: boolean },
): string {
  const { result } = visit.words;
  const title = waits ? result.stored : result.done;
  const answer = renderAnswer({ reader: visit, command }, data);
  const hasSecret = answer.text.includes('class="secret"');
  return renderPage(visit, {
    title,
    body: html`<h1>${title}</h1>
<p class="lead" lang="en">${wordsOf(command)}: ${command.summary}</p>
${waits && html`<p class="note">${result.storedText} <a href="${answerAddress('approvals.show', { id: String(data.id) })}">${result.decide}</a></p>`}
${hasSecret && html`<p class="note">${result.secret}</p>`}
<div class="card">${answer}</div>
<p><a class="button" href="${formAddress(command.name)}">${result.again}</a></p>`,
  });
}

/**
 * After an error of ours, a change may have been made all the same. There is no form to send again at once:
 * it would run a second time.
 */
export function renderUnknown(visit: Visit, command: Command<Ctx>, refusal: Refusal): string {
  const { form } = visit.words;
  return renderPage(visit, {
    title: form.unknown,
    body: html`<h1>${form.unknown}</h1>
<p class="lead" lang="en">${wordsOf(command)}: ${command.summary}</p>
<div role="alert" class="fault card"><p><strong lang="en">${sanitizeText(refusal.message, 1_000)}</strong>${renderReference(visit, refusal)}</p>
<p>${form.lookFirst}</p></div>
<p><a class="button" href="${answerAddress('audit.list', { action: command.name })}">${form.auditLog}</a> <a href="${formAddress(command.name)}">${form.openAgain}</a></p>`,
  });
}

const renderReference = ({ frame }: Visit, { status, fields }: Refusal) =>
  status >= 500 && html` ${frame.reference}: <code>${fields?.requestId}</code>`;

function renderFault(visit: Visit, { changes }: Command<Ctx>, refusal: Refusal): Html {
  const { message, status } = refusal;
  const { fix, refused, notRead } = visit.words.form;
  const reference = renderReference(visit, refusal);
  const words = changes ? (status === 400 ? fix : refused) : notRead;
  return html`<div role="alert" class="fault card"><p>${words} <strong lang="en">${sanitizeText(message, 1_000)}</strong>${reference}</p></div>`;
}
