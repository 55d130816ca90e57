import { parseInstant } from '../platform/instant.ts';
import { ledgerErrors } from './errors.ts';

const earliest = new Date('1970-01-01T00:00:00Z');
const latest = new Date('9999-12-31T23:59:59.999Z');

/**
 * An instant that an operator wrote, or undefined where none is. The schema's form also lets through what is none, such as leap
 * seconds, and years that PostgreSQL or JavaScript have no name for.
 */
export function readInstant(text: string | undefined, field: string): Date | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text, 'start');
  if (instant && instant >= earliest && instant <= latest) return instant;
  const message = 'must be an instant from 1970 to 9999, such as 2026-01-31T12:00:00Z';
  throw ledgerErrors.invalidLine({ message: `${field} ${message}`, details: [{ field, message }] });
}
