import type { Db } from '#platform/db/db';

/** As text: what is wrong may be no number. */
interface UnbalancedPosting {
  postingId: string;
  network: string | null;
  currency: string | null;
  sum: string | null;
}

/** Postings without lines, and those whose lines name accounts that are not there: any others sum to zero. */
async function selectUnbalancedPostings(db: Db): Promise<UnbalancedPosting[]> {
  return db.query<UnbalancedPosting & Record<string, unknown>>(
    `select p.id::text as "postingId", a.network, a.currency, sum(e.amount)::text as sum
     from ledger_postings p left join ledger_entries e on e.posting_id = p.id left join ledger_accounts a on a.id = e.account_id
     group by p.id, a.network, a.currency having sum(e.amount) is distinct from 0
     order by p.id, a.network, a.currency`,
  );
}

interface WrongBalance {
  accountId: string;
  /** Null for the house's. */
  userId: string | null;
  network: string;
  currency: string;
  balance: string;
  entries: string;
}

/**
 * Accounts whose stored figure is not the sum of what lines moved: of users, and of the house, for which they
 * move the other way.
 */
async function selectWrongBalances(db: Db): Promise<WrongBalance[]> {
  return db.query<WrongBalance & Record<string, unknown>>(
    `with stored as (
       select a.*, case when a.user_id is null then coalesce(h.balance, 0) else a.balance end as figure
       from ledger_accounts a
       left join ledger_house_balances h on a.user_id is null and h.network = a.network and h.currency = a.currency
     )
     select a.id::text as "accountId", a.user_id as "userId", a.network, a.currency, a.figure::text as balance,
       coalesce(e.amount, 0)::text as entries
     from stored a
     left join (select account_id, sum(amount) as amount from ledger_entries group by account_id) e on e.account_id = a.id
     where a.figure is distinct from coalesce(e.amount, 0)
     order by a.id`,
  );
}

/** Sums all books again from their lines. Both lists are empty if the books are right: `rightBooks`. */
export const checkBooks = async (db: Db) => ({
  unbalancedPostings: await selectUnbalancedPostings(db),
  wrongBalances: await selectWrongBalances(db),
});

export const rightBooks: Awaited<ReturnType<typeof checkBooks>> = {
  unbalancedPostings: [],
  wrongBalances: [],
};
