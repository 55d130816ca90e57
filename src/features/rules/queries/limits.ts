import type { Db, Row } from '#platform/db/db';

export interface AskedSum {
  selection: string;
  /** As `rules_subject` names it. */
  subject: string;
  windowHours: number;
}

/** Under which its sums are kept. */
export async function selectKeyRoot(db: Db, keyId: string): Promise<string> {
  const [row] = await db.query<{ root: string }>('select rules_key_root($1) as root', [keyId]);
  return row!.root;
}

export interface SumRow {
  /** Place in what was asked, from 1. */
  place: bigint;
  used: bigint;
  oldestAt: Date | null;
}

/** The sums of windows that end now, and when the oldest payment in each was counted. */
export async function selectSums(db: Db, asked: readonly AskedSum[]): Promise<SumRow[]> {
  return db.query<SumRow & Row>(
    `select a.place, rules_sum(c.id, edge.since, clock_timestamp()) as used, oldest.at as "oldestAt"
     from unnest($1::text[], $2::text[], $3::integer[]) with ordinality as a (selection, subject, hours, place)
     join rule_counters c on c.selection = a.selection and c.subject = a.subject
     cross join lateral (select clock_timestamp() - a.hours * interval '1 hour' as since) edge
     left join lateral (select s.at from rule_spends s where s.counter_id = c.id and s.at > edge.since order by s.at limit 1) oldest
       on true`,
    [
      asked.map(({ selection }) => selection),
      asked.map(({ subject }) => subject),
      asked.map(({ windowHours }) => windowHours),
    ],
  );
}
