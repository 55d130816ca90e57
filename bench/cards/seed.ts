import type { Db, Pool } from '#platform/db/db';
import { dropIndexes, makeIndexes } from '../history/indexes.ts';
import type { CardWorld } from './world.ts';

export const bigTransactions = 1_000_000;
export const bigMovements = 500_000;
export const smallUsers = 3_000;
export const smallTransactions = 100;
const cardsEach = 10;
const seedBatch = 200_000;

/** Everybody's transactions lie between these. */
export const firstDay = Date.UTC(2024, 9, 1);
export const lastDay = Date.UTC(2026, 9, 1);

/**
 * One in fifty thousand is of this merchant: `Quetzal` is like nothing else, `Cornershoe` is made of what is
 * everywhere.
 */
export const rareWords = ['quetzal', 'cornershoe'] as const;

/**
 * Stored past the triggers, as these would have left it. In the order of arrival; three transactions share an
 * instant, in places hundreds do, and 3 % arrived up to 30 days late. The nodes are made by the database's
 * own function.
 */
export async function seedCards({ db, bigUser, smallUser }: CardWorld): Promise<void> {
  await inBulk(db, async (db) => {
    await db.query(
      `with made as (
         insert into users (email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
         select 'small-' || n || '@example.com', true, 'S', 'S', 'individual', now(), now() from generate_series(2, ${smallUsers}) n
         returning id)
       insert into card_issuer_users (id, user_id, collateral_address, created_at)
       select 'account-' || id, id, '0x' || md5(id::text) || '00000000', now() - interval '3 years'
       from (select id from made union all values ($1::uuid), ($2::uuid)) u`,
      [bigUser, smallUser],
    );
    await db.query(
      `insert into cards (id, card_issuer_user_id, user_id, version, name, nickname, last_four_digits, status, spending_limit,
         spending_interval, created_at, updated_at)
       select 'card-' || n || '-' || a.user_id, a.id, a.user_id, 1, 'S S', 'Card ' || n, '4242', 'active', 100000 * n,
         (enum_range(null::card_interval))[1 + n % 5], a.created_at, a.created_at
       from card_issuer_users a, generate_series(0, ${cardsEach - 1}) n`,
    );
    await db.query(
      `insert into card_versions (card_id, version, status, spending_limit, spending_interval, valid_at)
       select id, version, status, spending_limit, spending_interval, created_at from cards`,
    );
    await db.query(
      `insert into card_lists (user_id, kind, card_issuer_user_id)
       select a.user_id, k.kind, case when k.of_account then a.id end from card_issuer_users a,
         (values ('transactions'::card_list_kind, false), ('movements', false), ('movements', true)) as k (kind, of_account)`,
    );
    const dropped = await dropIndexes(db, ['card_transactions', 'card_movements']);
    for (let from = 1; from <= bigTransactions; from += seedBatch) {
      await addTransactions(db, bigUser, from, from + seedBatch - 1);
    }
    await addMovements(db, bigUser);
    await makeIndexes(db, dropped);
    await db.query(
      `update card_lists l set size = c.count from (
         select list_id, count(*) from card_transactions group by 1
         union all
         select l.id, count(*) from card_lists l join card_movements m on m.user_id = l.user_id
           and m.card_issuer_user_id = coalesce(l.card_issuer_user_id, m.card_issuer_user_id)
         where l.kind = 'movements' group by 1) c
       where c.list_id = l.id`,
    );
  });
  const tables = ['users', 'card_issuer_users', 'cards', 'card_versions', 'card_lists', 'card_transactions'];
  for (const table of [...tables, 'card_movements']) await db.query(`vacuum analyze ${table}`);
  await db.query("select card_cut(l, '-infinity', 0, 'infinity', 0) from card_lists l where l.size > 128");
  await db.query('vacuum analyze card_nodes');
  await db.query('checkpoint');
}

function inBulk(db: Pool, work: (db: Db) => Promise<void>): Promise<void> {
  return db.transaction(async (db) => {
    await db.query('set local session_replication_role = replica');
    await db.query(
      "set local synchronous_commit = off; set local maintenance_work_mem = '512MB'; set local work_mem = '256MB'",
    );
    await work(db);
  });
}

