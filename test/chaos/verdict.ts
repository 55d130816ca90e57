import { createHash } from 'node:crypto';
import { readMark, type TokenSymbol } from '#adapters/evm';
import { checkBooks } from '#test/database/check-books';
import type { Asked } from './load.ts';
import { type ChaosOperator, nonceName } from './operator.ts';
import type { World as AnyWorld, WorldDatabase } from './world.ts';

type World = AnyWorld<WorldDatabase>;

interface WithdrawalFacts extends Record<string, unknown> {
  id: string;
  bulkId: string;
  key: string;
  userId: string;
  currency: string;
  tokenAddress: string;
  toAddress: string;
  amount: bigint;
  status: string;
  hash: string | null;
  errorMessage: string | null;
  moves: { status: string; at: string }[] | null;
}

/**
 * Every promise that is broken, in words. What was paid is asked of the node; the database only says what it
 * believes.
 */
export async function judge(
  world: World,
  asked: readonly Asked[],
  operator: Pick<ChaosOperator, 'unexplained' | 'unpaidNonces'>,
): Promise<string[]> {
  const rows = await selectWithdrawals(world);
  return [
    ...judgeNoneLost(rows, asked),
    ...(await judgeKeys(world, asked)),
    ...(await judgePayments(world, rows)),
    ...rows.flatMap(judgeMoves),
    ...(
      await Promise.all(world.wallets.map((wallet) => judgeLane(world, wallet, operator.unpaidNonces)))
    ).flat(),
    ...[...operator.unexplained].map((reason) => `a halt names no documented command: ${reason}`),
    ...(await judgeBalances(world, rows)),
  ];
}

function selectWithdrawals({ deps }: World): Promise<WithdrawalFacts[]> {
  return deps.db.query<WithdrawalFacts>(
    `select w.id, w.bulk_id as "bulkId", w.idempotency_key as key, w.user_id as "userId", w.currency,
       w.token_address as "tokenAddress", w.to_address as "toAddress", w.amount, w.status, w.transaction_hash as hash,
       w.error_message as "errorMessage",
       (select jsonb_agg(jsonb_build_object('status', m.status, 'at', m.at) order by m.at,
          array_position(array['pending', 'processing', 'completed', 'failed'], m.status))
        from withdrawal_moves m where m.withdrawal_id = w.id) as moves
     from withdrawals w order by w.id`,
  );
}

function judgeNoneLost(rows: readonly WithdrawalFacts[], asked: readonly Asked[]): string[] {
  const byKey = Map.groupBy(rows, ({ key }) => key);
  const known = new Set(asked.map(({ key }) => key));
  const faults = rows.filter(({ key }) => !known.has(key)).map(({ id }) => `${id} was never asked for`);
  for (const one of asked) {
    const [row, another] = byKey.get(one.key) ?? [];
    if (another) faults.push(`${one.key} made two withdrawals`);
    if (!one.bulkId) continue;
    if (row?.bulkId !== one.bulkId) {
      faults.push(`${one.bulkId} was answered and is lost`);
      continue;
    }
    const isAsAsked = row.toAddress === one.to && row.amount === one.amount && row.currency === one.symbol;
    if (!isAsAsked) faults.push(`${row.id} is not what was asked for`);
    if (one.kind === 'over' && row.errorMessage !== 'Insufficient balance')
      faults.push(`${row.id} is more than the user had and is ${row.status}`);
    if (one.canceledAt !== undefined && row.status !== 'failed')
      faults.push(`${row.id} was canceled and is ${row.status}`);
  }
  return faults;
}

/** Of all wallets, without transfers of nothing to a wallet itself, which fill nonces. */
const payments = async ({ chain, wallets }: World) =>
  (await Promise.all(wallets.map((wallet) => chain.paidOut(wallet))))
    .flat()
    .filter(({ to, amount }) => !wallets.includes(to) || amount > 0n);

/**
 * Each key paid at most once over the whole run, whatever the database remembers: counted by the mark of each
 * transfer.
 */
async function judgeKeys(world: World, asked: readonly Asked[]): Promise<string[]> {
  const { chain, partnerId } = world;
  const paid = new Map<string, number>();
  for (const { hash } of await payments(world)) {
    const { input } = await chain.call<{ input: `0x${string}` }>('eth_getTransactionByHash', hash);
    const mark = readMark(input)?.keyMark?.toString('hex') ?? '';
    paid.set(mark, (paid.get(mark) ?? 0) + 1);
  }
  const markOf = (key: string) =>
    createHash('sha256').update(`key ${partnerId} ${key}`).digest().subarray(0, 16).toString('hex');
  return asked.flatMap(({ key }) => {
    const times = paid.get(markOf(key)) ?? 0;
    return times > 1 ? [`key ${key} was paid ${times} times`] : [];
  });
}

/**
 * Completed: one Transfer of exactly the amount, under the hash that we show, and that much in the
 * recipient's balance. Else: none, and nothing. And no other Transfer at all.
 */
