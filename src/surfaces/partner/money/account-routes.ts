import { html } from '#platform/http/html';
import { openFile, renderField } from '#surfaces/frame';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import { readUsers } from '../read-users.ts';
import type { Limit } from './answers.ts';
import { renderLimits, userField } from './render-money.ts';

const formats = ['pdf', 'csv', 'xlsx', 'camt053', 'ofx'];
const monthsMax = 24;

/** `/partner/limits` and `/partner/statements`. */
export function accountRoutes({ page, server }: Mount): void {
  page('/limits', async ({ visit, call, request }) => {
    const { money } = visit.words;
    const users = await readUsers(call);
    const userId =
      (request.query as { userId?: string }).userId || (users.isCut ? undefined : users.choices[0]?.[0]);
    const url = `/api/limits?${new URLSearchParams({ userId: userId ?? '' }).toString()}`;
    const limits = userId
      ? ((await call({ method: 'GET', url })).body.data as { limits: Limit[] }).limits
      : [];
    return renderPage(visit, {
      title: money.limits,
      body: html`<h1>${money.limits}</h1>
<form class="card command fields">${renderField(userField(visit, users, userId ?? ''))}<p><button>${money.show}</button></p></form>
<section class="card" id="limits" data-live>${renderLimits(visit, limits)}</section>`,
    });
  });

  page('/statements', async ({ visit, call }) => {
    const { money } = visit.words;
    const { now } = visit;
    const months = Array.from({ length: monthsMax }, (_, back) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
    );
    return renderPage(visit, {
      title: money.statements,
      body: html`<h1>${money.statements}</h1>
<form class="card command fields" action="/partner/statements/file">${renderField(userField(visit, await readUsers(call), ''))}
${renderField({ name: 'month', label: money.month, choices: months.map((month) => [month, month] as const) })}
${renderField({ name: 'format', label: money.format, choices: formats.map((one) => [one, one] as const) })}
<p><button>${money.download}</button></p></form>`,
    });
  });

  page('/statements/file', async ({ visit, request, reply }) => {
    const { userId = '', month = '', format = '' } = request.query as Record<string, string>;
    const lang = visit.language === 'en' ? 'en' : 'pt';
    const query = new URLSearchParams({ userId, format, startDate: month, endDate: month, lang });
    const { headers, stream } = await openFile(server, request, visit.session, {
      method: 'GET',
      url: `/api/history/statement?${query.toString()}`,
    });
    reply.header('content-disposition', headers['content-disposition']);
    return reply.type(String(headers['content-type'])).send(stream);
  });
}
