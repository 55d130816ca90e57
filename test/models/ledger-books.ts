import { randomBytes, randomUUID } from 'node:crypto';
import { type Db, violates } from '#platform/db/db';
import { makeFunds, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import {
  holdFunds,
  lockAccounts,
  type Owner,
  type PaidWithdrawal,
  postWithdrawals,
} from '../../src/features/ledger/index.ts';

/** A database for a test file, and the books of users in it. */
export function useLedger() {
  const harness = useHarness();

  const call = (command: string, input?: unknown) => harness.operator(`ledger.${command}`, input);

  const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

  const transaction = <T>(work: (db: Db) => Promise<T>) => harness.deps.db.transaction(work);

  const post = (...paid: PaidWithdrawal[]) => postWithdrawals(harness.operatorContext(), paid);

  const unknownId = '0198a0de-ffff-7000-8000-000000000000';

  const polygonUsdc = { network: 'polygon', currency: 'USDC' };

  const baseEurc = { network: 'base', currency: 'EURC' };

  /** A user with six-decimal amounts of USDC on polygon. */
  async function makeOwner(amount?: string): Promise<Owner> {
    const { id } = await makeUser(harness);
    if (amount) await makeFunds(harness, id, 'polygon', 'USDC', amount);
    return { userId: id, ...polygonUsdc };
  }

  async function accountOf(owner: Owner): Promise<{ id: bigint; balance: bigint; held: bigint }> {
    const [row] = await sql(
      'select id, balance, held from ledger_accounts where user_id = $1 and network = $2 and currency = $3',
      [owner.userId, owner.network, owner.currency],
    );
    return row as never;
  }

  const fundsOf = async (owner: Owner) => {
    const { balance, held } = await accountOf(owner);
    return [balance, held];
  };

  async function custodyOf({ network, currency }: { network: string; currency: string }): Promise<bigint> {
    const [row] = await sql(
      'select coalesce(sum(balance), 0) as sum from ledger_house_balances where network = $1 and currency = $2',
      [network, currency],
    );
    return row!.sum as bigint;
  }

  async function hold(owner: Owner, amount: bigint): Promise<void> {
    await transaction(async (db) => {
      const [account] = await lockAccounts(db, [owner]);
      await holdFunds(db, [{ accountId: account!.accountId, amount }]);
    });
  }

  const paidBy = (owner: Owner, amount: bigint, fields: Partial<PaidWithdrawal> = {}): PaidWithdrawal => ({
    ...owner,
    withdrawalId: randomUUID(),
    amount,
    recipientUserId: null,
    transactionHash: `0x${randomBytes(32).toString('hex')}`,
    logIndex: 3,
    description: 'Withdrawal to 0x1234',
    ...fields,
  });

  const isPostedTwice = (error: unknown) => violates(error, 'ledger_postings_operation_key');

  return {
    isPostedTwice,
    harness,
    call,
    sql,
    transaction,
    post,
    unknownId,
    polygonUsdc,
    baseEurc,
    makeOwner,
    accountOf,
    fundsOf,
    custodyOf,
    hold,
    paidBy,
  };
}
