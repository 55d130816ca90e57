import { formatMinor } from '#platform/values/money';
import type { Language, Words } from './words.ts';
import { words } from './words.ts';

/** Dates and figures as the reader of a statement writes them. All instants are in UTC. */
export interface Spelling {
  words: Words;
  /** Of the document: a language tag. */
  tag: string;
  decimalPoint: string;
  /** With a fixed number of decimals. */
  amount(minor: bigint, decimals: number, decimalsShown: number): string;
  /** The same for a plain decimal text, such as `-1234.5`. */
  figure(decimal: string, decimalsShown: number): string;
  count(number: number | bigint): string;
  day(instant: Date): string;
  /** To the second. */
  instant(instant: Date): string;
  period(startAt: Date | undefined, endAt: Date | undefined): string;
}

const tags: Record<Language, string> = { en: 'en', pt: 'pt-BR' };
const dayForms: Record<Language, Intl.DateTimeFormatOptions> = {
  en: { day: 'numeric', month: 'short', year: 'numeric' },
  pt: { day: '2-digit', month: '2-digit', year: 'numeric' },
};

const spellings = new Map<Language, Spelling>();

export function spellingOf(language: Language): Spelling {
  let spelling = spellings.get(language);
  if (!spelling) {
    spelling = createSpelling(language);
    spellings.set(language, spelling);
  }
  return spelling;
}

function createSpelling(language: Language): Spelling {
  const tag = tags[language];
  const numbers = new Intl.NumberFormat(tag);
  const parts = numbers.formatToParts(1234567.5);
  const partOf = (type: string) => parts.find((part) => part.type === type)!.value;
  const [decimalPoint, separator] = [partOf('decimal'), partOf('group')];
  const days = new Intl.DateTimeFormat(tag, { ...dayForms[language], timeZone: 'UTC' });
  const day = (instant: Date) => days.format(instant);
  const timeOf = (instant: Date) => instant.toISOString().slice(11, 19);
  const edge = (instant: Date, end: string) => {
    const time = instant.toISOString().slice(11, 23);
    return time === end ? day(instant) : `${day(instant)} ${time} UTC`;
  };
  // Intl is exact for such texts too, but takes ten times as long.
  const figure = (decimal: string, decimalsShown: number) => {
    const point = decimal.indexOf('.');
    const whole = point < 0 ? decimal : decimal.slice(0, point);
    const fraction = (point < 0 ? '' : decimal.slice(point + 1)).padEnd(decimalsShown, '0');
    const grouped = groupDigits(whole, separator);
    return fraction === '' ? grouped : grouped + decimalPoint + fraction;
  };
  return {
    words: words[language],
    tag,
    decimalPoint,
    figure,
    amount: (minor, decimals, decimalsShown) => figure(formatMinor(minor, decimals), decimalsShown),
    count: (number) => numbers.format(number),
    day,
    instant: (instant) => `${day(instant)} ${timeOf(instant)} UTC`,
    period: (startAt, endAt) => {
      const { everything, upTo, from, between } = words[language];
      const start = startAt && edge(startAt, '00:00:00.000');
      const end = endAt && edge(endAt, '23:59:59.999');
      if (start && end) return start === end ? start : between(start, end);
      return start ? from(start) : end ? upTo(end) : everything;
    },
  };
}

function groupDigits(whole: string, separator: string): string {
  const first = whole.startsWith('-') ? 1 : 0;
  let [text, end] = ['', whole.length];
  for (; end - first > 3; end -= 3) text = separator + whole.slice(end - 3, end) + text;
  return whole.slice(0, end) + text;
}
