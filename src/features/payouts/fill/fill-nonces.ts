import { type Fees, raiseFees, readFees, readTransactionCount } from '#adapters/evm';
import { raiseInTheWay } from '../bump.ts';
import { type Lane, tolerateNodeOutage, type WorkerCtx } from '../lane.ts';
import { selectSigner } from '../queries/signers.ts';
import { isFillingNow, isOfDeployment } from '../server.ts';
import { turnMax } from '../timing.ts';
import { insertFillers, type NonceToFill, type SignedFiller, selectToFill } from './queries.ts';

/**
 * After lost commits, on request of `wallets.recover`: uses up nonces with transactions that pay nobody, so
 * that lost transactions cannot be mined later. If a lost transaction is mined first, recover finds it.
 */
export function fillNonces(ctx: WorkerCtx, lane: Lane): Promise<number> {
  return tolerateNodeOutage(ctx, lane, async () => {
    const { network, signer } = lane;
    const where = { network: network.name, address: signer.address };
    const row = await selectSigner(ctx.db, network.name, signer.address);
    if (!isFillingNow(row) || !isOfDeployment(ctx, row)) return 0;
    const used = await readTransactionCount(network.node.pick(), signer.address, 'latest');
    const range = { from: BigInt(used), below: row.fillBelow, limit: turnMax };
    let nonces = await selectToFill(ctx.db, { ...where, ...range });
    const payouts = new Set(nonces.filter(({ payoutRaw }) => payoutRaw).map(({ nonce }) => nonce));
    if (payouts.size > 0 && (await raiseInTheWay(ctx, lane, { used, nonces: payouts })) > 0)
      nonces = await selectToFill(ctx.db, { ...where, ...range });
    if (nonces.length === 0) return 0;
    const fees = await readFees(network.node.providers, network);
    const signed: SignedFiller[] = [];
    for (const one of nonces.filter((each) => isDue(ctx, lane, each)))
      signed.push(await sign(lane, one, fees));
    await insertFillers(ctx.db, { ...where, now: ctx.now }, signed);
    const newest = new Map(signed.map(({ nonce, raw }) => [nonce, raw]));
    const calls = nonces.map(({ nonce, payoutRaw, raw }) => ({
      method: 'eth_sendRawTransaction',
      params: [`0x${(payoutRaw ?? newest.get(nonce) ?? raw)!.toString('hex')}`],
    }));
    await Promise.all(network.node.providers.map((provider) => provider.batch(calls)));
    return 0;
  });
}

const isDue = (ctx: WorkerCtx, { network }: Lane, { payoutRaw, signedAt }: NonceToFill) =>
  !payoutRaw && (!signedAt || ctx.now.getTime() - signedAt.getTime() >= network.bumpAfterMs);

/** Above current fees: a node may have the lost transaction, and demands more to replace it. */
async function sign({ network, signer }: Lane, last: NonceToFill, suggested: Fees): Promise<SignedFiller> {
  const { chainId, transferGas, tokens } = network;
  const { address: token } = [...tokens.values()][0]!;
  const { nonce, maxFeePerGas, maxPriorityFeePerGas } = last;
  const before =
    maxFeePerGas === null ? suggested : { maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas! };
  const raised = raiseFees(before, suggested, network.feeCap) ?? before;
  const fees = { maxFeePerGas: raised.maxFeePerGas, maxPriorityFeePerGas: raised.maxPriorityFeePerGas };
  return {
    nonce,
    ...fees,
    ...(await signer.signFiller({ chainId, nonce: Number(nonce), gas: transferGas, token, ...fees })),
  };
}
