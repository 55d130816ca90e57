import { type EvmNetwork, NodeError, parseAddress } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { askAbout } from './ask-about.ts';
import { askNode } from './ask-node.ts';
import { payoutErrors } from './errors.ts';
import { selectRaw } from './queries/attempts.ts';
import { type SettledPayout, selectSettledFrom } from './queries/settled.ts';
import { selectSigner } from './queries/signers.ts';
import { turnMax } from './timing.ts';

export interface PayoutsToResend {
  network: string;
  address: string;
  fromNonce: number;
  /** Also payouts settled as failed: after a reorganisation their transactions may succeed and pay. */
  includeFailed?: boolean;
}

export interface Resent {
  nonce: number;
  withdrawalId: string;
  transactionHash: string;
  /** The nodes' answers, in their order. */
  answers: string[];
}

/**
 * Sends the stored bytes of settled payouts that are gone from the chain after a reorganisation below what
 * counts as final. They are the same bytes on the same nonces, so nobody can be paid twice, and it does not
 * matter whether the wallet is halted. Sends only those that a quorum of nodes lacks, a few hundred at a
 * time.
 */
export async function resendFinal(
  ctx: Ctx,
  { network, address, fromNonce: from, includeFailed = false }: PayoutsToResend,
): Promise<Resent[]> {
  const wallet = parseAddress(address);
  if (!wallet || !(await selectSigner(ctx.db, network, wallet))) throw payoutErrors.walletNotFound();
  const where = { network, address: wallet };
  const settled = await selectSettledFrom(ctx.db, { ...where, from, limit: turnMax });
  const gone = await askNode(ctx, network, async (evm) => {
    const agreements = await askAbout({ network: evm, address: wallet }, settled);
    return agreements.filter(({ isGone }) => isGone).map(({ slot }) => slot);
  });
  if (gone.some(({ status }) => status === 'failed') && !includeFailed) throw payoutErrors.failedMayPay();
  const hashes = gone.map(({ minedHash }) => minedHash);
  const raws = await selectRaw(ctx.db, hashes);
  // A payout that a foreign transaction settled has no bytes here.
  const ours = gone.filter(({ minedHash }) => raws.has(minedHash));
  if (ours.length === 0) throw payoutErrors.nothingToResend();
  // Audit before sending: what cannot be recorded is not sent.
  await inTransaction(ctx, (ctx) =>
    recordChange(ctx, {
      action: 'wallets.resend',
      subject: `wallet:${network}:${wallet}`,
      before: null,
      after: {
        sent: ours.map(({ nonce, minedHash }) => ({ nonce: Number(nonce), transactionHash: minedHash })),
      },
    }),
  );
  return askNode(ctx, network, (evm) => send(evm, ours, raws));
}

async function send(
  { node }: EvmNetwork,
  ours: readonly SettledPayout[],
  raws: ReadonlyMap<string, Buffer>,
): Promise<Resent[]> {
  const calls = ours.map(({ minedHash }) => ({
    method: 'eth_sendRawTransaction',
    params: [`0x${raws.get(minedHash)!.toString('hex')}`],
  }));
  const byProvider = await Promise.all(node.providers.map((provider) => provider.batch(calls)));
  return ours.map(({ nonce, withdrawalId, minedHash }, at) => ({
    nonce: Number(nonce),
    withdrawalId,
    transactionHash: minedHash,
    answers: byProvider.map((answers) => {
      const answer = answers[at];
      return answer instanceof NodeError ? answer.message : 'accepted';
    }),
  }));
}
