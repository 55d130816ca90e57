import { html } from '#platform/http/html';
import { renderFacts, renderField } from '#surfaces/frame';
import { addChange, type Shown, type Typed, withoutEmpty } from '../change.ts';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import { renderCode } from '../tables.ts';
import { findEndpoint } from './endpoint-forms.ts';
import { endpointsUrl, pageOf } from './endpoint-pages.ts';

/** One event, what was missed, or a period, which may take several turns. */
export function replayForms(mount: Mount): void {
  addChange(mount, {
    path: '/webhooks/:endpointId/replay',
    find: findEndpoint,
    show: (visit, { endpoint }, typed, faults): Shown => {
      const { webhooks } = visit.words.access;
      const common = { title: webhooks.replay, lead: webhooks.replayLead, label: webhooks.replay } as const;
      const back = [pageOf(endpoint), webhooks.toEndpoint] as const;
      const eventId = typed.one('eventId');
      if (eventId !== '')
        return {
          ...common,
          back,
          about: renderFacts([[webhooks.event, renderCode(eventId)]]),
          hidden: { eventId },
        };
      const which = [
        ['missed', webhooks.replayMissed],
        ['period', webhooks.replayPeriod],
      ] as const;
      const instant = (name: 'startDate' | 'endDate', label: string) =>
        renderField(
          { name, label, help: webhooks.periodHelp, value: typed.one(name), maxLength: 40 },
          faults,
        );
      return {
        ...common,
        back,
        fields: html`<div class="fields">${renderField({ name: 'which', label: webhooks.replayWhat, value: typed.one('which') || 'period', choices: which }, faults)}
${instant('startDate', webhooks.from)}${instant('endDate', webhooks.to)}</div>`,
        ...(typed.has('after') && { hidden: { after: typed.one('after') } }),
      };
    },
    request: (typed, { endpoint }) => ({
      method: 'POST',
      url: `${endpointsUrl}/${endpoint.id}/replay`,
      payload: selectionOf(typed),
    }),
    done: ({ visit, request }, body, { endpoint }) => {
      const { webhooks } = visit.words.access;
      const { nextAfter, queued } = body as { nextAfter: number | null; queued: number };
      const rest = nextAfter !== null && restOf(request.body as ReadonlyMap<string, string[]>, nextAfter);
      return renderPage(visit, {
        title: webhooks.replayed,
        body: html`<h1>${webhooks.replayed}</h1><div class="card">${renderFacts([[webhooks.queued, String(queued)]])}
${rest && html`<p class="note">${webhooks.more}</p><p><a class="button" href="${pageOf(endpoint)}/replay?${rest}">${webhooks.continue}</a></p>`}</div>
<p><a class="button quiet" href="${pageOf(endpoint)}">${webhooks.toEndpoint}</a></p>`,
      });
    },
  });
}

function selectionOf(typed: Typed): Record<string, unknown> {
  if (typed.one('eventId') !== '') return { eventId: typed.one('eventId') };
  if (typed.one('which') === 'missed') return { missed: true };
  const [startDate, endDate, after] = ['startDate', 'endDate', 'after'].map((name) => typed.one(name).trim());
  return { ...withoutEmpty({ startDate, endDate }), ...(after && { after: Number(after) }) };
}

/** The form again, with what was typed and where to go on. */
function restOf(form: ReadonlyMap<string, string[]>, nextAfter: number): string {
  const typed = ['which', 'startDate', 'endDate'].map((name): [string, string] => [
    name,
    form.get(name)?.[0] ?? '',
  ]);
  return new URLSearchParams([...typed, ['after', String(nextAfter)]]).toString();
}
