import { personErrors } from '#features/people';
import { payoutTemplate } from '#features/withdrawals';
import { Refusal } from '#platform/errors/errors';
import { html } from '#platform/http/html';
import { readField } from '#platform/pages/form';
import { readMultipart } from '#platform/pages/read-multipart';
import { issueOnce, renderCsrf, renderField, useOnce } from '#surfaces/frame';
import type { Mount, PageRequest } from '../mount.ts';
import { renderPage } from '../page.ts';
import { readUsers } from '../read-users.ts';
import type { Bulk, Preview, Withdrawal } from './answers.ts';
import { userField } from './render-money.ts';
import { renderBulk, renderPreview } from './upload-pages.ts';

/** A file of 1 MB, pasted with every sign encoded, and the other fields. */
const bodyLimit = 4 * 1024 * 1024;

/** `/partner/payouts/upload`, its preview and confirmation, and the progress of a bulk. */
export function uploadRoutes({ page, form, scope, deps }: Mount): void {
  scope.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: { headers: Record<string, unknown> }, body: Buffer) =>
      readMultipart(body, String(request.headers['content-type'])),
  );

  page('/payouts/upload', (given) => renderUpload(given));

  page('/payouts/template', async ({ reply }) => {
    reply.header('content-disposition', 'attachment; filename="payouts.csv"');
    return reply.type('text/csv; charset=utf-8').send(payoutTemplate);
  });

  form(
    '/payouts/upload',
    async ({ visit, call, form, reply }) => {
      const userId = readField(form, 'userId').trim();
      const csv = readField(form, 'file') || readField(form, 'csv');
      try {
        const payload = { userId, csv };
        const { body } = await call({ method: 'POST', url: '/api/withdrawals/uploads', payload });
        return reply.redirect(`/partner/payouts/upload/${(body as unknown as Preview).id}`, 303);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500) throw error;
        return renderUpload({ visit, call }, userId, error);
      }
    },
    {
      bodyLimit,
      admit: ({ role }) => {
        if (role === 'developer') throw personErrors.otherStaffRole();
      },
    },
  );

  previewRoutes({ page, form, deps });

  page('/payouts/:bulkId', async ({ visit, call, request }) => {
    const { bulkId } = request.params as { bulkId: string };
    const { before } = request.query as { before?: string };
    const { body } = await call({
      method: 'GET',
      url: `/api/withdrawals/bulks/${encodeURIComponent(bulkId)}`,
    });
    const query = new URLSearchParams({ bulkId, status: 'failed', limit: '50' });
    const failed = await call({ method: 'GET', url: `/api/withdrawals?${query.toString()}` });
    const { items } = failed.body as unknown as { items: Withdrawal[] };
    return renderBulk(visit, { bulk: body as unknown as Bulk, failed: items, isBefore: before === '1' });
  });
}

function previewRoutes({ page, form, deps }: Pick<Mount, 'page' | 'form' | 'deps'>): void {
  const pathOf = (id: string) => `/api/withdrawals/uploads/${encodeURIComponent(id)}`;

  page('/payouts/upload/:id', async ({ visit, call, request }) => {
    const { id } = request.params as { id: string };
    const { body } = await call({ method: 'GET', url: pathOf(id) });
    const once = await issueOnce(deps, visit.session);
    return renderPreview(visit, { preview: body as unknown as Preview, once });
  });

  form('/payouts/upload/:id', async ({ visit, call, request, form, reply }) => {
    const { id } = request.params as { id: string };
    await useOnce(deps, visit.session, form);
    const times = readField(form, 'again') === '' ? 0 : Number(readField(form, 'times'));
    const seen = readField(form, 'repeats');
    const payload = { times, ...(seen !== '' && { repeats: Number(seen) }) };
    try {
      const { body } = await call({ method: 'POST', url: `${pathOf(id)}/confirm`, payload });
      const { bulkId, isReplay } = body as unknown as { bulkId: string; isReplay: boolean };
      return reply.redirect(`/partner/payouts/${bulkId}${isReplay ? '?before=1' : ''}`, 303);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error;
      reply.status(error.status);
      const { body } = await call({ method: 'GET', url: pathOf(id) });
      const session =
        error.code === 'step_up_required' ? { ...visit.session, isFresh: false } : visit.session;
      const once = await issueOnce(deps, visit.session);
      return renderPreview(
        { ...visit, session },
        { preview: body as unknown as Preview, once, refusal: error },
      );
    }
  });
}

async function renderUpload(
  { visit, call }: Pick<PageRequest, 'visit' | 'call'>,
  userId = '',
  refusal?: Refusal,
) {
  const { upload } = visit.words.money;
  const faults = (refusal?.details ?? []).filter(({ field }) => field === 'csv');
  return renderPage(visit, {
    title: upload.title,
    body: html`<h1>${upload.title}</h1><p class="lead">${upload.intro}</p>
${refusal && html`<p class="note bad" lang="en" role="alert">${refusal.message}</p>`}
<form class="card command fields" method="post" action="/partner/payouts/upload" enctype="multipart/form-data">${renderCsrf(visit.session)}
${renderField(userField(visit, await readUsers(call), userId))}
<div class="field"><label for="field-file">${upload.file}</label><input type="file" id="field-file" name="file" accept=".csv,text/csv,text/plain"></div>
${renderField({ name: 'csv', label: upload.paste, rows: 6, placeholder: 'to,amount,currency,network,externalId' }, faults)}
<p><button>${upload.check}</button> <a href="/partner/payouts/template">${upload.template}</a></p></form>`,
  });
}
