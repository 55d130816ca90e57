import { randomUUID } from 'node:crypto';
import { type Detail, Refusal } from '#platform/errors/errors';
import { html } from '#platform/http/html';
import { type Form, readField } from '#platform/pages/form';
import { renderAction, renderCsrf, renderFacts, renderField, scriptsOf } from '#surfaces/frame';
import type { Mount, PageRequest } from '../mount.ts';
import { renderPage } from '../page.ts';
import { readUsers } from '../read-users.ts';
import type { Visit } from '../visit.ts';
import type { Limit } from './answers.ts';
import { clean, renderLimits, userField } from './render-money.ts';

const names = ['userId', 'asset', 'amount', 'to', 'externalId'] as const;
type Typed = Record<(typeof names)[number], string>;

interface Confirmation {
  limits?: readonly Limit[];
  name?: string;
  /** An error of ours: nobody knows whether it was stored. */
  isUnknown?: boolean;
}

const typedOf = (form: Form): Typed =>
  Object.fromEntries(names.map((name) => [name, readField(form, name).trim()])) as Typed;

/** `/partner/withdrawals/new`: a form, a confirmation, and the withdrawal. */
export function newWithdrawalRoutes({ page, form }: Mount): void {
  page('/withdrawals/new', (given) => renderForm(given, {}));

  form('/withdrawals/new', async ({ visit, call, form }) => {
    const typed = typedOf(form);
    if (readField(form, 'change') !== '') return renderForm({ visit, call }, typed);
    try {
      const url = `/api/limits?${new URLSearchParams({ userId: typed.userId }).toString()}`;
      const { body } = await call({ method: 'GET', url });
      const { limits } = body.data as { limits: Limit[] };
      return renderConfirmation(visit, typed, { limits });
    } catch (error) {
      return renderForm({ visit, call }, typed, shownOf(error));
    }
  });

  form('/withdrawals/create', async ({ visit, call, form, reply }) => {
    const typed = typedOf(form);
    const [currency, network] = typed.asset.split(' ');
    const { userId, amount, to, externalId } = typed;
    const name = readField(form, 'name');
    try {
      const { body } = await call({
        method: 'POST',
        url: `/api/crypto/${encodeURIComponent(userId)}/withdraw`,
        payload: { amount, to, currency, network, ...(externalId !== '' && { externalId }) },
        headers: { 'idempotency-key': name },
      });
      const { bulkId } = body.data as { bulkId: string };
      return reply.redirect(`/partner/payouts/${bulkId}`, 303);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'step_up_required')
        return renderConfirmation({ ...visit, session: { ...visit.session, isFresh: false } }, typed, {
          name,
        });
      // It may have been stored all the same: with another key it would be paid twice.
      if (error instanceof Refusal && error.status >= 500) {
        reply.status(error.status);
        return renderConfirmation(visit, typed, { name, isUnknown: true });
      }
      return renderForm({ visit, call }, typed, shownOf(error));
    }
  });
}

async function renderForm(
  { visit, call }: Pick<PageRequest, 'visit' | 'call'>,
  typed: Partial<Typed>,
  { faults = [], message }: { faults?: readonly Detail[]; message?: string } = {},
) {
  const { money } = visit.words;
  const { body } = await call({ method: 'GET', url: '/api/crypto/assets' });
  const { assets } = body.data as { assets: { currency: string; network: string }[] };
  const atAsset = faults.map((fault) =>
    ['currency', 'network'].includes(fault.field) ? { ...fault, field: 'asset' } : fault,
  );
  const choices = assets.map(
    ({ currency, network }) => [`${currency} ${network}`, `${currency} · ${network}`] as const,
  );
  return renderPage(visit, {
    title: money.newWithdrawal,
    body: html`<h1>${money.newWithdrawal}</h1>
${message && html`<p class="note bad" lang="en" role="alert">${message}</p>`}
<form class="card command fields" method="post" action="/partner/withdrawals/new">${renderCsrf(visit.session)}
${renderField(userField(visit, await readUsers(call), typed.userId ?? ''), atAsset)}
${renderField({ name: 'asset', label: money.asset, value: typed.asset, choices }, atAsset)}
${renderField({ name: 'amount', label: money.amount, value: typed.amount, inputMode: 'decimal', maxLength: 80, required: true, placeholder: '12.5' }, atAsset)}
${renderField({ name: 'to', label: money.to, help: money.toHelp, value: typed.to, maxLength: 255, required: true }, atAsset)}
${renderField({ name: 'externalId', label: money.externalId, value: typed.externalId, maxLength: 255 }, atAsset)}
<p><button>${money.check}</button></p></form>`,
  });
}

function renderConfirmation(
  visit: Visit,
  typed: Typed,
  { limits = [], name = randomUUID(), isUnknown = false }: Confirmation = {},
) {
  const { money } = visit.words;
  const [currency = '', network = ''] = typed.asset.split(' ');
  const action = {
    to: '/partner/withdrawals/create',
    label: money.pay,
    // The idempotency key: a form that is sent again gets the answer of the first.
    hidden: { ...typed, name },
    stepUp: true,
  };
  const concerned = limits.filter(
    (limit) => limit.currency === currency && (limit.network === null || limit.network === network),
  );
  return renderPage(visit, {
    title: money.confirmTitle,
    scripts: scriptsOf(visit, action),
    body: html`<h1>${money.confirmTitle}</h1>
${isUnknown && html`<p class="note bad" role="alert">${money.unknown}</p>`}
<section class="card">${renderFacts([
      [
        money.amount,
        html`<strong>${clean(typed.amount)}</strong> ${clean(currency)} <small>${clean(network)}</small>`,
      ],
      [money.to, clean(typed.to)],
      [money.externalId, clean(typed.externalId)],
      [money.user, clean(typed.userId)],
    ])}<p class="soft">${money.feeNote}</p>
${renderAction(visit, action)}
<form method="post" action="/partner/withdrawals/new">${renderCsrf(visit.session)}${names.map(
      (name) => html`<input type="hidden" name="${name}" value="${typed[name]}">`,
    )}<input type="hidden" name="change" value="1"><p><button class="quiet">${money.change}</button></p></form></section>
<section class="card"><h2>${money.left}</h2>${renderLimits(visit, concerned)}</section>`,
  });
}

/** The API's words, at the field if it is one of the form. */
function shownOf(error: unknown): { faults: readonly Detail[]; message?: string } {
  if (!(error instanceof Refusal) || error.status >= 500 || error.status === 401) throw error;
  const details = error.details ?? [];
  const isAtField = details.some(({ field }) => [...names, 'currency', 'network'].includes(field as never));
  const all = [error.message, ...details.map(({ message }) => message)].join(': ');
  const faults =
    error.code === 'recipient_not_found' ||
    error.code === 'wallet_not_found' ||
    error.code === 'receiver_not_eligible'
      ? [{ field: 'to', message: error.message }]
      : details;
  return isAtField ? { faults } : { faults, message: all };
}
