import type { Db, Pool } from '#platform/db/db';
import type { World } from '../withdrawals/world.ts';
import { dropIndexes, makeIndexes } from './indexes.ts';

export const bigLines = 3_000_000;
export const smallUsers = 10_000;
export const smallLines = 100;
export const bigUnsettled = 300_000;
/** How many of the small users have something unsettled, as many as they have lines. */
const unsettledUsers = 200;
const seedBatch = 500_000;
const linesOfPosting = 10_000;

/** Everybody's lines lie between these. */
export const firstDay = Date.UTC(2024, 9, 1);
export const lastDay = Date.UTC(2026, 9, 1);

/**
 * Stored past the triggers, as posting would have left it except for the hashes. Types and assets are mixed,
 * a conversion on one network has both legs in one line; three lines share an instant, in places hundreds do,
 * and 3 % arrived up to 30 days late. The nodes are made by the database's own function.
 */
export async function seedLedgers(world: World): Promise<void> {
  const { db } = world;
  const bigUser = world.userIds[0]!;
  await inBulk(db, async (db) => {
    await db.query(
      `create table seed_owners (owner integer, user_id uuid, list_id bigint, lines integer, accounts bigint[],
         first_posting bigint, posting_lines integer)`,
    );
    await addOwners(db, bigUser);
    const dropped = await dropIndexes(db, ['ledger_lines', 'ledger_movements']);
    await addPostings(db);
    for (let from = 1; from <= bigLines; from += seedBatch) {
      await addLines(db, 'owner = 0', from, from + seedBatch - 1);
    }
    await addLines(db, 'owner > 0', 1, smallLines);
    await db.query(
      `insert into ledger_movements (account_id, transaction_at, number, amount)
       select received_account_id, transaction_at, number, received_amount from ledger_lines where received_account_id is not null
       union all
       select sent_account_id, transaction_at, number, -sent_amount from ledger_lines where sent_account_id is not null`,
    );
    await makeIndexes(db, dropped);
  });
  await inBulk(db, async (db) => {
    await addBalances(db);
    await addUnsettled(db, world);
    await countLists(db);
    await db.query('drop table seed_owners');
  });
  const tables = ['ledger_lines', 'ledger_movements', 'ledger_accounts', 'ledger_lists'];
  const others = ['ledger_unsettled', 'ledger_postings', 'users', 'withdrawals', 'withdrawal_counts'];
  for (const table of [...tables, ...others]) await db.query(`vacuum analyze ${table}`);
  await db.query('select ledger_cut_tail(id) from ledger_lists where tail_size >= 512');
  await db.query('vacuum analyze ledger_nodes');
  await db.query('vacuum analyze ledger_sums');
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

async function addOwners(db: Db, bigUser: string): Promise<void> {
  await db.query(
    `with made as (
       insert into users (email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
       select 'small-' || n || '@example.com', true, 'S', 'S', 'individual', now(), now() from generate_series(1, ${smallUsers}) n
       returning id)
     insert into seed_owners (owner, user_id, lines, first_posting, posting_lines)
     select 0, $1::uuid, ${bigLines}, 1, ${linesOfPosting}
     union all
     select row_number() over (order by id), id, ${smallLines}, ${bigLines / linesOfPosting} + row_number() over (order by id),
       ${smallLines} from made`,
    [bigUser],
  );
  await addAccounts(db);
}

/** The lists and accounts of the owners. */
export async function addAccounts(db: Db): Promise<void> {
  await db.query(
    `insert into ledger_lists (user_id, is_settled, last_number, last_hash, tail_size)
     select user_id, true, lines, sha256('seed'), lines from seed_owners order by owner`,
  );
  const assets = `(values ('base', 'EURC'), ('base', 'USDC'), ('base', 'USDT'), ('ethereum', 'EURC'), ('ethereum', 'USDC'),
    ('ethereum', 'USDT'), ('polygon', 'USDC'), ('polygon', 'USDT')) as asset (network, currency)`;
  await db.query(
    `insert into ledger_accounts (user_id, network, currency, balance, held)
     select user_id, network, currency, 0, 0 from seed_owners, ${assets} order by owner, network, currency`,
  );
  await db.query(
    `insert into ledger_accounts (house, network, currency) select 'custody', network, currency from ${assets} on conflict do nothing`,
  );
  await db.query(
    `update seed_owners o set list_id = l.id, accounts = a.ids
     from ledger_lists l, (select user_id, array_agg(id order by network, currency) as ids from ledger_accounts group by 1) a
     where l.user_id = o.user_id and l.is_settled and a.user_id = o.user_id`,
  );
}

/** The big user's lines came ten thousand at a time, everybody else's at once. */
async function addPostings(db: Db): Promise<void> {
  await db.query(
    `insert into ledger_postings (id, kind, operation_id, description, posted_at) overriding system value
     select n, 'post', 'seed-' || n, 'Posted by an operator', now() from generate_series(1, ${bigLines / linesOfPosting + smallUsers}) n`,
  );
  await db.query(
    "select setval(pg_get_serial_sequence('ledger_postings', 'id'), (select max(id) from ledger_postings))",
  );
}

async function addLines(db: Db, which: string, from: number, to: number): Promise<void> {
  await db.query(
    `insert into ledger_lines (${lineColumns}, hash) select ${lineColumns}, sha256(int8send(h)) from (${lineSource(which)}) l`,
    [from, to],
  );
}

/** All columns of a line but its hash. */
export const lineColumns = `list_id, number, type, transaction_at, posting_id, operation_id, unique_hash_id, sent_account_id,
  sent_amount, received_account_id, received_amount, status, description, purpose, user_description, executed_at`;

/** The lines from number $1 to $2 of owners in `seed_owners`, and a number `h` by which each was mixed. */
export const lineSource = (which: string) => {
  const groupSeconds = `(${(lastDay - firstDay) / 1000} / (lines / 3))`;
  return `select owner, list_id, n as number, type, at as transaction_at, first_posting + (n - 1) / posting_lines as posting_id,
       md5(h::text)::uuid::text as operation_id,
       case when h % 2 = 0 then '0x' || md5(list_id || ':' || n) || md5(h::text) || ':' || h % 300
         else md5(list_id || ':' || n)::uuid::text end as unique_hash_id,
       case when not receives or has_both then accounts[a] end as sent_account_id,
       case when not receives or has_both then amount end as sent_amount,
       case when not receives then null when has_both then accounts[b] else accounts[a] end as received_account_id,
       case when receives then amount end as received_amount, 'completed' as status,
       case type when 'buy' then 'Deposit of USDC on polygon' when 'sell' then 'Withdrawal of USDC on polygon'
         when 'swap-bridge' then 'Conversion of USDT to USDC' else 'Transfer of USDC' end as description,
       case type when 'buy' then 'deposit' when 'sell' then 'withdrawal' when 'swap-bridge' then 'conversion' else 'transfer' end as purpose,
       case when h % 7 = 0 then 'Rent and other things' end as user_description, at + interval '1 second' as executed_at, h
     from (
       select *, (array[2, 3, 1, 5, 6, 4, 8, 7])[a] as b, type = 'swap-bridge' and h / 100000 % 3 > 0 as has_both,
         case type when 'buy' then true when 'sell' then false else h / 100000 % 3 <> 0 or h / 300000 % 2 = 0 end as receives,
         case when n <= 8 then 1000000000000000 when type = 'buy' then 1 + h % 1000000000 else 1 + h % 400000000 end as amount
       from (
         select *, case when n <= 8 then n else 1 + h / 1000 % 8 end::integer as a,
           (case when n <= 8 or h % 100 < 40 then 'buy' when h % 100 < 70 then 'sell' when h % 100 < 85 then 'swap-bridge'
             else 'transfer-token' end)::ledger_line_type as type,
           to_timestamp(${firstDay / 1000}) + make_interval(secs => ${groupSeconds}
               * (case when n % 10000 < 400 then n - n % 10000 else n end / 3)
             - case when n > 8 and h / 10000000 % 100 < 3 then h % 2592000 else 0 end) as at
         from (
           select o.owner, o.list_id, o.lines, o.accounts, o.first_posting, o.posting_lines, n,
             hashint8extended(n, o.list_id) & 9223372036854775807 as h
           from seed_owners o, generate_series($1::bigint, $2::bigint) n where ${which}
         ) numbers
       ) placed
     ) moved`;
};

/** What is left of it all. */
async function addBalances(db: Db): Promise<void> {
  await db.query(
    `update ledger_accounts a set balance = m.balance
     from (select account_id, sum(amount) as balance from ledger_movements group by 1) m where a.id = m.account_id and a.user_id is not null`,
  );
}

/** A third of the big user's are withdrawals that failed; the rest was recorded by operators. */
async function addUnsettled(db: Db, { partnerId, key, deps }: World): Promise<void> {
  const token = deps.evm.get('polygon')!.tokens.get('USDT')!;
  const at = `to_timestamp(${firstDay / 1000}) + make_interval(secs => ${(lastDay - firstDay) / 1000} / (count / 3) * (n / 3))`;
  await db.query(
    `insert into ledger_lists (user_id, is_settled)
     select user_id, false from seed_owners where owner <= ${unsettledUsers} order by owner`,
  );
  await db.query(
    `with list as (
       insert into withdrawal_lists (partner_id, user_id, last_position)
       select $1, user_id, ${bigUnsettled / 3} from seed_owners where owner = 0 returning id, user_id)
     insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
       amount, to_address, status, error_message, created_at, updated_at)
     select id, n / 3, $1, user_id, $2, 'polygon', $3, $4, 6, 1000000 + n, '0x' || md5(n::text) || '00000000', 'failed',
       'Insufficient balance', ${at}, ${at}
     from list, generate_series(3, ${bigUnsettled}, 3) n, (values (${bigUnsettled}.0)) as c (count)`,
    [partnerId, key.id, token.symbol, token.address],
  );
  await db.query(
    `insert into withdrawal_counts (list_id, status, block, count)
     select list_id, status, position / 4000, count(*) from withdrawals group by 1, 2, 3`,
  );
  await db.query(
    `insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, withdrawal_id)
     select l.id, w.position * 3, w.created_at, 'sell', w.id::text, w.id
     from withdrawals w join ledger_lists l on l.user_id = w.user_id and not l.is_settled`,
  );
  await db.query(
    `insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, status, network, received_currency,
       received_amount, description, purpose, updated_at)
     select l.id, n, ${at}, (enum_range(null::ledger_line_type))[1 + n % 4], uuidv7()::text, 'pending', 'polygon', 'USDC', 1000000 + n,
       'Deposit of USDC on polygon', 'deposit', now()
     from (select *, case when owner = 0 then ${bigUnsettled}.0 else ${smallLines}.0 end as count from seed_owners where owner <= ${unsettledUsers}) o
     join ledger_lists l on l.user_id = o.user_id and not l.is_settled, generate_series(1, count::integer) n
     where o.owner > 0 or n % 3 > 0`,
  );
}

async function countLists(db: Db): Promise<void> {
  for (const table of ['ledger_lines', 'ledger_unsettled']) {
    await db.query(
      `update ledger_lists l set buys = c.buys, sells = c.sells, swaps = c.swaps, transfers = c.transfers,
         last_number = c.count, tail_size = c.count
       from (select list_id, count(*), count(*) filter (where type = 'buy') as buys, count(*) filter (where type = 'sell') as sells,
           count(*) filter (where type = 'swap-bridge') as swaps, count(*) filter (where type = 'transfer-token') as transfers
         from ${table} group by 1) c
       where l.id = c.list_id`,
    );
  }
}
