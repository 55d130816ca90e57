import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { selectFeed } from './queries.ts';

export interface ListedEvent {
  id: string;
  type: string;
  timestamp: string;
  sequence: number;
  apiVersion: string;
  data: unknown;
}

/** Events of a subscriber, oldest first, those about accounts included. */
export async function listForOperator(
  { db }: Ctx,
  { subscriberId, limit = 50, cursor }: CursorInput & { subscriberId: string },
): Promise<CursorPage<ListedEvent>> {
  const list = nameList('events.list', { subscriberId });
  // Ids of partners and integrations never meet.
  const reader = { partnerId: subscriberId, integrationId: subscriberId, seesAll: true as const };
  let after = BigInt(decodeCursor(list, cursor, /^\d{1,15}$/) ?? '0');
  const events: ListedEvent[] = [];
  for (let isEnd = false; !isEnd && events.length <= limit; ) {
    const page = { after, limit: limit + 1 - events.length, scanned: 10_000 };
    const { bodies, next, last } = await selectFeed(db, reader, page);
    for (const body of bodies) events.push(JSON.parse(body));
    isEnd = next >= last;
    after = next;
  }
  return toCursorPage(list, events, limit, ({ sequence }) => String(sequence));
}
