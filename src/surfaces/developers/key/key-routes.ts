import type { OwnIntegration } from '#features/connect/developers';
import { invalidField, type Refusal } from '#platform/errors/errors';
import { html } from '#platform/http/html';
import { readField } from '#platform/pages/form';
import { issueOnce, renderAction, renderField, renderInstant, renderTable, scriptsOf } from '#surfaces/frame';
import { type Mount, type PageRequest, runOnce } from '../mount.ts';
import { renderFault, renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';

/** `/developers/key`: make the first key, or replace it. */
export function keyRoutes(mount: Mount): void {
  const { page, form, deps } = mount;
  const show = async ({ visit, call }: PageRequest, overlap = '24', refusal?: Refusal) => {
    const { body } = await call({ method: 'GET', url: '/api/integration' });
    const once = await issueOnce(deps, visit.session);
    return renderKey(visit, { own: body as unknown as OwnIntegration, once, overlap, refusal });
  };
  page('/key', (given) => show(given));
  form('/key', (given) => {
    const typed = readField(given.form, 'overlapHours').trim();
    const run = async () => {
      const payload = typed === '' ? {} : { overlapHours: readHours(typed) };
      const { body } = await given.call({ method: 'POST', url: '/api/integration/rotate-key', payload });
      return renderNewKey(given.visit, body as { token: string; olderKeysEndAt: string });
    };
    return runOnce(mount, given, { run, again: (refusal) => show(given, typed, refusal) });
  });
}

function readHours(typed: string): number {
  const hours = Number(typed);
  if (!Number.isInteger(hours)) throw invalidField('overlapHours', 'must be a whole number');
  return hours;
}

interface KeyPage {
  own: OwnIntegration;
  once: string;
  overlap: string;
  refusal?: Refusal | undefined;
}

function renderKey(visit: Visit, { own, once, overlap, refusal }: KeyPage): string {
  const { key } = visit.words;
  const isFirst = own.keys.length === 0;
  const field = { name: 'overlapHours', label: key.overlap, help: key.overlapHelp, value: overlap };
  const fields = !isFirst && renderField({ ...field, inputMode: 'numeric' as const }, refusal?.details);
  const label = isFirst ? key.first : key.rotate;
  const action = { to: '/developers/key', label, once, stepUp: true, fields };
  const rows = own.keys.map((one) => [
    html`<code>cwi_${one.id}_…</code>`,
    renderInstant(visit, one.createdAt),
    one.lastUsedAt ? renderInstant(visit, one.lastUsedAt) : key.never,
    one.revokedAt || one.expiresAt ? renderInstant(visit, (one.revokedAt ?? one.expiresAt)!) : '–',
  ]);
  return renderPage(visit, {
    title: key.title,
    scripts: scriptsOf(visit, action),
    body: html`<h1>${key.title}</h1><p class="lead">${key.lead}</p>
${renderFault(visit, refusal)}
<div class="card">${
      isFirst
        ? html`<p>${key.none}</p>`
        : renderTable(key.title, [key.name, key.created, key.lastUsed, key.ends], rows)
    }</div>
<div class="card"><h2>${label}</h2><p>${isFirst ? key.firstHelp : key.rotateHelp}</p>${renderAction(visit, action)}</div>`,
  });
}

function renderNewKey(visit: Visit, { token, olderKeysEndAt }: { token: string; olderKeysEndAt: string }) {
  const { key } = visit.words;
  return renderPage(visit, {
    title: key.made,
    body: html`<h1>${key.made}</h1>
<div class="card"><p class="note">${key.once}</p><p class="secret"><code>${token}</code></p>
<p class="soft">${key.header} <code>x-api-key</code>. ${key.older} ${renderInstant(visit, olderKeysEndAt)}</p>
<p><a class="button" href="/developers/key">${key.back}</a></p></div>`,
  });
}
