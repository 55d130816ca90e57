import { Refusal } from '#platform/errors/errors';
import { type Html, html } from '#platform/http/html';
import { type Field, renderFacts, renderField } from '#surfaces/frame';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import { type Colleague, readTeam } from '../read-team.ts';
import { renderCode, renderNext, renderRefused, renderText, renderTime, rowsMax } from '../tables.ts';
import type { Visit } from '../visit.ts';
import { type LoggedRequest, renderAnswer, renderAsker, renderRequests } from './requests-table.ts';

const filters = ['by', 'status', 'keyId', 'route', 'requestId', 'startDate', 'endDate'] as const;
type Filters = Partial<Record<(typeof filters)[number] | 'cursor', string>>;

/** `/partner/requests`: what keys and people asked. Pages call the API, too, so keys come first. */
export function requestRoutes({ page }: Mount): void {
  page('/requests', async ({ visit, call, request, reply }) => {
    const given = request.query as Filters;
    const query = new URLSearchParams({ limit: String(rowsMax) });
    for (const name of [...filters, 'cursor'] as const) {
      const value = given[name]?.trim() ?? '';
      if (value !== '' && value !== 'all') query.set(name, value);
    }
    if (given.by === undefined && !given.requestId) query.set('by', 'key');
    const url = `/api/requests?${query.toString()}`;
    const answer = await call({ method: 'GET', url }).catch((error) => {
      if (error instanceof Refusal && error.status === 400) return error;
      throw error;
    });
    if (answer instanceof Refusal) reply.status(answer.status);
    return renderPage(visit, renderLog(visit, { given, answer, team: await readTeam(call) }));
  });
}

interface Log {
  given: Filters;
  answer: Refusal | { body: Record<string, unknown> };
  team: readonly Colleague[];
}

function renderLog(visit: Visit, { given, answer, team }: Log) {
  const { requests: words } = visit.words.access;
  const refusal = answer instanceof Refusal ? answer : undefined;
  const body = answer instanceof Refusal ? { items: [], nextCursor: null } : answer.body;
  const items = body.items as LoggedRequest[];
  const [only] = given.requestId ? items : [];
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
${renderRefused(refusal)}
<details class="card"${(refusal !== undefined || isFiltered(given)) && html` open`}><summary>${words.filter}</summary>${renderFilter(visit, given, refusal)}</details>
<section class="card" id="requests">${only ? renderRequest(visit, only, team) : renderRequests(visit, items, { team })}${renderNext(visit, body.nextCursor)}</section>`,
  };
}

const isFiltered = (given: Filters) => filters.some((name) => (given[name] ?? '') !== '');

function renderFilter(visit: Visit, given: Filters, refusal: Refusal | undefined): Html {
  const { requests: words } = visit.words.access;
  const choices: Partial<Record<(typeof filters)[number], Field['choices']>> = {
    by: [
      ['key', words.byKey],
      ['person', words.byPerson],
      ['all', words.byAll],
    ],
    status: [
      ['', words.anyStatus],
      ['2xx', words.good],
      ['4xx', words.refused],
      ['5xx', words.failed],
    ],
  };
  const fields = filters.map((name) => {
    const value = given[name] ?? (name === 'by' && given.requestId ? 'all' : '');
    const field = { name, label: words.fields[name], value, maxLength: 200 };
    const some = choices[name];
    return renderField(some ? { ...field, choices: some } : field, refusal?.details);
  });
  return html`<form class="command" method="get" action="/partner/requests"><div class="fields">${fields}</div><p><button>${words.show}</button></p></form>`;
}

function renderRequest(visit: Visit, one: LoggedRequest, team: readonly Colleague[]): Html {
  const { requests: words } = visit.words.access;
  return renderFacts([
    [words.fields.requestId, renderCode(one.requestId)],
    [words.at, renderTime(visit, one.at, '')],
    [words.request, renderCode(`${one.method} ${one.path}`)],
    [words.fields.route, renderCode(one.route)],
    [words.answer, renderAnswer(one)],
    [words.duration, `${one.durationMs} ms`],
    [words.asker, renderAsker(visit, one, team)],
    [words.address, renderText(one.callerAddress)],
  ]);
}
