import type { Db, Pool } from '#platform/db/db';
import { dropIndexes } from '../history/indexes.ts';
import { addAccounts, lineColumns, lineSource } from '../history/seed.ts';

/** Lines of each user but the largest. */
export const linesOfOther = 1_000;
const bigBatch = 100_000;
const linesOfPosting = 10_000;

export interface SizeSeed {
  /** All, half of them one user's. */
  lines: number;
  bigUser: string;
}

/**
 * Stored past the triggers, as postings would have left it, hashes and nodes included, so that
 * `ledger verify` finds no fault. Types, assets and dates are those of the bench `history`.
 */
export async function seedLines(db: Pool, seed: SizeSeed): Promise<void> {
  const say = startClock();
  const ofBig = seed.lines / 2;
  const others = ofBig / linesOfOther;
  await inBulk(db, (db) => addOwners(db, seed.bigUser, ofBig, others));
  const rebuild = await takeIndexes(db, ['ledger_lines', 'ledger_movements']);
  let done = 0;
  const note = (added: number) => {
    const before = done;
    done += added;
    if (Math.floor((done * 10) / seed.lines) > Math.floor((before * 10) / seed.lines)) say(`${done} lines`);
  };
  await Promise.all([addBig(db, ofBig, note), addOthers(db, others, note)]);
  await rebuild();
  say('indexes');
  for (const table of ['ledger_lines', 'ledger_movements']) {
    await inBulk(db, (db) => db.query(`analyze ${table}`));
  }
  await inBulk(db, addFigures);
  say('balances and counts');
  await cutTails(db);
  say('counting nodes');
}

