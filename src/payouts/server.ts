import type { Ctx } from '../context.ts';
import { type SignerRow, selectSigner, selectSigners } from './queries.ts';

/**
 * False after a promotion, a restore to a point in time or a move to another cluster: transactions that were signed may be lost
 * here, and their nonces would be given again. With synchronous replication a promotion of the same cluster loses nothing.
 */
export function isServerTrusted(
  { isReplicationSynchronous }: Pick<Ctx, 'isReplicationSynchronous'>,
  { server, serverNow }: Pick<SignerRow, 'server' | 'serverNow'>,
): boolean {
  if (server === null || server === serverNow) return true;
  return isReplicationSynchronous && clusterOf(server) === clusterOf(serverNow);
}

const clusterOf = (server: string) => server.split('/')[0];

/** Wallets of the network that last signed on another server: any of them may have paid what is open here, and that was lost. */
export async function selectDoubted(ctx: Ctx, network: string): Promise<SignerRow[]> {
  const signers = await selectSigners(ctx.db);
  return signers.filter((signer) => signer.network === network && !isServerTrusted(ctx, signer));
}

/**
 * While the lane's wallet is halted, or any of the network is in doubt, no withdrawal is failed: it may be paid. For the
 * transaction that fails it, because the server may have changed since the lane was checked.
 */
export async function mayFail(ctx: Ctx, network: string, address: string): Promise<boolean> {
  const signer = await selectSigner(ctx.db, network, address);
  return !signer?.haltedAt && (await selectDoubted(ctx, network)).length === 0;
}

/**
 * While a wallet of the network is halted, or the database server has changed since it last signed: the database may have lost
 * that a withdrawal was paid, so none of them is ended before an operator has looked.
 */
export async function isInDoubt(ctx: Ctx, network: string): Promise<boolean> {
  const signers = (await selectSigners(ctx.db)).filter((signer) => signer.network === network);
  return signers.some((signer) => signer.haltedAt !== null || !isServerTrusted(ctx, signer));
}
