import type { Ctx } from '#context';
import { type EventFamily, type EventRecord, eventBytesMax } from './event.ts';

export interface Presented {
  record: EventRecord;
  data: { object: object; previousStatus?: string };
}

/** What remains of an event's bytes for its object. */
const objectBytesMax = eventBytesMax - 1_024;

/** The content of events, family by family, in the order of the records. Throws if one cannot be made. */
export async function presentRecords(
  ctx: Ctx,
  families: readonly EventFamily[],
  records: readonly EventRecord[],
): Promise<Presented[]> {
  const familyOf = new Map(families.flatMap((family) => family.types.map(({ type }) => [type, family])));
  const objects = new Map<EventRecord, object | null>();
  for (const [family, some] of Map.groupBy(records, ({ type }) => familyOf.get(type))) {
    if (!family) throw new Error(`no event has the type ${some[0]!.type}`);
    const found = family.present ? await family.present(ctx, some) : some.map(({ facts }) => facts);
    for (const [at, record] of some.entries()) objects.set(record, found[at] ?? null);
  }
  return records.flatMap((record) => {
    const object = objects.get(record);
    if (!object) return [];
    if (Buffer.byteLength(JSON.stringify(object)) > objectBytesMax) throw new Error('the event is too long');
    const { previousStatus } = record;
    return [{ record, data: { object, ...(previousStatus !== null && { previousStatus }) } }];
  });
}
