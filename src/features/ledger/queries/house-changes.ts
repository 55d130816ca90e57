import type { Db } from '#platform/db/db';

/**
 * Folds what postings have appended into the house's figures. Readers see the same sums before, during and
 * after. Fails, and folds nothing, where an account is gone: what it moved must not get lost.
 */
export async function foldHouseChanges(db: Db, limit = 20_000): Promise<number> {
  const [row] = await db.query<{ folded: number }>(
    `with folded as (
       delete from ledger_house_changes where ctid = any (array(select ctid from ledger_house_changes limit $1))
       returning account_id, amount),
     added as (
       insert into ledger_house (network, currency, balance)
       select a.network, a.currency, sum(f.amount) from folded f left join ledger_accounts a on a.id = f.account_id
       group by 1, 2 order by 1, 2
       on conflict (network, currency) do update set balance = ledger_house.balance + excluded.balance)
     select count(*)::integer as folded from folded`,
    [limit],
  );
  return row!.folded;
}
