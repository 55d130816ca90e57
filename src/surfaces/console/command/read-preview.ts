import { type Content, html } from '#platform/http/html';
import { renderAnswer } from '../answer.ts';
import type { CallCommand } from '../call-command.ts';
import type { Visit } from '../visit.ts';
import type { CommandPage } from './command-pages.ts';
import { secretFields } from './render-form.ts';

/** What a decision about a stored command would run, for the confirmation; other commands need no read. */
export async function readPreview(
  visit: Visit,
  { command, byName }: CommandPage,
  call: CallCommand,
  input: Record<string, unknown>,
): Promise<Content> {
  if (command.name !== 'approvals.decide') return undefined;
  const { data } = await call('approvals.show', { id: input.id });
  const { command: stored, status, requestedBy, requestedAt, expiresAt } = data;
  const shown = {
    command: stored,
    status,
    requestedBy,
    requestedAt,
    expiresAt,
    input: hideSecrets((data.input ?? {}) as Record<string, unknown>),
  };
  const view = { reader: visit, command: byName.get('approvals.show')! };
  return html`<section id="preview"><h2>${visit.words.confirm.decides}</h2>${renderAnswer(view, shown, 3)}</section>`;
}

export const hideSecrets = (input: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(input).map(([field, value]) => [field, secretFields.includes(field) ? '••••' : value]),
  );
