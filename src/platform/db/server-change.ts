/**
 * Whether commits of one server (`database_server()`) may be missing on another: after a promotion, a
 * point-in-time restore or a move to another cluster. With synchronous replication a promotion of the same
 * cluster loses nothing.
 */
export function mayHaveLost(
  { isReplicationSynchronous }: { isReplicationSynchronous: boolean },
  server: string,
  serverNow: string,
): boolean {
  if (server === serverNow) return false;
  return !isReplicationSynchronous || clusterOf(server) !== clusterOf(serverNow);
}

const clusterOf = (server: string) => server.split('/')[0];
