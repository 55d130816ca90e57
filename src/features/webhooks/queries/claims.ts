import type { Db, Row } from '#platform/db/db';

export interface ClaimedDelivery {
  id: bigint;
  endpointId: string;
  url: string;
  secret: Buffer;
  /** Also signs until its end, after a rotation. */
  formerSecret: Buffer | null;
  eventId: string;
  body: string;
  attempts: number;
  claimedUntil: Date;
  isFailing: boolean;
  isOrdered: boolean;
  sequence: bigint;
  /** It is about the account of a user whose data the partner may not read any more. */
  isWithheld: boolean;
}

/** What became of sending a delivery once. */
export interface Attempt {
  deliveryId: bigint;
  claimedUntil: Date;
  url: string;
  startedAt: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
  answer: string;
  /** How long to wait before the next one; undefined: none follows. */
  retryMs: number | undefined;
  outcome: 'delivered' | 'failed' | 'gone';
}

/** A delivery of the same resource that must be sent first, if the endpoint is ordered. */
const earlier = `select from webhook_deliveries p
  where p.endpoint_id = d.endpoint_id and p.resource = d.resource and p.status = 'due' and p.id < d.id`;

/** What stops every key of the partner `s.partner_id` for the user `v.user_id`, or that it has none. */
const isWithheld = `s.partner_id is not null and v.user_id is not null and (
  exists (select from users u where u.id = v.user_id and u.suspended_at is not null)
  or exists (select from partner_users_removed r where r.partner_id = s.partner_id and r.user_id = v.user_id)
  or not exists (select from api_keys k where k.partner_id = s.partner_id and k.user_id = v.user_id and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > $1)))`;

/** From the moment on at which its key is stopped; a job then disables it. */
const isStopped = `exists (select from api_keys k
  where k.id = e.set_by_key and (k.revoked_at is not null or k.suspended_at is not null))`;

/**
 * If the server loses these commits in a crash, deliveries are sent once more. A flush to disk for each
 * would be part of the time from a change to its arrival.
 */
const withoutFlush = `unflushed as materialized (select set_config('synchronous_commit', 'off', true))`;

/** An endpoint that fails gets no more connections, so that dead ones leave room for the others. */
const perFailing = 2;

/** Deliveries of endpoints in one state, at most `each` for an endpoint less those in hand. */
const pick = (state: string, each: string, limit: string) => `
  select p.id from (select id from waiting where id is not null order by random()) w
  join webhook_endpoints e on e.id = w.id and ${state}
  join event_streams s on s.id = e.stream_id
  left join partners o on o.id = s.partner_id
  left join integrations i on i.id = s.integration_id
  left join in_hand h on h.endpoint_id = e.id
  cross join lateral (
    select d.id from webhook_deliveries d
    where d.endpoint_id = e.id and d.status = 'due' and d.due_at <= $1 and not (e.is_ordered and exists (${earlier}))
    order by d.due_at, d.id limit greatest(${each} - coalesce(h.count, 0), 0)
    for update skip locked) p
  where e.disabled_at is null and e.deleted_at is null and o.suspended_at is null and i.revoked_at is null
    and not ${isStopped}
  limit ${limit}`;

export interface Claim {
  now: Date;
  until: Date;
  perEndpoint: number;
  /** How many of each endpoint the caller has. */
  inHand: ReadonlyMap<string, number>;
  limit: number;
  /** Of endpoints that fail. */
  failingLimit: number;
}

/**
 * Claims due deliveries until `until`, for each endpoint at most `perEndpoint` less those that the caller has
 * in hand. The endpoints with deliveries are found one by one in the index, so a long queue of one of them
 * costs nothing; sorted by `due_at` too, or PostgreSQL read an index with all that an endpoint ever received.
 * They come in random order, so that none is always last where `limit` ends the list.
 */
export async function claimDeliveries(db: Db, claim: Claim): Promise<ClaimedDelivery[]> {
  return db.query<ClaimedDelivery & Row>(
    `with recursive waiting as (
       (select endpoint_id as id from webhook_deliveries where status = 'due' order by endpoint_id, due_at limit 1)
       union all
       select (select d.endpoint_id from webhook_deliveries d where d.status = 'due' and d.endpoint_id > w.id
         order by d.endpoint_id, d.due_at limit 1)
       from waiting w where w.id is not null),
     ${withoutFlush},
     in_hand as (select * from unnest($4::uuid[], $5::integer[]) as h (endpoint_id, count)),
     picked_working as materialized (${pick('e.failing_since is null', '$3::integer', '$6::bigint')}),
     picked_failing as materialized (${pick('e.failing_since is not null', `least($3, ${perFailing})`, '$7::bigint')}),
     picked as (select id from picked_working union all select id from picked_failing),
     claimed as (
       update webhook_deliveries d set due_at = $2, claimed_until = $2 from picked p where d.id = p.id returning d.*)
     select c.id, c.endpoint_id as "endpointId", e.url, e.secret,
       case when e.former_ends_at > $1 then e.former_secret end as "formerSecret", v.id as "eventId", v.body, c.attempts,
       c.claimed_until as "claimedUntil", e.failing_since is not null as "isFailing", e.is_ordered as "isOrdered",
       c.sequence, ${isWithheld} as "isWithheld"
     from claimed c join webhook_endpoints e on e.id = c.endpoint_id join event_streams s on s.id = e.stream_id
     join unflushed on true
     join events v on v.stream_id = c.stream_id and v.sequence = c.sequence
     order by c.id`,
    [
      claim.now,
      claim.until,
      claim.perEndpoint,
      [...claim.inHand.keys()],
      [...claim.inHand.values()],
      claim.limit,
      Math.min(claim.limit, claim.failingLimit),
    ],
  );
}

