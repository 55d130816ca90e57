import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { inTransaction } from '#context';
import { makeFunds, makeKey, makeUser, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { holdFunds } from '../../src/features/ledger/hold-funds.ts';
import { type BatchLine, postBatch } from '../../src/features/ledger/post-batch.ts';
import { postWithdrawals } from '../../src/features/ledger/post-withdrawals.ts';
import { lockAccounts } from '../../src/features/ledger/queries/accounts.ts';
import { foldHouseChanges } from '../../src/features/ledger/queries/house-changes.ts';
import { recordUnsettled } from '../../src/features/ledger/unsettled/record-unsettled.ts';
import { settleUnsettled } from '../../src/features/ledger/unsettled/settle-unsettled.ts';
import { type LedgerVerdict, verifyLedger } from '../../src/features/ledger/verify/verify-ledger.ts';

export function assertSound(verdict: LedgerVerdict): void {
  assert.deepEqual(verdict.faults, []);
  assert.deepEqual([verdict.isSound, verdict.faultCount], [true, 0]);
}

const assets = [
  { network: 'polygon', currency: 'USDC' },
  { network: 'polygon', currency: 'USDT' },
  { network: 'base', currency: 'EURC' },
] as const;
export const start = Date.UTC(2026, 0, 1);

const tables = [
  'ledger_lists',
  'ledger_lines',
  'ledger_nodes',
  'ledger_sums',
  'ledger_kinds',
  'ledger_movements',
  'ledger_accounts',
  'ledger_postings',
  'ledger_unsettled',
];

const funds = `alter table ledger_accounts add constraint ledger_accounts_funds check (
  case when user_id is null then balance is null and held is null
  else balance is not null and held is not null and balance <> 'NaN' and held between 0 and balance end)`;

/** A server for a test file, ledgers in it to verify, and changes that no trigger sees. */
export function useVerifiedLedger() {
  const harness = useHarness();
  const ctx = () => harness.operatorContext();
  const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
  const verify = (userId?: string) => verifyLedger(ctx(), { userId });

  // A small generator with a seed, so that a failure can be run again.
  let seed = 20_260_801;
  const random = (upto: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * upto);
  };

  /** A line of any type, mostly a minute after the one before it and now and then of an earlier day. */
  function makeLine(userId: string, at: number): BatchLine {
    const minute = random(8) === 0 ? random(at + 1) : at;
    const common = {
      userId,
      transactionDate: new Date(start + minute * 60_000).toISOString(),
      description: `Line ${at}`,
      ...(random(3) === 0 && { userDescription: 'mine' }),
    };
    const amount = `${1 + random(50)}.${String(random(1_000_000)).padStart(6, '0')}`;
    const { network, currency } = assets[random(3)]!;
    const sent = { network, assetSent: currency, amountSent: amount };
    const received = { network, assetReceived: currency, amountReceived: amount };
    switch (random(5)) {
      case 0:
        return { ...common, transactionType: 'sell', ...sent };
      case 1:
        return { ...common, transactionType: 'transfer-token', ...(random(2) === 0 ? sent : received) };
      case 2:
        return {
          ...common,
          transactionType: 'swap-bridge',
          network: 'polygon',
          assetSent: 'USDC',
          amountSent: amount,
          assetReceived: 'USDT',
          amountReceived: '1',
        };
      default:
        return { ...common, transactionType: 'buy', ...received };
    }
  }

  const postMany = (userIds: readonly string[], from: number, count: number) =>
    postBatch(ctx(), {
      key: randomBytes(8).toString('hex'),
      lines: Array.from({ length: count }, (_, at) => makeLine(userIds[at % userIds.length]!, from + at)),
    });

  async function makeRichUser(): Promise<string> {
    const { id } = await makeUser(harness);
    for (const { network, currency } of assets) await makeFunds(harness, id, network, currency, '10000000');
    return id;
  }

  const record = (userId: string, id: string, minute: number) =>
    recordUnsettled(ctx(), {
      userId,
      id,
      transactionType: 'buy',
      status: 'pending',
      description: 'On its way',
      transactionDate: new Date(start + minute * 60_000).toISOString(),
      legs: [{ network: 'polygon', assetReceived: 'USDC', amountReceived: '3' }],
    });

  /** Takes a queued withdrawal through its states to the one in which it is in the ledger. */
  async function complete(withdrawalId: string, userId: string): Promise<void> {
    const address = `0x${randomBytes(20).toString('hex')}`;
    const transactionHash = `0x${randomBytes(32).toString('hex')}`;
    const move = (status: string) =>
      sql('update withdrawals set status = $2, updated_at = now() where id = $1', [withdrawalId, status]);
    await sql(`insert into payout_signers values ('polygon', $1, 0, null, null, now())`, [address]);
    await move('pending');
    await sql(
      `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1, 0, $2, now())`,
      [address, withdrawalId],
    );
    await move('processing');
    await sql(
      `update payout_slots set state = 'final', mined_hash = $2, settled_at = now() where withdrawal_id = $1`,
      [withdrawalId, transactionHash],
    );
    const owner = { userId, network: 'polygon', currency: 'USDT' };
    await inTransaction(ctx(), async ({ db }) => {
      const [account] = await lockAccounts(db, [owner]);
      await holdFunds(db, [{ accountId: account!.accountId, amount: 1_000_000n }]);
    });
    await inTransaction(ctx(), async (ctx) => {
      await postWithdrawals(ctx, [
        {
          ...owner,
          withdrawalId,
          amount: 1_000_000n,
          recipientUserId: null,
          transactionHash,
          logIndex: 0,
          description: 'Withdrawal',
        },
      ]);
      await ctx.db.query(
        `update withdrawals set status = 'completed', transaction_hash = $2, updated_at = now() where id = $1`,
        [withdrawalId, transactionHash],
      );
    });
  }

  let ana = '';
  const listOf = (isSettled: boolean) =>
    `(select id from ledger_lists where user_id = '${ana}' and ${isSettled ? '' : 'not '}is_settled)`;

  /** Posts a ledger with late lines, nodes and unsettled records, and saves its tables for `putBack`. */
  async function postLedger(): Promise<{ ana: string; completedId: string }> {
    ana = await makeRichUser();
    const other = await makeRichUser();
    for (let from = 0; from < 3_000; from += 600) await postMany([ana, ana, ana, other], from, 600);
    const key = await makeKey(harness, { userId: ana });
    const bulkId = await makeWithdrawal(harness, key);
    // Many more of the same, so that the unsettled records have nodes too.
    await sql(
      `insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals, amount,
       to_address, created_at, updated_at)
     select list_id, position + g, partner_id, user_id, key_id, network, currency, token_address, decimals, amount, to_address,
       created_at, updated_at from withdrawals, generate_series(1, 900) g where bulk_id = $1`,
      [bulkId],
    );
    await sql('update withdrawal_lists set last_position = last_position + 900 where user_id = $1', [ana]);
    for (let at = 0; at < 8; at += 1) await record(ana, `unsettled ${at}`, at * 7);
    for (const at of [1, 4]) await settleUnsettled(ctx(), { userId: ana, id: `unsettled ${at}` });
    const [withdrawal] = await sql('select id from withdrawals where bulk_id = $1', [bulkId]);
    const completedId = withdrawal!.id as string;
    await complete(completedId, ana);
    await foldHouseChanges(harness.deps.db);
    await sql('create schema saved');
    for (const table of tables) await sql(`create table saved.${table} as table ${table}`);
    return { ana, completedId };
  }

  /** What no trigger or foreign key sees. */
  const behindTheBack = (...statements: string[]) =>
    harness.deps.db.transaction(async (db) => {
      await db.query('set local session_replication_role = replica');
      for (const statement of statements) await db.query(statement);
    });

  /** Restores the tables that some statements name. */
  async function putBack(statements: readonly string[]): Promise<void> {
    const touched = tables.filter((table) => statements.some((statement) => statement.includes(table)));
    await behindTheBack(
      ...touched.flatMap((table) => [
        `delete from ${table}`,
        `insert into ${table} overriding system value table saved.${table}`,
      ]),
      'alter table ledger_accounts drop constraint if exists ledger_accounts_funds',
      funds,
    );
  }

  return {
    harness,
    ctx,
    sql,
    verify,
    random,
    makeLine,
    postMany,
    makeRichUser,
    record,
    postLedger,
    listOf,
    behindTheBack,
    putBack,
  };
}
