import { networks, tokensOf } from '#adapters/evm';
import type { Db, Row } from '#platform/db/db';
import { queryByFilter } from '#platform/db/query-by-filter';
import { dayMs } from '#platform/values/duration';
import { lowestUuidAt } from '#platform/values/uuid-time';
import { type TracedRow, tracedColumns } from '../queries/withdrawals.ts';
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
const clockSlackMs = dayMs;

const tokenDecimals = [
  ...new Set(networks.flatMap((network) => tokensOf(network)).map(({ decimals }) => decimals)),
];

/** Compares with amounts in minor units, so that an index by decimals and amount serves. */
const amountIs = (operator: string, value: string) =>
  tokenDecimals
    .map((decimals) => `(w.decimals = ${decimals} and w.amount ${operator} ${value} * 1e${decimals})`)
    .join(' or ');

/** Filters with an index of final withdrawals by that column and the id; the narrowest first. */
const leads = [
  ['externalId', 'external_id', '$6'],
  ['toAddress', 'to_address', '$7'],
  ['userId', 'user_id', '$8'],
  ['keyId', 'key_id', '$9'],
  ['partnerId', 'partner_id', '$10'],
] as const;

type Lead = (typeof leads)[number];

const isEqual = ([, column, value]: Lead) =>
  `(${value}::${typeOf(column)} is null or w.${column} = ${value})`;
const typeOf = (column: Lead[1]) => (column === 'user_id' || column === 'partner_id' ? 'uuid' : 'text');

const matches = `w.id < $2::uuid and w.id >= $3::uuid
  and ($4::uuid is null or w.id = $4) and ($5::uuid is null or w.bulk_id = $5)
  and ($11::numeric is null or ${amountIs('>=', '$11::numeric')}) and ($12::numeric is null or ${amountIs('<=', '$12::numeric')})
  and ($13::timestamptz is null or w.created_at >= $13) and ($14::timestamptz is null or w.created_at <= $14)
  and ($15::timestamptz is null or w.created_at < $15)
  and ($16::text is null or w.status = $16) and ($17::text is null or w.network = $17) and ($18::text is null or w.waiting_for = $18)`;

/**
 * Withdrawals of all partners, newest first. Open ones are found by the index of the queue. The indexes of
 * filters have final ones only: a final row never changes, so a withdrawal enters each of them once, when it
 * ends. A creation writes no entry; opening the seven indexes takes 2 to 5 % of its CPU in the database.
 */
export async function searchWithdrawals(db: Db, search: Search): Promise<TracedRow[]> {
  const parts = partsOf(search);
  if (parts.length === 0) return [];
  const text = `select * from (${parts.join(' union all ')}) w order by w.id desc limit $1`;
  const { before, startAt, endAt, createdBefore } = search;
  const at = (instant: Date | undefined, slackMs: number) =>
    instant && lowestUuidAt(new Date(instant.getTime() + slackMs));
  const ends = [before, at(endAt, clockSlackMs), at(createdBefore, clockSlackMs)].filter(
    (id) => id !== undefined,
  );
  return queryByFilter<TracedRow & Row>(db, text, [
    ...[search.limit, ends.sort()[0] ?? highestUuid, at(startAt, -clockSlackMs) ?? lowestUuid],
    ...[search.id, search.bulkId],
    ...leads.map(([name]) => search[name]),
    ...[search.amountMin, search.amountMax, startAt, endAt, createdBefore],
    ...[search.status, search.network, search.waitingFor],
  ]);
}

const lowestUuid = '00000000-0000-0000-0000-000000000000';
const highestUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Each is one range of an index, so that none reads more than its filters leave. */
function partsOf(search: Search): string[] {
  const { status, network, waitingFor, id, bulkId, amountMin, amountMax } = search;
  const lead = leads.find(([name]) => search[name] !== undefined);
  const isSelective = [id, bulkId, amountMin, amountMax].some((value) => value !== undefined);
  const isPlain = !status && !network && !waitingFor;
  if (isSelective || (!lead && isPlain)) return [part(open), part(final)];
  const wanted = statuses.filter((one) => (!status || one === status) && (!waitingFor || one === 'pending'));
  const isFinal = (one: Status) => one === 'completed' || one === 'failed';
  const byQueue = wanted
    .filter((one) => !lead || !isFinal(one))
    .flatMap((one) =>
      networks
        .filter((name) => !network || name === network)
        .map((name) => part(`w.status = '${one}' and w.network = '${name}'`)),
    );
  return lead && wanted.some(isFinal) ? [...byQueue, partByLead(lead)] : byQueue;
}

const open = "w.status in ('queued', 'pending', 'processing')";
const final = "w.status in ('completed', 'failed')";

const part = (where: string) => `(select ${tracedColumns} from withdrawals w
  where ${where} and ${leads.map(isEqual).join(' and ')} and ${matches} order by w.id desc limit $1)`;

/**
 * The final ones by the index of one filter. An equation would let PostgreSQL read the newest withdrawals of
 * everybody instead, in the hope of finding these soon: for a user whose withdrawals are all old, that is the
 * whole table. Only this index has the order of both columns.
 */
function partByLead(lead: Lead): string {
  const [, column, value] = lead;
  const others = leads.filter((one) => one !== lead).map(isEqual);
  return `(select ${tracedColumns} from withdrawals w
    where ${final} and w.${column} is not null and (w.${column}, w.id) < (${value}::${typeOf(column)}, $2::uuid)
      and (w.${column}, w.id) >= (${value}::${typeOf(column)}, $3::uuid) and ${others.join(' and ')} and ${matches}
    order by w.${column} desc, w.id desc limit $1)`;
}

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
