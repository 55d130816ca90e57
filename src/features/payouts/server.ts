import type { Ctx } from '#context';
import type { Lane } from './lane.ts';
import { type SignerRow, selectSigners } from './queries/signers.ts';

/**
 * False if signed transactions may be lost here, after a promotion, a point-in-time restore or a move to
 * another cluster: their nonces would be assigned again. With synchronous replication a promotion of the same
 * cluster loses nothing.
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
 * With synchronous replication a promotion halts nothing, so nothing may be signed that no standby confirms:
 * the next promotion could lose it. A server that was promoted without a list of standbys is such a one.
 */
export const isUnreplicated = (
  { isReplicationSynchronous }: Pick<Ctx, 'isReplicationSynchronous'>,
  { isReplicated }: Pick<SignerRow, 'isReplicated'>,
): boolean => isReplicationSynchronous && !isReplicated;

/** False for a worker of the former deployment that still runs after a rebinding. */
export const isOfDeployment = (
  { deploymentId }: Pick<Ctx, 'deploymentId'>,
  { deployment }: Pick<SignerRow, 'deployment'>,
): boolean => deployment === null || deployment === deploymentId;

/**
 * Wallets of which every send is recorded here: of others, bytes that look unsent may have been sent before
 * the loss. `settled`: the one that an operator accounts for now.
 */
export const surelyUnsent = (
  ctx: Pick<Ctx, 'isReplicationSynchronous'>,
  signers: readonly SignerRow[],
  settled: string,
): string[] =>
  signers
    .filter((signer) => isServerTrusted(ctx, signer) && (signer.address === settled || !signer.isInDoubt))
    .map(({ address }) => address);

/** Workers fill nonces of the wallet, on the database server where this was requested. */
export const isFillingNow = (
  signer: SignerRow | undefined,
): signer is SignerRow & { haltedAt: Date; fillBelow: bigint } =>
  signer !== undefined &&
  signer.haltedAt !== null &&
  signer.fillBelow !== null &&
  signer.fillServer === signer.serverNow;

/**
 * Whether the database may have lost payments of a network: a wallet last signed on another server, is in
 * doubt, or is halted. For a lane, other halts of other wallets do not count; the database must be bound to
 * its deployment, and replicated if the settings say so. No withdrawal may be signed or ended then, because
 * any of them may have paid it, also one whose key is no longer in the settings.
 */
export async function isInDoubt(ctx: Ctx, network: string, lane?: Lane): Promise<boolean> {
  // Ask in the transaction that ends the withdrawal: the server may have changed since the lane was checked.
  const signers = await selectSigners(ctx.db, network);
  return signers.some(
    (signer) =>
      !isServerTrusted(ctx, signer) ||
      signer.isInDoubt ||
      (lane !== undefined && (!isOfDeployment(ctx, signer) || isUnreplicated(ctx, signer))) ||
      (signer.haltedAt !== null && (lane === undefined || lane.signer.address === signer.address)),
  );
}
