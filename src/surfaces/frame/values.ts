import { showAge } from '#platform/commands/values';
import { type Html, html } from '#platform/http/html';
import type { Reader } from './reader.ts';

/** A word with a colour that says the same. */
export const renderStatus = (status: string): Html => {
  const tone = tones[status] ?? 'plain';
  return html`<span class="status ${tone}">${status}</span>`;
};

const tones: Readonly<Record<string, string>> = {
  active: 'good',
  approved: 'good',
  canceled: 'bad',
  completed: 'good',
  delivered: 'good',
  failed: 'bad',
  pending: 'fair',
  refused: 'bad',
  rejected: 'bad',
  revoked: 'bad',
};

/** Age, with the instant in UTC as its title and in the code. */
export function renderInstant({ now }: Pick<Reader, 'now'>, instant: string): Html {
  const exact = `${instant.slice(0, 19).replace('T', ' ')} UTC`;
  return html`<time datetime="${instant}" title="${exact}">${exact.slice(0, 16)} <small>${showAge(instant, now)}</small></time>`;
}
