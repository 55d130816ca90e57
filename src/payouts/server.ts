import type { Ctx } from '../context.ts';
import type { SignerRow } from './queries.ts';

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