async function judgePayments(world: World, rows: readonly WithdrawalFacts[]): Promise<string[]> {
  const { chain } = world;
  const paid = Map.groupBy(await payments(world), ({ to }) => to);
  const faults: string[] = [];
  for (const { id, status, currency, toAddress, tokenAddress, amount, hash } of rows) {
    const transfers = paid.get(toAddress) ?? [];
    paid.delete(toAddress);
    const times = transfers.length;
    if (status !== 'completed' && status !== 'failed') faults.push(`${id} is stuck in ${status}`);
    if (times > 1) faults.push(`${id} was paid ${times} times`);
    if (status === 'completed' && times === 0) faults.push(`${id} is completed and was not paid`);
    if (status === 'failed' && times > 0) faults.push(`${id} is failed and was paid`);
    const balance = await chain.balanceOf(currency as TokenSymbol, toAddress);
    if (balance !== (status === 'completed' ? amount : 0n))
      faults.push(`${id} is ${status}, and its recipient has ${balance}`);
    for (const transfer of transfers) {
      if (transfer.amount !== amount || transfer.token !== tokenAddress)
        faults.push(`${id} was paid ${transfer.amount} instead of ${amount}`);
    }
    if (status === 'completed' && times > 0 && !transfers.some((transfer) => transfer.hash === hash))
      faults.push(`${id} was paid by ${transfers[0]!.hash}`);
  }
  for (const [to] of paid) faults.push(`${to} was paid, and no withdrawal says so`);
  return faults;
}

const legalLives = new Set([
  'failed',
  'pending failed',
  'pending processing failed',
  'pending processing completed',
  '',
  'pending',
  'pending processing',
]);

function judgeMoves({ id, moves }: WithdrawalFacts): string[] {
  const life = (moves ?? []).map(({ status }) => status).join(' ');
  return legalLives.has(life) ? [] : [`${id} went through ${life}`];
}

/**
 * Nonces without a settled payout: those that were filled, and those of lost payouts that were reverted,
 * which an operator named.
 */
async function judgeLane(
  { chain, deps }: World,
  wallet: string,
  unpaidNonces: ReadonlySet<string>,
): Promise<string[]> {
  const used = BigInt(await chain.call<string>('eth_getTransactionCount', wallet, 'latest'));
  const [signer] = await deps.db.query<{ nextNonce: bigint; haltedReason: string | null }>(
    'select next_nonce as "nextNonce", halted_reason as "haltedReason" from payout_signers where address = $1',
    [wallet],
  );
  const slots = await deps.db.query<{ nonce: bigint; state: string }>(
    'select nonce, state from payout_slots where address = $1',
    [wallet],
  );
  const filled = new Set<number>();
  for (const { to, amount, hash } of await chain.paidOut(wallet)) {
    if (to !== wallet || amount > 0n) continue;
    const { nonce } = await chain.call<{ nonce: string }>('eth_getTransactionByHash', hash);
    filled.add(Number(nonce));
  }
  const settled = new Set(slots.filter(({ state }) => state === 'final').map(({ nonce }) => Number(nonce)));
  const faults: string[] = [];
  const next = signer?.nextNonce ?? 0n;
  if (used !== next) faults.push(`the chain has ${used} transactions of the wallet and the database ${next}`);
  for (let nonce = 0; nonce < Number(next); nonce += 1) {
    if (settled.has(nonce) || filled.has(nonce) || unpaidNonces.has(nonceName(wallet, nonce))) continue;
    const slot = slots.find((each) => Number(each.nonce) === nonce);
    faults.push(`nonce ${nonce} is not settled: ${slot?.state ?? 'no slot'}`);
  }
  if (slots.some(({ nonce }) => nonce >= next)) faults.push(`a slot is at or above the next nonce, ${next}`);
  if (signer?.haltedReason) faults.push(`the lane is halted: ${signer.haltedReason}`);
  return faults;
}

async function judgeBalances(
  { deps, userIds, symbols, fundedEach }: World,
  rows: readonly WithdrawalFacts[],
): Promise<string[]> {
  const faults: string[] = [];
  const { unbalancedPostings, wrongBalances } = await checkBooks(deps.db);
  for (const { postingId } of unbalancedPostings) faults.push(`posting ${postingId} does not sum to zero`);
  for (const { accountId } of wrongBalances)
    faults.push(`account ${accountId} is not the sum of its entries`);
  const accounts = await deps.db.query<{ userId: string; currency: string; balance: bigint; held: bigint }>(
    'select user_id as "userId", currency, balance, held from ledger_accounts where user_id is not null',
  );
  for (const userId of userIds) {
    for (const symbol of symbols) {
      const spent = rows
        .filter((row) => row.userId === userId && row.currency === symbol && row.status === 'completed')
        .reduce((sum, { amount }) => sum + amount, 0n);
      const account = accounts.find((one) => one.userId === userId && one.currency === symbol);
      if (account?.balance !== fundedEach - spent)
        faults.push(`user ${userId} has ${account?.balance} ${symbol} instead of ${fundedEach - spent}`);
      if (account?.held !== 0n) faults.push(`${account?.held} ${symbol} of user ${userId} are still held`);
    }
  }
  return faults;
}
