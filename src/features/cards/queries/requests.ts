import type { Db, Row } from '#platform/db/db';

export interface CardRequest {
  fingerprint: Buffer;
  /** Of the cards that it made or changed; null until the issuer has answered. */
  cardIds: string[] | null;
  asked: unknown;
}

export async function selectRequest(
  db: Db,
  { userId, idempotencyKey }: { userId: string; idempotencyKey: string },
): Promise<CardRequest | undefined> {
  const [row] = await db.query<CardRequest & Row>(
    `select fingerprint, card_ids as "cardIds", asked from card_requests where user_id = $1 and idempotency_key = $2`,
    [userId, idempotencyKey],
  );
  return row;
}

interface NewRequest {
  userId: string;
  idempotencyKey: string;
  fingerprint: Buffer;
  asked: unknown;
  now: Date;
}

/** Does nothing if another request has this key already. */
export async function insertRequest(db: Db, request: NewRequest): Promise<void> {
  const { userId, idempotencyKey, fingerprint, asked, now } = request;
  await db.query(
    `insert into card_requests (user_id, idempotency_key, fingerprint, asked, created_at) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [userId, idempotencyKey, fingerprint, JSON.stringify(asked), now],
  );
}

/** Does nothing if the request was answered in the meantime. */
export async function updateUnansweredRequest(db: Db, request: Omit<NewRequest, 'now'>): Promise<void> {
  const { userId, idempotencyKey, fingerprint, asked } = request;
  await db.query(
    `update card_requests set asked = $4
     where user_id = $1 and idempotency_key = $2 and fingerprint = $3 and card_ids is null`,
    [userId, idempotencyKey, fingerprint, JSON.stringify(asked)],
  );
}

/** Stores the answer. Returns false if there is one already, or if the key now belongs to another request. */
export async function upsertAnswer(db: Db, request: NewRequest & { cardIds: string[] }): Promise<boolean> {
  const { userId, idempotencyKey, fingerprint, asked, now, cardIds } = request;
  const rows = await db.query(
    `insert into card_requests as r (user_id, idempotency_key, fingerprint, asked, created_at, card_ids)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (user_id, idempotency_key) do update set card_ids = excluded.card_ids
       where r.card_ids is null and r.fingerprint = excluded.fingerprint
     returning 1`,
    [userId, idempotencyKey, fingerprint, JSON.stringify(asked), now, cardIds],
  );
  return rows.length > 0;
}

/** Does nothing if the request was answered in the meantime, or if the key now belongs to another request. */
export async function deleteUnansweredRequest(
  db: Db,
  { userId, idempotencyKey, fingerprint }: Pick<NewRequest, 'userId' | 'idempotencyKey' | 'fingerprint'>,
): Promise<void> {
  await db.query(
    `delete from card_requests
     where user_id = $1 and idempotency_key = $2 and fingerprint = $3 and card_ids is null`,
    [userId, idempotencyKey, fingerprint],
  );
}