/** Ends a delivery that may not be sent, and notes that the endpoint missed it. */
export async function withholdDelivery(
  db: Db,
  { id, endpointId, sequence }: Pick<ClaimedDelivery, 'id' | 'endpointId' | 'sequence'>,
  now: Date,
): Promise<void> {
  await db.query(
    `with missed as (
       update webhook_endpoints set resume_after = least(resume_after, $4::bigint - 1)
       where id = $2 and resume_after is distinct from least(resume_after, $4::bigint - 1))
     update webhook_deliveries set status = 'canceled', ended_at = $3, claimed_until = null where id = $1 and status = 'due'`,
    [id, endpointId, now, sequence],
  );
}

/** Returns a delivery that was not sent, as if it had not been claimed, unless the claim has ended. */
export async function releaseDelivery(
  db: Db,
  { id, claimedUntil }: Pick<ClaimedDelivery, 'id' | 'claimedUntil'>,
  now: Date,
): Promise<void> {
  await db.query(
    `update webhook_deliveries set due_at = $3, claimed_until = null
     where id = $1 and status = 'due' and claimed_until = $2`,
    [id, claimedUntil, now],
  );
}

/**
 * The deliveries of these attempts, as an array, so that PostgreSQL reads them by index. Joined, it read the
 * whole table, or all that waits for any endpoint: 58 ms beside 8,000 waiting deliveries.
 */
const these = 'array(select "deliveryId" from ended)';

/**
 * Stores what became of claimed deliveries. What was delivered counts even if the claim ended or the
 * endpoint was disabled meanwhile; a failure counts only under its own claim. Of an ordered endpoint, the
 * next delivery of the resource becomes due when one ended, and waits with it while it is retried.
 *
 * Endpoints that change are locked first, then deliveries, both by id. Disabling an endpoint uses the same
 * order, so that neither waits for the other for ever.
 */
export async function recordAttempts(db: Db, attempts: readonly Attempt[], now: Date): Promise<void> {
  const rows = attempts.map(({ retryMs, ...attempt }) => ({
    ...attempt,
    deliveryId: String(attempt.deliveryId),
    dueAt: retryMs === undefined ? null : new Date(now.getTime() + retryMs),
  }));
  await db.query(
    `with ${withoutFlush},
     ended as (
       select * from jsonb_to_recordset($1::jsonb) as a ("deliveryId" bigint, "claimedUntil" timestamptz, url text,
         "startedAt" timestamptz, "durationMs" integer, status integer, error text, answer text, "dueAt" timestamptz,
         outcome text)),
     results as (
       select d.endpoint_id, bool_or(a.outcome = 'delivered') as is_working
       from webhook_deliveries d join ended a on a."deliveryId" = d.id where d.id = any(${these}) group by 1),
     changed as materialized (
       select e.id, r.is_working from webhook_endpoints e join results r on r.endpoint_id = e.id
       where (e.failing_since is null) <> r.is_working order by e.id for no key update of e),
     locked as materialized (
       select d.id from webhook_deliveries d
       where (select count(*) from changed) >= 0 and d.id = any(${these}) order by d.id for no key update),
     moved as (
       update webhook_deliveries d set attempts = d.attempts + 1, claimed_until = null,
         status = case when a.outcome = 'delivered' then 'delivered' when a."dueAt" is null then 'failed' else 'due' end,
         ended_at = case when a.outcome = 'delivered' or a."dueAt" is null then $2::timestamptz end,
         due_at = coalesce(a."dueAt", d.due_at)
       from ended a, unflushed
       where (select count(*) from locked) >= 0 and d.id = a."deliveryId" and d.id = any(${these})
         and case a.outcome when 'delivered' then d.status in ('due', 'canceled')
           else d.status = 'due' and d.claimed_until = a."claimedUntil" end
       returning d.id, d.endpoint_id, d.resource, d.attempts, d.status, d.due_at),
     noted as (
       insert into webhook_attempts (delivery_id, number, url, started_at, duration_ms, status, error, answer)
       select m.id, m.attempts, a.url, a."startedAt", a."durationMs", a.status, a.error, a.answer
       from moved m join ended a on a."deliveryId" = m.id
       on conflict do nothing),
     following as materialized (
       select n.id, case when m.status = 'due' then m.due_at else least(n.due_at, $2) end as due_at
       from moved m join webhook_endpoints e on e.id = m.endpoint_id and e.is_ordered
       cross join lateral (
         select id, due_at from webhook_deliveries
         where endpoint_id = m.endpoint_id and resource = m.resource and status = 'due' and id > m.id and claimed_until is null
         offset 0) n
       where case when m.status = 'due' then n.due_at <> m.due_at else n.due_at > $2 end),
     followers as (
       update webhook_deliveries n set due_at = f.due_at from following f
       where n.id = f.id and n.id = any(array(select id from following))
         -- Not as two conditions: PostgreSQL would read the index of all that waits.
         and case when n.status = 'due' then n.claimed_until is null end)
     update webhook_endpoints e set failing_since = case when c.is_working then null else $2 end
     from changed c where e.id = c.id`,
    [JSON.stringify(rows), now],
  );
}
