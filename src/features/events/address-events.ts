import type { Ctx } from '#context';
import { apiVersion, type EventRecord } from './event.ts';
import { createEventId } from './event-id.ts';
import type { Presented } from './present-records.ts';
import { lockStreams, type NumberedEvent, type Stream, selectPartnersOfUsers } from './queries.ts';

/** One event for each receiver, numbered in the order of the records. Their streams stay locked. */
export async function addressEvents(
  { db, now }: Ctx,
  presented: readonly Presented[],
): Promise<NumberedEvent[]> {
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
  if (partnerIds.size + integrationIds.size === 0) return [];
  const streams = await lockStreams(db, { partnerIds: [...partnerIds], integrationIds: [...integrationIds] });
  const streamOf = new Map(streams.map((stream) => [(stream.partnerId ?? stream.integrationId)!, stream]));
  return presented.flatMap((one) =>
    receiversOf(one.record).flatMap((receiver) => {
      const stream = streamOf.get(receiver);
      return stream ? [numberOne(stream, one, now)] : [];
    }),
  );
}

function numberOne(stream: Stream, { record, data }: Presented, now: Date): NumberedEvent {
  const { type, resource, recordedAt } = record;
  const userId = record.userId ?? record.readerUserId;
  stream.lastSequence += 1n;
  const id = createEventId(now);
  const sequence = Number(stream.lastSequence);
  const timestamp = recordedAt.toISOString();
  const body = JSON.stringify({ id, type, timestamp, sequence, apiVersion, data });
  return { streamId: stream.id, sequence: stream.lastSequence, id, type, resource, userId, recordedAt, body };
}
