import { invalidField } from '../errors/errors.ts';

const instantPattern =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?)?)?)?$/;

/** The forms that messages suggest. */
export const instantForms =
  'a year, month, day or instant of ISO 8601, such as 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z';

/**
 * Start or end of a period, inclusive: a year, a month or a day is all of it in UTC, a time without an offset
 * is UTC. Undefined if the text has another form, or names a day that does not exist.
 *
 * @example parseInstant('2028-02', 'end') // 2028-02-29T23:59:59.999Z
 */
export function parseInstant(text: string, edge: 'start' | 'end'): Date | undefined {
  const [, year, month, day, minutes, seconds = ':00', offset = 'Z'] = instantPattern.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = `${year}-${month ?? '01'}-${day ?? '01'}`;
  const midnight = new Date(`${date}T00:00:00Z`);
  // `Date` turns 30 February into 2 March; a day that does not round-trip is invalid.
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) return undefined;
  if (minutes === undefined) {
    if (edge === 'start') return midnight;
    return lastInstant(midnight, day ? 'day' : month ? 'month' : 'year');
  }
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const instant = new Date(`${date}T${minutes}${seconds}${zone}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

function lastInstant(first: Date, span: 'day' | 'month' | 'year'): Date {
  const next = new Date(first);
  if (span === 'day') next.setUTCDate(next.getUTCDate() + 1);
  else if (span === 'month') next.setUTCMonth(next.getUTCMonth() + 1);
  else next.setUTCFullYear(next.getUTCFullYear() + 1);
  return new Date(next.getTime() - 1);
}

/** The same for an optional field; an invalid value is refused by the field's name. */
export function readInstant(
  field: string,
  text: string | undefined,
  edge: 'start' | 'end',
): Date | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text, edge);
  if (!instant) throw invalidField(field, `must be ${instantForms}`);
  return instant;
}

/** Two fields that are the ends of a period. */
export function readPeriod(
  [startField, start]: readonly [field: string, text: string | undefined],
  [endField, end]: readonly [field: string, text: string | undefined],
): { startAt?: Date; endAt?: Date } {
  const startAt = readInstant(startField, start, 'start');
  const endAt = readInstant(endField, end, 'end');
  if (startAt && endAt && startAt > endAt) throw invalidField(startField, `must not be after ${endField}`);
  return { startAt, endAt };
}
