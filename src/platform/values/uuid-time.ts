/**
 * The lowest UUID of version 7 that a clock can make at an instant: ids sort by time, so a period is a range
 * of ids.
 *
 * @example lowestUuidAt(new Date('2026-01-31T12:00:00Z')) // '019c13ec-9e00-0000-0000-000000000000'
 */
export function lowestUuidAt(instant: Date): string {
  const hex = Math.max(0, instant.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
