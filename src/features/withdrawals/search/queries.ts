import { networks, tokensOf } from '#adapters/evm';
import type { Db, Row } from '#platform/db/db';
import { queryByFilter } from '#platform/db/query-by-filter';
import { lowestUuidAt } from '#platform/values/uuid-time';
import { type TracedRow, tracedColumns } from '../queries.ts';
import { type Status, statuses } from '../states.ts';

export interface Search {
  status?: Status;
  network?: string;
  waitingFor?: string;
  id?: string;
  bulkId?: string;
  userId?: string;
  partnerId?: string;
  keyId?: string;
  externalId?: string;
  /** In lower case. */
  toAddress?: string;
  /** Decimal texts, inclusive. */
  amountMin?: string;
  amountMax?: string;
  /** Inclusive. */
  startAt?: Date;
  endAt?: Date;
  /** Exclusive. */
  createdBefore?: Date;
  /** The last id of the page before. */
  before?: string;
  limit: number;
}

/** How far the clock of a server may differ from that of the database, which writes the time into ids. */
const clockSlackMs = 86_400_000;

const tokenDecimals = [
  ...new Set(networks.flatMap((network) => tokensOf(network)).map(({ decimals }) => decimals)),
];

/** Compares with amounts in minor units, so that an index by decimals and amount serves. */
const amountIs = (operator: string, value: string) =>
  tokenDecimals
    .map((decimals) => `(w.decimals = ${decimals} and w.amount ${operator} ${value} * 1e${decimals})`)
    .join(' or ');

const matches = `($2::uuid is null or w.id < $2) and ($3::uuid is null or w.id = $3) and ($4::uuid is null or w.bulk_id = $4)
  and ($5::uuid is null or w.user_id = $5) and ($6::uuid is null or w.partner_id = $6) and ($7::text is null or w.key_id = $7)
  and ($8::text is null or w.external_id = $8) and ($9::text is null or w.to_address = $9)
  and ($10::numeric is null or ${amountIs('>=', '$10::numeric')}) and ($11::numeric is null or ${amountIs('<=', '$11::numeric')})
  and ($12::timestamptz is null or (w.created_at >= $12 and w.id >= $13::uuid))
  and ($14::timestamptz is null or (w.created_at <= $14 and w.id < $15::uuid))
  and ($16::timestamptz is null or (w.created_at < $16 and w.id < $17::uuid))
  and ($18::text is null or w.status = $18) and ($19::text is null or w.network = $19) and ($20::text is null or w.waiting_for = $20)`;

/**
 * Withdrawals of all partners, newest first. Open ones are found by the index of the queue. The indexes of
 * filters have final ones only: a final row never changes, so a withdrawal enters each of them once, when it
 * ends. A creation writes no entry; opening the seven indexes takes 2 to 5 % of its CPU in the database.
 */
export async function searchWithdrawals(db: Db, search: Search): Promise<TracedRow[]> {
  const parts = partsOf(search).map(
    (part) =>
      `(select ${tracedColumns} from withdrawals w where ${part} and ${matches} order by w.id desc limit $1)`,
  );
  if (parts.length === 0) return [];
  const text = `select * from (${parts.join(' union all ')}) w order by w.id desc limit $1`;
  const at = (instant: Date | undefined, slackMs: number) =>
    instant && lowestUuidAt(new Date(instant.getTime() + slackMs));
  const { startAt, endAt, createdBefore } = search;
  return queryByFilter<TracedRow & Row>(db, text, [
    ...[search.limit, search.before, search.id, search.bulkId, search.userId, search.partnerId, search.keyId],
    ...[search.externalId, search.toAddress, search.amountMin, search.amountMax],
    ...[startAt, at(startAt, -clockSlackMs), endAt, at(endAt, clockSlackMs)],
    ...[createdBefore, at(createdBefore, clockSlackMs)],
    ...[search.status, search.network, search.waitingFor],
  ]);
}

/**
 * By status or network alone, each pair of both is one range of an index. Any other filter has a narrower
 * index, of final withdrawals.
 */
function partsOf(search: Search): string[] {
  const { status, network, waitingFor } = search;
  if (isNarrow(search) || (!status && !network && !waitingFor)) {
    return [`w.status in ('queued', 'pending', 'processing')`, `w.status in ('completed', 'failed')`];
  }
  const wanted = statuses.filter((one) => (!status || one === status) && (!waitingFor || one === 'pending'));
  return wanted.flatMap((one) =>
    networks
      .filter((name) => !network || name === network)
      .map((name) => `w.status = '${one}' and w.network = '${name}'`),
  );
}

const isNarrow = ({
  id,
  bulkId,
  userId,
  partnerId,
  keyId,
  externalId,
  toAddress,
  amountMin,
  amountMax,
}: Search) =>
  [id, bulkId, userId, partnerId, keyId, externalId, toAddress, amountMin, amountMax].some(
    (value) => value !== undefined,
  );

/**
 * By the unique index of partner and key, with one lookup for each partner. An index by the key alone would
 * slow down every creation.
 */
export async function selectByAnyIdempotencyKey(db: Db, key: string, limit: number): Promise<TracedRow[]> {
  return db.query<TracedRow & Row>(
    `select ${tracedColumns} from partners p
     cross join lateral (select * from withdrawals
       where partner_id = p.id and idempotency_key = $1 and idempotency_key is not null limit 1) w
     order by w.id desc limit $2`,
    [key, limit],
  );
}
