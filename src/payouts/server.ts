import type { Ctx } from '../context.ts';
import { type SignerRow, selectSigners } from './queries.ts';

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

/**
 * While a wallet of the network is halted, or the database server has changed since it last signed: the database may have lost
 * that a withdrawal was paid, so none of them is ended before an operator has looked.
 */
export async function isInDoubt(ctx: Ctx, network: string): Promise<boolean> {
  const signers = (await selectSigners(ctx.db)).filter((signer) => signer.network === network);
  return signers.some((signer) => signer.haltedAt !== null || !isServerTrusted(ctx, signer));
}