/** Prints what is done and the seconds since the start. */
function startClock(): (what: string) => void {
  const startedAt = Date.now();
  return (what) => console.log(`… ${what} after ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

/** Without triggers, with memory for sorts. */
export function inBulk<T>(db: Pool, work: (db: Db) => Promise<T>): Promise<T> {
  return db.transaction(async (db) => {
    await db.query(
      `set local session_replication_role = replica; set local synchronous_commit = off;
       set local maintenance_work_mem = '1GB'; set local work_mem = '512MB'; set local max_parallel_maintenance_workers = 0; set local jit = off`,
    );
    return work(db);
  });
}

async function addOwners(db: Db, bigUser: string, ofBig: number, others: number): Promise<void> {
  await db.query(
    `create table seed_owners (owner integer primary key, user_id uuid, list_id bigint, lines integer, accounts bigint[],
       first_posting bigint, posting_lines integer, head bytea)`,
  );
  await db.query(
    `with made as (
       insert into users (email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
       select 'small-' || n || '@example.com', true, 'S', 'S', 'individual', now(), now() from generate_series(1, $4::integer) n
       returning id),
     numbered as (select row_number() over (order by id) as owner, id from made),
     start as (select coalesce(max(id), 0) + 1 as id from ledger_postings)
     insert into seed_owners (owner, user_id, lines, first_posting, posting_lines)
     select 0, $1::uuid, $2::integer, start.id, ${linesOfPosting} from start
     union all
     select owner, numbered.id, $3::integer, start.id + ceil($2::numeric / ${linesOfPosting}) + owner - 1, $3 from numbered, start`,
    [bigUser, ofBig, linesOfOther, others],
  );
  await addAccounts(db);
  await db.query('update seed_owners set head = ledger_first_hash(user_id)');
  await db.query(
    `insert into ledger_postings (id, kind, operation_id, description, posted_at, list_id, line_number, line_count)
       overriding system value
     select first_posting + n, 'post', 'seed-' || owner || '-' || n, 'Posted by an operator', now() - interval '1 day', list_id,
       n * posting_lines + 1, least(posting_lines, lines - n * posting_lines)
     from seed_owners, generate_series(0, (lines - 1) / posting_lines) n`,
  );
  await db.query(
    "select setval(pg_get_serial_sequence('ledger_postings', 'id'), (select max(id) from ledger_postings))",
  );
}

/** Indexes are made faster than kept. Returns a function that makes them again, two at a time. */
async function takeIndexes(db: Pool, tables: readonly string[]): Promise<() => Promise<void>> {
  const { constraints, indexes } = await dropIndexes(db, tables);
  for (const table of tables) await db.query(`alter table ${table} set (autovacuum_enabled = off)`);
  return async () => {
    const statements = [
      ...constraints.map(
        ({ table, name, definition }) =>
          `create unique index ${name} on ${table} ${definition.slice(definition.indexOf('('))}`,
      ),
      ...indexes.map(({ definition }) => definition),
    ];
    const worker = async () => {
      for (let next = statements.shift(); next; next = statements.shift()) {
        const statement = next;
        await inBulk(db, (db) => db.query(statement));
      }
    };
    await Promise.all([worker(), worker()]);
    for (const { table, name, definition } of constraints) {
      const kind = definition.slice(0, definition.indexOf('('));
      await db.query(`alter table ${table} add constraint ${name} ${kind} using index ${name}`);
    }
    for (const table of tables) await db.query(`alter table ${table} reset (autovacuum_enabled)`);
  };
}

async function addBig(db: Pool, lines: number, note: (lines: number) => void): Promise<void> {
  for (let from = 1; from <= lines; from += bigBatch) {
    const to = Math.min(lines, from + bigBatch - 1);
    await addLines(db, 'owner = 0', from, to);
    note(to - from + 1);
  }
}

async function addOthers(db: Pool, others: number, note: (lines: number) => void): Promise<void> {
  const atOnce = bigBatch / linesOfOther;
  for (let from = 1; from <= others; from += atOnce) {
    const to = Math.min(others, from + atOnce - 1);
    await addLines(db, `owner between ${from} and ${to}`, 1, linesOfOther);
    note((to - from + 1) * linesOfOther);
  }
}

/** Adds lines with hashes and movements, and keeps the hash that the next line of each owner follows. */
function addLines(db: Pool, which: string, from: number, to: number): Promise<unknown> {
  return inBulk(db, (db) =>
    db.query(
      `with made as (
         insert into ledger_lines (${lineColumns}, hash)
         select ${lineColumns}, hash_chain(head, ledger_line_text(${lineColumns}))
           over (partition by list_id order by number rows unbounded preceding)
         from (select l.*, o.head from (${lineSource(which)}) l join seed_owners o on o.owner = l.owner) l
         returning list_id, number, transaction_at, sent_account_id, sent_amount, received_account_id, received_amount, hash
       ), moved as (
         insert into ledger_movements (account_id, transaction_at, number, amount)
         select m.account_id, l.transaction_at, l.number, m.amount
         from made l,
           lateral (values (l.received_account_id, l.received_amount), (l.sent_account_id, -l.sent_amount)) as m (account_id, amount)
         where m.account_id is not null
       )
       update seed_owners o set head = l.hash from made l where l.list_id = o.list_id and l.number = $2`,
      [from, to],
    ),
  );
}

/** Balances, counts and heads of the owners, and what the house has. */
async function addFigures(db: Db): Promise<void> {
  await db.query(
    `update ledger_accounts a set balance = m.balance
     from (select account_id, sum(amount) as balance from ledger_movements group by 1) m where a.id = m.account_id and a.user_id is not null`,
  );
  await db.query(
    `update ledger_lists l set buys = c.buys, sells = c.sells, swaps = c.swaps, transfers = c.transfers,
       last_number = c.count, last_hash = o.head, tail_size = c.count
     from (select list_id, sum(count) as count, coalesce(sum(count) filter (where type = 'buy'), 0) as buys,
         coalesce(sum(count) filter (where type = 'sell'), 0) as sells,
         coalesce(sum(count) filter (where type = 'swap-bridge'), 0) as swaps,
         coalesce(sum(count) filter (where type = 'transfer-token'), 0) as transfers
       from (select list_id, type, count(*) from ledger_lines group by 1, 2) t group by 1) c
     join seed_owners o on o.list_id = c.list_id
     where l.id = c.list_id`,
  );
  await db.query('delete from ledger_house_changes');
  await db.query('delete from ledger_house');
  await db.query(
    `insert into ledger_house (network, currency, balance)
     select network, currency, -sum(balance) from ledger_accounts where user_id is not null group by 1, 2`,
  );
}

/** By the database's own function, as postings do from 128 lines on. */
async function cutTails(db: Pool): Promise<void> {
  await Promise.all([
    inBulk(db, (db) =>
      db.query('select ledger_cut_tail(list_id) from seed_owners where owner = 0 and lines >= 128'),
    ),
    inBulk(db, (db) =>
      db.query('select ledger_cut_tail(list_id) from seed_owners where owner > 0 and lines >= 128'),
    ),
  ]);
  await db.query('drop table seed_owners');
}
