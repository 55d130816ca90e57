import { randomUUID } from 'node:crypto';
import { type Ctx, inTransaction, type WorkerActor } from '#context';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { apiVersion, type EventFamily, type EventRecord, eventBytesMax } from './event.ts';
import {
  deleteRecords,
  insertEvents,
  lockNumbering,
  lockStreams,
  type NumberedEvent,
  parkRecords,
  type Stream,
  selectPartnersOfUsers,
  selectRecords,
} from './queries.ts';

export interface Numbering {
  families: readonly EventFamily[];
  /** In the transaction that numbers: what else must happen for each event, such as queueing webhooks. */
  onNumbered(ctx: Ctx, events: readonly NumberedEvent[]): Promise<void>;
  limit?: number;
}

/**
 * Gives recorded events their numbers, one worker at a time, and returns how many records it took. Only what
 * is committed gets a number, so no lower number appears later. To number at the change, under a lock of the
 * subscriber's row, would make all creations of a partner wait for each other's commits.
 */
export function numberEvents(
  ctx: Ctx<WorkerActor>,
  { families, onNumbered, limit = 500 }: Numbering,
): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    if (!(await lockNumbering(ctx.db))) return 0;
    const records = await selectRecords(ctx.db, {
      parkedBefore: new Date(ctx.now.getTime() - hourMs),
      limit,
    });
    if (records.length === 0) return 0;
    const { presented, parked } = await presentRecords(ctx, families, records);
    const events = await addressEvents(ctx, presented);
    if (events.length > 0) {
      await insertEvents(ctx.db, events, ctx.now);
      await onNumbered(ctx, events);
    }
    const taken = new Set(records.map(({ id }) => id));
    for (const id of parked) taken.delete(id);
    await deleteRecords(ctx.db, [...taken]);
    if (parked.length > 0) await parkRecords(ctx.db, parked, ctx.now);
    return records.length;
  });
}

/** Parked records are tried again after an hour: a later release may be able to present them. */
const hourMs = 3_600_000;

interface Presented {
  record: EventRecord;
  data: { object: object; previousStatus?: string };
}

/** A record that cannot be presented is parked and reported, because it must not stop all others. */
async function presentRecords(ctx: Ctx, families: readonly EventFamily[], records: readonly EventRecord[]) {
  const objects = new Map<EventRecord, object | null>();
  const familyOf = new Map(families.flatMap((family) => family.types.map(({ type }) => [type, family])));
  for (const [family, some] of Map.groupBy(records, ({ type }) => familyOf.get(type))) {
    if (!family) continue;
    const present = async (part: readonly EventRecord[]) => {
      const found = family.present ? await family.present(ctx, part) : part.map(({ facts }) => facts);
      for (const [at, record] of part.entries()) {
        if (Buffer.byteLength(JSON.stringify(found[at] ?? null)) > objectBytesMax)
          throw new Error('too long');
        objects.set(record, found[at] ?? null);
      }
    };
    await present(some).catch(async (error: unknown) => {
      if (error instanceof DatabaseUnavailable || 'severity' in (error as object)) throw error;
      for (const record of some) {
        await present([record]).catch((err) => ctx.log.error({ err, type: record.type }, parkedMessage));
      }
    });
  }
  const parked = records.filter((record) => !objects.has(record)).map(({ id }) => id);
  const presented = records.flatMap((record): Presented[] => {
    const object = objects.get(record);
    if (!object) return [];
    const { previousStatus } = record;
    return [{ record, data: { object, ...(previousStatus !== null && { previousStatus }) } }];
  });
  return { presented, parked };
}

/** What remains of an event's bytes for its object. */
const objectBytesMax = eventBytesMax - 1_024;

const parkedMessage = 'an event could not be presented and is parked; its subscribers do not have it';

/** One event for each receiver, numbered in the order of the records. */
async function addressEvents(ctx: Ctx, presented: readonly Presented[]): Promise<NumberedEvent[]> {
  const { db, now } = ctx;
  const userIds = [...new Set(presented.flatMap(({ record }) => record.userId ?? []))];
  const pairs = userIds.length > 0 ? await selectPartnersOfUsers(db, userIds, now) : [];
  const partnersOf = Map.groupBy(pairs, ({ userId }) => userId);
  const receiversOf = ({ partnerId, integrationId, userId }: EventRecord) =>
    userId === null
      ? [(partnerId ?? integrationId)!]
      : (partnersOf.get(userId) ?? []).map((pair) => pair.partnerId);
  const partnerIds = new Set(
    presented.flatMap(({ record }) => (record.integrationId === null ? receiversOf(record) : [])),
  );
  const integrationIds = new Set(presented.flatMap(({ record }) => record.integrationId ?? []));
  const streams = await lockStreams(db, {
    partnerIds: [...partnerIds],
    integrationIds: [...integrationIds],
  });
  const streamOf = new Map(streams.map((stream) => [(stream.partnerId ?? stream.integrationId)!, stream]));
  return presented.flatMap((one) =>
    receiversOf(one.record).flatMap((receiver) => {
      const stream = streamOf.get(receiver);
      return stream ? [numberOne(stream, one)] : [];
    }),
  );
}

function numberOne(stream: Stream, { record, data }: Presented): NumberedEvent {
  const { type, resource, userId, recordedAt } = record;
  stream.lastSequence += 1n;
  const id = `evt_${randomUUID().replaceAll('-', '')}`;
  const sequence = Number(stream.lastSequence);
  const timestamp = recordedAt.toISOString();
  const body = JSON.stringify({ id, type, timestamp, sequence, apiVersion, data });
  return { streamId: stream.id, sequence: stream.lastSequence, id, type, resource, userId, recordedAt, body };
}
