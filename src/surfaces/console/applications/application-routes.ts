import { readApplicationLogo } from '#features/connect/applications';
import { type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { sendPrivatePicture } from '#surfaces/frame';
import { renderAnswer } from '../answer.ts';
import { formAddress } from '../links.ts';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';

const decisions = ['integrations.approve', 'integrations.refuse'] as const;

/** `/console/applications/<id>`: what a developer applies for, and the decision. */
export function applicationRoutes({ page, options, deps }: Mount): void {
  const byName = new Map(options.commands.map((command) => [command.name, command]));
  const command = byName.get('integrations.show-application')!;

  page('/applications/:id', async ({ visit, call, request }) => {
    const { id: applicationId } = request.params as { id: string };
    const { data } = await call(command.name, { applicationId });
    const title = visit.words.application.title(sanitizeText(String(data.name), 100));
    const mayDecide = data.status === 'open' && visit.may(byName.get('integrations.approve')!);
    return renderPage(visit, {
      title,
      body: html`<h1>${renderLogo(data)} ${title}</h1>
<section class="card">${renderAnswer({ reader: visit, command }, data)}
${mayDecide && renderDecisions(visit, applicationId)}</section>`,
    });
  });

  page('/applications/:id/logo/:sha256', async ({ call, request, reply }) => {
    const { id: applicationId } = request.params as { id: string };
    const { data } = await call(command.name, { applicationId });
    return sendPrivatePicture(reply, await readApplicationLogo(deps, { applicationId: String(data.id) }));
  });
}

const renderLogo = ({ id, logoSha256 }: Record<string, unknown>): Html | false =>
  typeof logoSha256 === 'string' &&
  html`<img class="logo" src="/console/applications/${String(id)}/logo/${logoSha256}" width="56" height="56" alt="">`;

const renderDecisions = ({ words }: Visit, applicationId: string): Html =>
  html`<p class="actions">${decisions.map(
    (name, at) =>
      html`<a class="button${at > 0 && ' quiet'}" href="${formAddress(name, { applicationId })}">${words.application.decisions[name]}</a> `,
  )}</p>`;
