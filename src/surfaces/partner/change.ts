import { type Detail, Refusal } from '#platform/errors/errors';
import { type Content, html } from '#platform/http/html';
import type { FastifyReply, FastifyRequest } from '#platform/http/http';
import type { Form } from '#platform/pages/form';
import { type Action, type CallApi, issueOnce, renderAction, scriptsOf, useOnce } from '#surfaces/frame';
import type { Mount, PageRequest } from './mount.ts';
import { renderPage } from './page.ts';
import { renderRefused } from './tables.ts';
import type { Visit } from './visit.ts';

/** What was typed into a form, or is in the address of a page with one. */
export interface Typed {
  /** Empty if it is absent. */
  one(name: string): string;
  all(name: string): readonly string[];
  has(name: string): boolean;
}

/** What a form shows: in words, with its fields. */
export interface Shown {
  title: string;
  lead?: Content;
  /** What is concerned. */
  about?: Content;
  fields?: Content;
  hidden?: Action['hidden'];
  label: string;
  /** Address and label of the way out. */
  back: readonly [string, string];
}

interface Given extends PageRequest {
  params: Readonly<Record<string, string>>;
}

/** A page with a form, and what the API is asked for when it is sent. It runs once. */
export interface Change<Found> {
  path: string;
  stepUp?: boolean;
  /** What the page needs to know; who may not see it is refused here. */
  find(given: Given): Promise<Found>;
  show(visit: Visit, found: Found, typed: Typed, faults: readonly Detail[]): Shown;
  request(typed: Typed, found: Found, given: Given): Parameters<CallApi>[0];
  /** A result to show, or a redirect to the record. */
  done(given: Given, body: Record<string, unknown>, found: Found): string | FastifyReply;
}

/** At most this is shown at the form; the rest are pages, such as one that says that the record is gone. */
const shownStatuses = [400, 403, 409, 429];

export function addChange<Found>({ deps, page, form }: Mount, change: Change<Found>): void {
  const render = async (given: Given, typed: Typed, found: Found, refusal?: Refusal) => {
    const { visit, request } = given;
    const { stepUp = false } = change;
    const shown = change.show(visit, found, typed, refusal?.details ?? []);
    const [to, label] = shown.back;
    const once = await issueOnce(deps, visit.session);
    const action = { to: pathOf(request), label: shown.label, fields: shown.fields, once, stepUp };
    return renderPage(visit, {
      title: shown.title,
      scripts: scriptsOf(visit, { stepUp }),
      body: html`<h1>${shown.title}</h1>${shown.lead && html`<p class="lead">${shown.lead}</p>`}
${renderRefused(refusal)}
<div class="card">${shown.about}${renderAction(visit, { ...action, ...(shown.hidden && { hidden: shown.hidden }) })}</div>
<p><a href="${to}">${label}</a></p>`,
    });
  };
  page(change.path, async (plain) => {
    const given = withParams(plain);
    return render(given, typedIn(queryOf(given.request)), await change.find(given));
  });
  form(change.path, async ({ form: sent, ...plain }) => {
    const given = withParams(plain);
    const found = await change.find(given);
    await useOnce(deps, given.visit.session, sent);
    const typed = typedIn(sent);
    try {
      const { body } = await given.call(change.request(typed, found, given));
      return change.done(given, body, found);
    } catch (error) {
      if (!(error instanceof Refusal) || !shownStatuses.includes(error.status)) throw error;
      given.reply.status(error.status);
      return render(given, typed, found, error);
    }
  });
}

const withParams = (given: PageRequest): Given => ({
  ...given,
  params: given.request.params as Record<string, string>,
});

const pathOf = ({ url }: FastifyRequest) => url.split('?')[0]!;

const queryOf = ({ query }: FastifyRequest): Form =>
  new Map(Object.entries(query as Record<string, string>).map(([name, value]) => [name, [value]]));

const typedIn = (form: Form): Typed => ({
  one: (name) => form.get(name)?.[0] ?? '',
  all: (name) => form.get(name) ?? [],
  has: (name) => form.has(name),
});

/** Fields that were left empty are not sent. */
export const withoutEmpty = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined));

/** One entry a line. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
