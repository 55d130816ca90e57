import type { Db } from '#platform/db/db';

/** The request that asked for a withdrawal. */
export interface Origin {
  /** As the server determined it, behind trusted proxies; null if that is not an IP address. */
  callerAddress: string | null;
  requestId: string;
}

export interface NewWithdrawal {
  partnerId: string;
  userId: string;
  keyId: string;
  network: string;
  currency: string;
  tokenAddress: string;
  decimals: number;
  amount: bigint;
  toAddress: string;
  recipientUserId: string | null;
  externalId: string | null;
  idempotencyKey: string | null;
  fingerprint: Buffer | null;
  /** Description for the ledger, if it is not a plain withdrawal. */
  description?: string;
  /** For a request that is repeated after a restore and whose payment was found on chain. */
  id?: string;
  /** Shared by those of one request. */
  bulkId?: string;
  /** A withdrawal by a user's rule has none. */
  origin?: Origin;
  now: Date;
}

/**
 * The id with its last twelve digits complemented. The id is in the calldata of a payment, so a request
 * repeated after a restore gets the same bulk id.
 */
const bulkIdOf = (id: string) =>
  `overlay(${id}::text placing translate(right(${id}::text, 12), '0123456789abcdef', 'fedcba9876543210') from 25)::uuid`;

const givenBulkId = `coalesce(g.given_bulk_id, ${bulkIdOf('g.id')})`;

/**
 * Stores withdrawals, all or none, and returns their bulk ids. One statement, so that no round trip happens
 * while a list's row is locked. An error also undoes the positions, so positions have no gaps. Lists and keys
 * are locked in order, so that two calls never wait for each other.
 */
export async function insertWithdrawals(db: Db, withdrawals: readonly NewWithdrawal[]): Promise<string[]> {
  const all = <T>(read: (one: NewWithdrawal) => T) => withdrawals.map(read);
  const rows = await db.query<{ bulkId: string }>(
    `with given as (
       select g.*, coalesce(g.given_id, uuidv7()) as id, row_number() over (partition by g.partner_id, g.user_id order by g.place) as nth
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::numeric[], $9::text[],
         $10::uuid[], $11::text[], $12::text[], $13::bytea[], $14::timestamptz[], $15::text[], $16::uuid[], $17::text[], $18::uuid[],
         $19::uuid[])
         with ordinality as g (partner_id, user_id, key_id, network, currency, token_address, decimals, amount, to_address,
         recipient_user_id, external_id, idempotency_key, fingerprint, made_at, description, given_id, caller_address, request_id,
         given_bulk_id, place)),
     lists as (
       insert into withdrawal_lists as l (partner_id, user_id, last_position)
       select partner_id, user_id, count(*) from given group by 1, 2 order by 1, 2
       on conflict (partner_id, user_id) do update set last_position = l.last_position + excluded.last_position
       returning id, partner_id, user_id, coalesce(old.last_position, 0) as former),
     stored as (
       insert into withdrawals (id, bulk_id, list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
         amount, to_address, recipient_user_id, external_id, idempotency_key, fingerprint, created_at, updated_at, description,
         caller_address, request_id)
       select g.id, ${givenBulkId}, l.id, l.former + g.nth, g.partner_id, g.user_id, g.key_id, g.network, g.currency,
         g.token_address, g.decimals, g.amount, g.to_address, g.recipient_user_id, g.external_id, g.idempotency_key, g.fingerprint,
         g.made_at, g.made_at, g.description, g.caller_address, g.request_id
       from given g join lists l on l.partner_id = g.partner_id and l.user_id = g.user_id order by g.partner_id, g.idempotency_key)
     select ${givenBulkId} as "bulkId" from given g order by g.place`,
    [
      all((one) => one.partnerId),
      all((one) => one.userId),
      all((one) => one.keyId),
      all((one) => one.network),
      all((one) => one.currency),
      all((one) => one.tokenAddress),
      all((one) => one.decimals),
      all((one) => one.amount),
      all((one) => one.toAddress),
      all((one) => one.recipientUserId),
      all((one) => one.externalId),
      all((one) => one.idempotencyKey),
      all((one) => one.fingerprint),
      all((one) => one.now),
      all((one) => one.description ?? null),
      all((one) => one.id ?? null),
      all((one) => one.origin?.callerAddress ?? null),
      all((one) => one.origin?.requestId ?? null),
      all((one) => one.bulkId ?? null),
    ],
  );
  return rows.map(({ bulkId }) => bulkId);
}

export const insertWithdrawal = async (db: Db, withdrawal: NewWithdrawal): Promise<string> =>
  (await insertWithdrawals(db, [withdrawal]))[0]!;
