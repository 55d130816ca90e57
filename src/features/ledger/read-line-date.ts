import type { Ctx } from '#context';
import { dayMs } from '#platform/values/duration';
import { parseInstant } from '#platform/values/instant';
import { ledgerErrors } from './errors.ts';

const earliest = new Date('1970-01-01T00:00:00Z');
/** A line with a later date would stay above the newer ones. */
const aheadMaxMs = dayMs;

/**
 * The date that an operator gave a line, if any. The schema also accepts texts that are no instant, such as
 * leap seconds, and years that PostgreSQL or JavaScript cannot represent.
 */
export function readLineDate(
  { now }: Pick<Ctx, 'now'>,
  text: string | undefined,
  field: string,
): Date | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text, 'start');
  if (instant && instant >= earliest && instant.getTime() <= now.getTime() + aheadMaxMs) return instant;
  const message = 'must be an instant from 1970 to tomorrow, such as 2026-01-31T12:00:00Z';
  throw ledgerErrors.invalidLine({ message: `${field} ${message}`, details: [{ field, message }] });
}
