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

export const selectByIdempotencyKey = (
  db: Db,
  partnerId: string,
  idempotencyKey: string,
): Promise<Former | undefined> => selectFormer(db, { partnerId, idempotencyKey });

/** The arrays are in subselects: if the planner sees their length, it makes a new plan for each call. */
const selectFormer = batchLoader(
  async (db: Db, asked: { partnerId: string; idempotencyKey: string }[]): Promise<(Former | undefined)[]> => {
    const rows = await db.query<Former & { place: number } & Row>(
      `select g.place::integer, f.* from unnest((select $1::uuid[]), (select $2::text[])) with ordinality as g (partner_id, key, place)
       cross join lateral (
         select bulk_id as "bulkId", fingerprint, null::uuid as "withdrawalId", network, null as "tokenAddress",
           null as "toAddress", null::numeric as amount
         from withdrawals where partner_id = g.partner_id and idempotency_key = g.key
         union all
         select null, null, withdrawal_id, network, token_address, to_address, amount from found_payments
         where key_mark = withdrawal_key_mark(g.partner_id, g.key) and withdrawal_id is not null
         order by 1 nulls last limit 1) f`,
      [asked.map(({ partnerId }) => partnerId), asked.map(({ idempotencyKey }) => idempotencyKey)],
    );
    const byPlace = new Map(rows.map(({ place, ...former }) => [place, former as Former]));
    return asked.map((_, at) => byPlace.get(at + 1));
  },
);

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
