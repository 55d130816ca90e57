import type { EventRecord } from './event.ts';

/** Objects in the order of their records, from rows that have the place of their record, from 1. */
export function placeObjects<Row>(
  records: readonly EventRecord[],
  rows: readonly (Row & { place: bigint })[],
  present: (row: Row) => object,
): object[] {
  const byPlace = new Map(rows.map((row) => [Number(row.place), row]));
  return records.map(({ resource }, at) => {
    const row = byPlace.get(at + 1);
    if (!row) throw new Error(`${resource} does not exist`);
    return present(row);
  });
}
