import type { EvmNetwork, ReceivedTransfer } from '#adapters/evm';
import { isHotWallet, selectOwnPayments } from '#features/payouts';
import { selectOwners } from '#features/users';
import { type FoundDeposit, type PostedDeposit, selectPosted } from './queries.ts';
import type { WorkerCtx } from './watch.ts';

/**
 * Selects the transfers that add to a user's balance and are not posted: every transfer to a verified wallet,
 * also from another user's wallet, because we do not track what users send on chain. Exceptions:
 * - The payment of a withdrawal to a user: settling posts it to the promised recipient, even if the wallet
 *   has another owner now. A payment to an address that was nobody's at creation is a deposit, because it
 *   left the books when it was paid.
 * - Other transfers out of a hot wallet: our own money, or a payment that a restored database lacks, which is
 *   posted once it is found.
 * - Transfers from a wallet to itself, and transfers of 0.
 * - Transfers below the minimum of their token: they are counted, because dust from strangers would make
 *   ledgers grow.
 */
export async function findDeposits(
  ctx: WorkerCtx,
  network: EvmNetwork,
  transfers: readonly ReceivedTransfer[],
): Promise<{ deposits: FoundDeposit[]; ignored: number }> {
  const moving = transfers.filter(({ from, to, amount }) => amount > 0n && from !== to);
  if (moving.length === 0) return { deposits: [], ignored: 0 };
  const wallets = [...new Set(moving.map(({ to }) => to))];
  const owners = await selectOwners(ctx.db, network.name, wallets);
  const hashes = [...new Set(moving.map(({ transactionHash }) => transactionHash))];
  const payments = await selectOwnPayments(ctx.db, network.name, hashes);
  const currencies = new Map([...network.tokens.values()].map(({ symbol, address }) => [address, symbol]));
  const deposits: FoundDeposit[] = [];
  let ignored = 0;
  for (const { token, from, to: wallet, ...transfer } of moving) {
    const { amount, transactionHash, logIndex, blockNumber, at } = transfer;
    const payment = payments.get(transactionHash);
    if (payment && payment.recipientUserId !== null) continue;
    if (!payment && (await isHotWallet(ctx, network, from))) {
      ctx.log.warn(
        { network: network.name, transactionHash },
        'a transfer from a hot wallet that is not one of our payments is not counted as a deposit',
      );
      continue;
    }
    const [userId, currency] = [owners.get(wallet), currencies.get(token)!];
    // A wallet that was replaced since the transfers were read.
    if (userId === undefined) continue;
    // Our payments left the books, so the minimum does not apply to them.
    if (!payment && amount < (network.depositMinimums.get(currency) ?? 0n)) {
      ignored++;
      continue;
    }
    deposits.push({
      userId,
      network: network.name,
      currency,
      amount,
      transactionHash,
      logIndex,
      at,
      wallet,
      blockNumber,
    });
  }
  const posted = await selectPosted(ctx.db, network.name, hashes);
  return { deposits: leaveOutPosted(deposits, posted), ignored };
}

/**
 * A transaction that was mined again in another block has other log indexes, and one transfer may have the
 * former place of another. All its transfers are here together: match first those at the same place, then
 * equal ones at another place.
 */
export function leaveOutPosted<D extends PostedDeposit>(
  deposits: readonly D[],
  posted: readonly PostedDeposit[],
): D[] {
  const elsewhere = posted.map((one) => ({ place: placeOf(one), content: contentOf(one) }));
  const take = (isSame: (one: (typeof elsewhere)[number]) => boolean) => {
    const at = elsewhere.findIndex(isSame);
    if (at >= 0) elsewhere.splice(at, 1);
    return at >= 0;
  };
  const moved = deposits.filter((deposit) => {
    const [place, content] = [placeOf(deposit), contentOf(deposit)];
    return !take((one) => one.place === place && one.content === content);
  });
  return moved.filter((deposit) => {
    const content = contentOf(deposit);
    return !take((one) => one.content === content);
  });
}

const placeOf = ({ transactionHash, logIndex }: PostedDeposit) => `${transactionHash} ${logIndex}`;
const contentOf = ({ transactionHash, wallet, currency, amount }: PostedDeposit) =>
  `${transactionHash} ${wallet} ${currency} ${amount}`;
