import type { Db, Row } from '#platform/db/db';
import type { Fault } from '../faults.ts';

/** What the last verification of a subject found. */
export interface Verdict {
  /** The id of a user, `books` for the house and all postings, `all` for a run through all users. */
  subject: string;
  faultCount: number;
  /** The first ones. */
  faults: Pick<Fault, 'subject' | 'message'>[];
  sinceLast: boolean;
  lastNumber: bigint | null;
  lastHash: string | null;
  actorKind: string;
  actorId: string;
  checkedAt: Date;
}

/** How many faults of a subject are stored. */
export const faultsMax = 20;

/**
 * Replaces the verdict. What a whole check found stays until another whole check does not find it: a check of
 * new lines does not look there, so it only adds the faults that are not listed yet. A fault is the same if
 * only its figures differ. With `isPart`, faults are added to those of the parts before.
 */
export async function saveVerdict(db: Db, verdict: Verdict, { isPart = false } = {}): Promise<void> {
  const { subject, faultCount, faults, sinceLast, lastNumber, lastHash, actorKind, actorId, checkedAt } =
    verdict;
  const ofWhole = 'excluded.since_last and not v.since_last and v.fault_count > 0';
  const pick = (name: string) => `${name} = case when ${ofWhole} then v.${name} else excluded.${name} end`;
  await db.query(
    `insert into ledger_verdicts as v (subject, fault_count, faults, since_last, last_number, last_hash, actor_kind, actor_id, checked_at)
     values ($1, $2, $3::jsonb, $4, $5, $6, $7, $8, $9)
     on conflict (subject) do update set
       (fault_count, faults) = (
         select case
             when ${ofWhole}
             then greatest(v.fault_count + jsonb_array_length(m.faults) - jsonb_array_length(v.faults), excluded.fault_count)
             else case when $10 then v.fault_count else 0 end + excluded.fault_count end,
           case
             when ${ofWhole} then m.faults
             when $10 and v.fault_count > 0 then v.faults
             else excluded.faults end
         from (${mergedFaults}) m),
       ${['since_last', 'last_number', 'last_hash', 'actor_kind', 'actor_id', 'checked_at'].map(pick).join(', ')}
     where not (${ofWhole} and excluded.fault_count = 0)`,
    [
      ...[subject, faultCount, JSON.stringify(faults), sinceLast, lastNumber, lastHash],
      ...[actorKind, actorId, checkedAt, isPart],
    ],
  );
}

/** Those of the stored verdict, all of them, and then those of the new one that it does not have. */
const mergedFaults = `
  select v.faults || coalesce(jsonb_agg(a.fault order by a.place), '[]') as faults from (
    select e.fault, e.place from jsonb_array_elements(excluded.faults) with ordinality as e (fault, place)
    where not exists (
      select from jsonb_array_elements(v.faults) as o (fault)
      where o.fault->>'subject' = e.fault->>'subject'
        and regexp_replace(o.fault->>'message', '\\S*\\d\\S*', '', 'g') = regexp_replace(e.fault->>'message', '\\S*\\d\\S*', '', 'g'))
    order by e.place limit greatest(${faultsMax} - jsonb_array_length(v.faults), 0)) a`;

const columns = `v.subject, v.fault_count as "faultCount", v.faults, v.since_last as "sinceLast", v.last_number as "lastNumber",
  v.last_hash as "lastHash", v.actor_kind as "actorKind", v.actor_id as "actorId", v.checked_at as "checkedAt"`;

export const selectVerdicts = (db: Db, subjects: readonly string[]): Promise<Verdict[]> =>
  db.query<Verdict & Row>(`select ${columns} from ledger_verdicts v where v.subject = any($1::text[])`, [
    subjects,
  ]);

/** Of users, in order of their ids. */
export const selectFaulty = (
  db: Db,
  { after = '', limit }: { after?: string | undefined; limit: number },
): Promise<Verdict[]> =>
  db.query<Verdict & Row>(
    `select ${columns} from ledger_verdicts v
     where v.fault_count > 0 and v.subject > $1 and v.subject not in ('all', 'books') order by v.subject limit $2`,
    [after, limit],
  );

export async function countFaulty(db: Db): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*)::integer as count from ledger_verdicts where fault_count > 0',
  );
  return row!.count;
}

/** Where the ledgers of users end now. */
export const selectEnds = (
  db: Db,
  userIds: readonly string[],
): Promise<{ userId: string; lastNumber: bigint; lastHash: string | null }[]> =>
  db.query<{ userId: string; lastNumber: bigint; lastHash: string | null }>(
    `select user_id as "userId", last_number as "lastNumber", encode(last_hash, 'hex') as "lastHash"
     from ledger_lists where is_settled and user_id = any($1::uuid[])`,
    [userIds],
  );
