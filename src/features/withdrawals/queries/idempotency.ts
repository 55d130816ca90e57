import { ownerOfAddress, type RecipientRow } from '#features/users';
import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';

/** What a key was used for: a withdrawal, or a payment on chain whose withdrawal was lost. */
export type Former =
  | { bulkId: string; fingerprint: Buffer }
  | {
      bulkId: null;
      withdrawalId: string;
      network: string;
      tokenAddress: string;
      toAddress: string;
      amount: bigint;
    };

/** What a key was used for, and who owns the address that is to be paid. */
export interface Found {
  former: Former | undefined;
  /** Undefined if no address was asked about. */
  owner: RecipientRow | undefined;
}

/** An address on a network. */
export interface Payee {
  network: string;
  address: string;
}

interface Question {
  partnerId: string;
  idempotencyKey: string;
  payee: Payee | undefined;
}

interface FoundRow extends RecipientRow, Row {
  /** Of the question, from 1. */
  place: number;
  bulkId: string | null;
  fingerprint: Buffer | null;
  withdrawalId: string | null;
  paidOn: string;
  tokenAddress: string;
  toAddress: string;
  amount: bigint;
}

/**
 * Both in one statement: with two, a creation takes a tenth more CPU. Rows come only of questions that find
 * something. Payments are searched only if there are any, because the mark of a key costs a hash. The limits
 * make PostgreSQL use the indexes: it may keep a plan that it made when a table was still empty. The arrays
 * are in subselects: if the planner sees their length, it makes a new plan for each call.
 */
export const selectFormerAndOwner = batchLoader(async (db: Db, asked: Question[]): Promise<Found[]> => {
  const rows = await db.query<FoundRow>(
    `select * from (
         select g.place::integer, ${ownerOfAddress.columns}, f.*, p.*
         from unnest((select $1::uuid[]), (select $2::text[]), (select $3::text[]), (select $4::text[]))
           with ordinality as g (partner_id, key, network, address, place)
         ${ownerOfAddress.join}
         left join lateral (
           select bulk_id as "bulkId", fingerprint from withdrawals
           where partner_id = g.partner_id and idempotency_key = g.key limit 1) f on true
         left join lateral (
           select withdrawal_id as "withdrawalId", network as "paidOn", token_address as "tokenAddress",
             to_address as "toAddress", amount
           from found_payments where key_mark = withdrawal_key_mark(g.partner_id, g.key) and withdrawal_id is not null
             and (select exists (select from found_payments where withdrawal_id is not null))
           limit 1) p on true) found
       where "userId" is not null or "isBlocked" or "bulkId" is not null or "withdrawalId" is not null`,
    [
      asked.map(({ partnerId }) => partnerId),
      asked.map(({ idempotencyKey }) => idempotencyKey),
      asked.map(({ payee }) => payee?.network),
      asked.map(({ payee }) => payee?.address),
    ],
  );
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return asked.map(({ payee }, at) => {
    const row = byPlace.get(at + 1);
    return { former: row && formerOf(row), owner: payee && (row ?? nobodyAt(payee)) };
  });
});

const nobodyAt = ({ address }: Payee): RecipientRow => ({
  address,
  userId: null,
  custody: null,
  isBlocked: false,
});

function formerOf(row: FoundRow): Former | undefined {
  const { bulkId, fingerprint, withdrawalId, paidOn: network, tokenAddress, toAddress, amount } = row;
  if (bulkId !== null) return { bulkId, fingerprint: fingerprint! };
  return withdrawalId === null
    ? undefined
    : { bulkId, withdrawalId, network, tokenAddress, toAddress, amount };
}

/** Payments on chain whose withdrawals were lost, by idempotency key. */
export async function selectFoundByKeys(
  db: Db,
  partnerId: string,
  keys: readonly string[],
): Promise<Map<string, Former>> {
  if (keys.length === 0) return new Map();
  const rows = await db.query<Former & { key: string }>(
    `select distinct on (k.key) k.key, null as "bulkId", f.withdrawal_id as "withdrawalId", f.network,
       f.token_address as "tokenAddress", f.to_address as "toAddress", f.amount
     from unnest($2::text[]) as k (key)
     join found_payments f on f.key_mark = withdrawal_key_mark($1, k.key) and f.withdrawal_id is not null
     order by k.key, f.withdrawal_id`,
    [partnerId, keys],
  );
  return new Map(rows.map(({ key, ...former }) => [key, former]));
}