const instant = (count: string) => {
  const groupSeconds = `(${(lastDay - firstDay) / 1000} / (${count} / 3.0))`;
  return `to_timestamp(${firstDay / 1000}) + make_interval(secs => trunc(${groupSeconds}
      * (case when n % 10000 < 400 then n - n % 10000 else n end / 3))
    - case when h / 10000000 % 100 < 3 then h % 2592000 else 0 end)`;
};

async function addTransactions(db: Db, bigUser: string, from: number, to: number): Promise<void> {
  const words = (list: string[], shift: number) =>
    `(array['${list.join("', '")}'])[1 + h / ${shift} % ${list.length}]`;
  const name = `${words(['Corner', 'Grand', 'Café', 'Old', 'New', 'Little', 'Royal', 'Central', 'Blue', 'Nordic'], 7)} || ' '
    || ${words(['Market', 'Shoe Shop', 'Books', 'Bakery', 'Pharmacy', 'Fuel', 'Hotel', 'Airlines', 'Cinema', 'Músic'], 71)} || ' '
    || ${words(['São Paulo', 'Lisboa', 'Zürich', 'Warszawa', 'Kraków', 'Paris', 'London', 'Oslo', 'Berlin', 'Roma', 'Wien'], 713)}`;
  await db.query(
    `insert into card_transactions (id, card_id, user_id, list_id, version, type, status, amount, currency, merchant_name,
       description, merchant_category, merchant_country, local_amount, local_currency, created_at, authorized_at, settled_at, updated_at)
     select md5(user_id::text || n)::uuid::text, 'card-' || h % ${cardsEach} || '-' || user_id, user_id, list_id, 2,
       case when h / 11 % 30 = 0 then 'refund' else 'purchase' end,
       (case when h / 13 % 20 = 0 then 'declined' when h / 13 % 20 = 1 then 'reversed' when h / 13 % 20 = 2 then 'pending' else 'settled'
         end)::card_transaction_status,
       1 + h % 20000, 'USD',
       case when n % 50000 = 25000 then 'Quetzal Imports' when n % 50000 = 35000 then 'Cornershoe Market' else ${name} end,
       case when h / 17 % 3 = 0 then 'Order ' || h % 1000000 when h / 17 % 3 = 1 then 'Monthly subscription' end,
       (1000 + h % 8000)::text, (array['PT', 'BR', 'PL', 'CH', 'FR'])[1 + h % 5], (h % 10000 / 100.0)::numeric(10, 2)::text, 'EUR',
       at, at, at + interval '2 days', at + interval '2 days'
     from (
       select *, ${instant('count')} as at from (
         select l.user_id, l.id as list_id, n, case when l.user_id = $1 then ${bigTransactions} else ${smallTransactions} end as count,
           hashint8extended(n, l.id) & 9223372036854775807 as h
         from card_lists l,
           generate_series($2::integer, least($3::integer, case when l.user_id = $1 then ${bigTransactions} else ${smallTransactions} end)) n
         where l.kind = 'transactions'
       ) numbers
     ) placed order by list_id, n`,
    [bigUser, from, to],
  );
}

async function addMovements(db: Db, bigUser: string): Promise<void> {
  await db.query(
    `insert into card_movements (id, card_issuer_user_id, user_id, number, sequence, action, type, status, amount, previous_balance,
       running_balance, description, created_at)
     select md5('movement' || account_id || n)::uuid::text, account_id, user_id, n::bigint << 32 | account_number, n, 'deposit', 'credit',
       'completed', 100, (n - 1) * 100, n * 100, 'Deposit of USDC on polygon', ${instant('count')}
     from (
       select a.id as account_id, a.user_id, a.number as account_number, n,
         case when a.user_id = $1 then ${bigMovements} else ${smallTransactions} end as count,
         hashint8extended(n, a.number) & 9223372036854775807 as h
       from card_issuer_users a, generate_series(1, case when a.user_id = $1 then ${bigMovements} else ${smallTransactions} end) n
     ) numbers`,
    [bigUser],
  );
}
