import { invalidField } from '../errors/errors.ts';

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Start or end of a period, inclusive: a date without a time is that whole day in UTC, a time without an
 * offset is UTC. Undefined if the text is neither, or a day that does not exist.
 */
export function parseInstant(text: string, edge: 'start' | 'end'): Date | undefined {
  const [, day, minutes, seconds = ':00', offset = 'Z'] = instantPattern.exec(text) ?? [];
  // `Date` turns 30 February into 2 March; a day that does not round-trip is invalid.
  const midnight = new Date(`${day}T00:00:00Z`);
  if (!day || Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) {
    return undefined;
  }
  if (!minutes) return edge === 'start' ? midnight : new Date(`${day}T23:59:59.999Z`);
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const instant = new Date(`${day}T${minutes}${seconds}${zone}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

/** The same for an optional field; an invalid value is refused by the field's name. */
export function readInstant(
  field: string,
  text: string | undefined,
  edge: 'start' | 'end',
): Date | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text, edge);
  if (!instant)
    throw invalidField(
      field,
      'must be an ISO 8601 date or date-time, such as 2026-01-31 or 2026-01-31T12:00:00Z',
    );
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
