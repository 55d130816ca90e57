import { dayMs } from './duration.ts';

const spellings = (count: number, digits: number, end: string) =>
  Array.from({ length: count }, (_, number) => String(number).padStart(digits, '0') + end);
const hours = spellings(24, 2, ':');
const minutes = spellings(60, 2, ':');
const seconds = spellings(60, 2, '.');
const thousandths = spellings(1_000, 3, 'Z');

let lastDay = { number: Number.NaN, text: '' };

/** Same result as `toISOString`, at a quarter of the cost for many instants that are near each other. */
export function writeInstant(ms: number): string {
  const number = Math.floor(ms / dayMs);
  if (number !== lastDay.number) lastDay = { number, text: writeDay(ms) };
  const thousandth = ms - number * dayMs;
  const second = Math.floor(thousandth / 1_000);
  const minute = Math.floor(second / 60);
  return `${lastDay.text}${hours[Math.floor(minute / 60)]}${minutes[minute % 60]}${seconds[second % 60]}${thousandths[thousandth % 1_000]}`;
}

const writeDay = (ms: number) => new Date(ms).toISOString().slice(0, -'00:00:00.000Z'.length);
