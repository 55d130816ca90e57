import type { Refusal } from '#platform/errors/errors';
import { type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderCsrf } from '#surfaces/frame';
import type { Typed } from '../command/read-form.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { faultOf } from './read-rule-form.ts';

export interface RuleForm {
  typed: Typed;
  /** The set that is changed, the newest one, and the place of the rule in it. */
  place: { base: string; last: string; at: string };
  /** Where the rule is in the set that was refused. */
  position: number;
  refusal?: Refusal | undefined;
  choices: { networks: readonly string[]; currencies: readonly string[] };
  /** From `issueOnce`: a double click saves one draft. */
  once: string;
  /** Drafts are stored for a second operator. */
  waits: boolean;
}

const selects: Readonly<Record<string, readonly string[]>> = {
  verdict: ['allow', 'deny', 'approve'],
  approvalsRole: ['compliance', 'treasury', 'admin', 'finance', 'owner'],
  sumWindow: ['hour', 'day', '30 days'],
  sumPer: ['partner', 'user', 'key', 'destination', 'network', 'everything'],
};

/** One rule with labelled fields; faults are the API's, at their field. */
export function renderRuleForm(visit: Visit, form: RuleForm): string {
  const { rules: words } = visit.words;
  const { typed, place, refusal, position, choices, once, waits } = form;
  const faults = (refusal?.details ?? []).map((detail) => faultOf(position, detail));
  const view: FieldView = {
    visit,
    typed,
    faultsAt: (field) => faults.filter((fault) => fault.field === field).map(({ message }) => message),
  };
  const boxes: Readonly<Record<string, readonly string[]>> = {
    ...choices,
    sources: ['api', 'refill'],
    destinations: ['book', 'user', 'paid-before', 'first-time'],
  };
  const fields = Object.keys(words.fields).map((field) => {
    if (selects[field]) return renderSelect(view, field, selects[field]);
    if (boxes[field]) return renderBoxes(view, field, boxes[field]);
    return renderText(view, field);
  });
  const hidden = Object.entries({ ...place, once }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return renderPage(visit, {
    title: words.editTitle,
    body: html`<p><a href="/console/rules">${words.title}</a></p><h1>${words.editTitle}</h1>
${refusal && html`<div role="alert" class="fault card"><p>${visit.words.form.fix} <strong lang="en">${sanitizeText(refusal.message, 1_000)}</strong></p></div>`}
<form class="card" method="post" action="/console/rules/edit">${renderCsrf(visit.session)}${hidden}<div class="fields">${fields}</div>
${waits && html`<p class="note">${visit.words.confirm.secondOperator}</p>`}
<p><button>${waits ? visit.words.confirm.ask : words.save}</button> <small>${words.saved}</small></p></form>`,
  });
}

interface FieldView {
  visit: Visit;
  typed: Typed;
  faultsAt(field: string): string[];
}

const renderFaults = ({ faultsAt }: FieldView, field: string): Html[] =>
  faultsAt(field).map((message) => html`<p class="fault" lang="en">${message}</p>`);

function renderText(view: FieldView, field: string): Html {
  const { rules: words } = view.visit.words;
  const text = (view.typed.get(field) ?? []).join('\n');
  const isWrong = view.faultsAt(field).length > 0;
  const common = html`id="field-${field}" name="${field}" aria-describedby="help-${field}"${isWrong && html` aria-invalid="true"`}`;
  const isLong = ['partners', 'users', 'keys'].includes(field);
  const control = isLong
    ? html`<textarea ${common} rows="2" spellcheck="false">${text}</textarea>`
    : html`<input type="text" ${common} value="${text}" autocomplete="off"${field === 'name' && html` required`}>`;
  return html`<div class="field${isWrong && ' wrong'}"><label for="field-${field}">${words.fields[field]}</label>${control}<div class="help" id="help-${field}">${isLong && words.any}${renderFaults(view, field)}</div></div>`;
}

function renderSelect(view: FieldView, field: string, values: readonly string[]): Html {
  const { rules: words, form } = view.visit.words;
  const chosen = view.typed.get(field)?.[0];
  const isWrong = view.faultsAt(field).length > 0;
  const names = field === 'sumPer' ? words.pers : words.choices;
  const options = values.map(
    (value) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${names[value] ?? value}</option>`,
  );
  return html`<div class="field${isWrong && ' wrong'}"><label for="field-${field}">${words.fields[field]}</label><select id="field-${field}" name="${field}" aria-describedby="help-${field}"${isWrong && html` aria-invalid="true"`}><option value="">${form.choose}</option>${options}</select><div class="help" id="help-${field}">${renderFaults(view, field)}</div></div>`;
}

function renderBoxes(view: FieldView, field: string, values: readonly string[]): Html {
  const { rules: words } = view.visit.words;
  const chosen = view.typed.get(field) ?? [];
  const boxes = values.map(
    (value) =>
      html`<label class="choice"><input type="checkbox" name="${field}" value="${value}"${chosen.includes(value) && html` checked`}> ${words.choices[value] ?? value}</label>`,
  );
  return html`<fieldset aria-describedby="help-${field}"><legend>${words.fields[field]}</legend>${boxes}<div class="help" id="help-${field}">${words.any}${renderFaults(view, field)}</div></fieldset>`;
}
