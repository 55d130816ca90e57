import type { Db, Row } from '#platform/db/db';

/** Wakes the workers' catch-up, which reads in order what a webhook delivered too early. */
export async function notifyCatchUp(db: Db): Promise<void> {
  await db.query(`select pg_notify('${catchUpChannel}', '')`);
}

export const catchUpChannel = 'card_events';

export interface EventCursor {
  /** The last event that was read. */
  lastSequence: bigint;
  readAt: Date | null;
  /**
   * Events about objects that we do not store or people who are not our users, and those an operator skipped.
   */
  skipped: bigint;
  /** The next event, if the feed lacks it but has later ones, or if it cannot be read. */
  missingSequence: bigint | null;
  missingSince: Date | null;
  /** It is there and cannot be read. */
  isUnreadable: boolean;
}

const cursorColumns = `last_sequence as "lastSequence", read_at as "readAt", skipped, missing_sequence as "missingSequence",
  missing_since as "missingSince", is_unreadable as "isUnreadable"`;

export async function selectEventCursor(db: Db): Promise<EventCursor> {
  const [row] = await db.query<EventCursor & Row>(`select ${cursorColumns} from card_event_cursor`);
  return row!;
}

export async function lockEventCursor(db: Db): Promise<EventCursor> {
  const [row] = await db.query<EventCursor & Row>(
    `select ${cursorColumns} from card_event_cursor for update`,
  );
  return row!;
}

export async function updateEventCursor(
  db: Db,
  { lastSequence, readAt, skipped, missingSequence, missingSince, isUnreadable }: EventCursor,
): Promise<void> {
  await db.query(
    `update card_event_cursor set last_sequence = $1, read_at = $2, skipped = $3, missing_sequence = $4, missing_since = $5,
       is_unreadable = $6`,
    [lastSequence, readAt, skipped, missingSequence, missingSince, isUnreadable],
  );
}

/** Seconds since the events were last read; undefined before the first time. */
export async function selectSecondsBehind(db: Db): Promise<number | undefined> {
  const [row] = await db.query<{ seconds: number }>(
    `select greatest(extract(epoch from now() - read_at), 0)::double precision as seconds
     from card_event_cursor where read_at is not null`,
  );
  return row?.seconds;
}
