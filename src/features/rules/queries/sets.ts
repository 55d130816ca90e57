import type { Db, Row } from '#platform/db/db';
import type { Rule, RuleSetRow } from '../wire.ts';

/** As `rules` stores it, and as the SQL functions read it. */
export interface RuleColumns {
  place: number;
  name: string;
  verdict: string;
  approvals: number | null;
  approver_role: string | null;
  partner_ids: string[] | null;
  user_ids: string[] | null;
  key_ids: string[] | null;
  sources: string[] | null;
  networks: string[] | null;
  currencies: string[] | null;
  destinations: string[] | null;
  amount_over: string | null;
  amount_up_to: string | null;
  sum_over: string | null;
  sum_up_to: string | null;
  sum_window: string | null;
  sum_per: string | null;
  selection: string | null;
}

const columns = `revision, document, drafted_by as "draftedBy", drafted_at as "draftedAt", published_by as "publishedBy",
  published_at as "publishedAt", is_current as "isCurrent"`;

export async function insertSet(
  db: Db,
  {
    rules,
    columns: rows,
    by,
    now,
  }: { rules: readonly Rule[]; columns: readonly RuleColumns[]; by: string; now: Date },
): Promise<RuleSetRow> {
  const [set] = await db.query<RuleSetRow & Row>(
    `insert into rule_sets (document, drafted_by, drafted_at) values ($1, $2, $3) returning ${columns}`,
    [JSON.stringify(rules), by, now],
  );
  await db.query(`insert into rules select r.* from jsonb_populate_recordset(null::rules, $1::jsonb) r`, [
    JSON.stringify(rows.map((row) => ({ ...row, revision: set!.revision }))),
  ]);
  return set!;
}

export async function selectSet(db: Db, revision: number): Promise<RuleSetRow | undefined> {
  const [row] = await db.query<RuleSetRow & Row>(`select ${columns} from rule_sets where revision = $1`, [
    revision,
  ]);
  return row;
}

export async function selectCurrentSet(db: Db): Promise<RuleSetRow | undefined> {
  const [row] = await db.query<RuleSetRow & Row>(`select ${columns} from rule_sets where is_current`);
  return row;
}

/** Newest first. */
export async function selectSets(
  db: Db,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<RuleSetRow[]> {
  return db.query<RuleSetRow & Row>(
    `select ${columns} from rule_sets where ($1::integer is null or revision < $1) order by revision desc limit $2`,
    [before ?? null, limit],
  );
}

/** One publication at a time; creations do not wait for it. */
export async function lockPublications(db: Db): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('rules publication', 0))`);
}

/** Waits for creations that run, and makes new ones wait, until the transaction ends. */
export async function lockRules(db: Db): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('rules', 0))`);
}

export async function updateCurrent(
  db: Db,
  { revision, by, now }: { revision: number; by: string; now: Date },
): Promise<RuleSetRow> {
  await db.query('update rule_sets set is_current = false where is_current');
  const [row] = await db.query<RuleSetRow & Row>(
    `update rule_sets set is_current = true, published_by = $2, published_at = $3 where revision = $1 returning ${columns}`,
    [revision, by, now],
  );
  return row!;
}

export interface ReplayedRow {
  verdict: 'allow' | 'deny' | 'approve';
  rule: string | null;
  count: number;
  /** Some of them. */
  withdrawalIds: string[];
}

export async function replaySet(
  db: Db,
  { revision, since, most }: { revision: number; since: Date; most: number },
): Promise<ReplayedRow[]> {
  return db.query<ReplayedRow & Row>(
    `select verdict, rule, count(*)::integer as count,
       (array_agg(withdrawal_id order by withdrawal_id desc))[1:20] as "withdrawalIds"
     from rules_replay($1, $2, $3) group by verdict, rule order by verdict, count(*) desc, rule`,
    [revision, since, most],
  );
}
