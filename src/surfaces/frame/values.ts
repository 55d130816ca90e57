import { showAge } from '#platform/commands/values';
import { type Html, html } from '#platform/http/html';
import type { Language } from '#platform/pages/language';
import type { Reader } from './reader.ts';

type Speaker = Pick<Reader, 'frame' | 'language'>;

/** The word for a value of the API in the reader's language. */
export const wordOfStatus = ({ frame }: Pick<Reader, 'frame'>, status: string): string =>
  frame.statuses[status] ?? status;

/** The word with a colour that says the same. A translated one has the value of the API as its title. */
export function renderStatus({ frame, language }: Speaker, status: string): Html {
  const tone = tones[status] ?? 'plain';
  const word = frame.statuses[status];
  if (word !== undefined) return html`<span class="status ${tone}" title="${status}">${word}</span>`;
  return html`<span class="status ${tone}"${language !== 'en' && html` lang="en"`}>${status}</span>`;
}

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
export function renderInstant({ now, language }: Pick<Reader, 'now' | 'language'>, instant: string): Html {
  const exact = `${instant.slice(0, 19).replace('T', ' ')} UTC`;
  const age = language === 'en' ? showAge(instant, now) : ageIn(language, instant, now);
  return html`<time datetime="${instant}" title="${exact}">${exact.slice(0, 16)} <small>${age}</small></time>`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `há 3 min`. */
function ageIn(language: Language, instant: string, now: Date): string {
  const seconds = Math.round((new Date(instant).getTime() - now.getTime()) / 1_000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  return new Intl.RelativeTimeFormat(language, { style: 'short' }).format(Math.trunc(seconds / size), unit);
}
