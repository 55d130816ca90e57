import {
  batchCalls,
  hashOf,
  type Provider,
  readChainId,
  readDecimals,
  readTransactionCount,
} from '#adapters/evm';
import type { Db } from '#platform/db/db';
import { haltReasons } from './halt-reasons.ts';
import type { Lane, WorkerCtx } from './lane.ts';
import { selectOpenAttempts } from './queries/attempts.ts';
import {
  insertSigner,
  lockSigner,
  type SignerRow,
  selectSigner,
  selectSigners,
  shortfallReason,
  updateHalted,
  updateUnknownServer,
} from './queries/signers.ts';
import { type LookedAt, selectFirstUnsent, selectIsOpen } from './queries/slots.ts';
import { isOfDeployment, isServerTrusted, isUnreplicated } from './server.ts';
import { agreementMs, startPatienceMs } from './timing.ts';

/**
 * `used`: the wallet's transaction count, the highest that any node knows, including transactions in no
 * block.
 */
export type LaneCheck =
  | { signer: SignerRow; used: number }
  | { refused: 'halted' | 'disagreement' | 'node' | 'deployment' | 'replication' };

/**
 * Checks whether this lane may sign and send: the node is on the right chain, its tokens match our table, our
 * stored bytes are what was signed, and no node has seen a transaction of the wallet that we do not know.
 * Logs the reason if not.
 */
export async function checkLane(ctx: WorkerCtx, lane: Lane, provider: Provider): Promise<LaneCheck> {
  const { network, signer } = lane;
  if (!isAgreed(lane, provider)) {
    const disagreement = await findDisagreement(ctx, lane, provider);
    if (disagreement) {
      lane.trouble.report(ctx.log, disagreement);
      return { refused: 'disagreement' };
    }
    lane.agreedAt.set(provider, performance.now());
  }
  // Read the chain before our counter. The counter only grows, so another worker's nonces do not look
  // foreign.
  const used = await readUsed(lane);
  const known = await selectSigner(ctx.db, network.name, signer.address);
  if (known && isOfOther(ctx, lane, known)) return { refused: 'deployment' };
  if (!known && (await haltDoubted(ctx, lane))) return { refused: 'halted' };
  if (!known) return isSure(lane) ? register(ctx, lane, used) : { refused: 'node' };
  // Halt for the changed server first: resume ends a halt for a shortfall, but is refused after a server
  // change.
  const isForShortfall = known.haltedReason?.startsWith(shortfallReason);
  if ((known.haltedReason === null || isForShortfall) && (await haltDoubted(ctx, lane)))
    return { refused: 'halted' };
  if (known.haltedReason !== null) {
    lane.trouble.report(ctx.log, known.haltedReason);
    return { refused: 'halted' };
  }
  if (BigInt(used) <= known.nextNonce) {
    // After the halts: this server may be one that lacks payouts already.
    if (!isUnreplicated(ctx, known)) return { signer: known, used };
    lane.trouble.report(ctx.log, unreplicated);
    lane.unreplicatedAt = ctx.now;
    return { refused: 'replication' };
  }
  // One answer may be wrong, and ending a halt takes a person: ask again before halting.
  const again = await readUsed(lane);
  const reason = await haltBehind(ctx, known, again, (_db, { nextNonce }) => nextNonce);
  if (reason === undefined) return { refused: 'node' };
  reportHalt(ctx, lane, reason);
  return { refused: 'halted' };
}

const unreplicated =
  'DATABASE_REPLICATION is synchronous, but this database server has no synchronous_standby_names: the next promotion could lose payouts, so nothing is signed until they are set';

/**
 * Why no wallet of the network may sign, if the database may lack payments of another one: it would pay them
 * again. That wallet is halted, if its own loops have not done so yet. A wallet whose key is not in the
 * settings counts as long as its doubt is stored.
 */
export async function findDoubt(ctx: WorkerCtx, lane: Lane): Promise<string | undefined> {
  const network = lane.network.name;
  for (const other of lane.all) {
    if (other === lane) continue;
    const where = { network, address: other.signer.address };
    const used = await readUsed(other);
    if (BigInt(used) <= (await selectFirstUnsent(ctx.db, where))) continue;
    // One answer may be wrong, as for the lane's own wallet.
    await haltBehind(ctx, where, await readUsed(other), selectFirstUnsent);
  }
  const signers = await selectSigners(ctx.db, network);
  const doubted = signers.find(({ isInDoubt }) => isInDoubt);
  return doubted && `the hot wallet ${doubted.address} is halted: ${doubted.haltedReason}`;
}

/**
 * Halts a wallet that has sent more than this database knows, and returns the reason. Compares under the lock
 * of the wallet: what was read before may be outdated by a recovery that has just ended, and would halt the
 * wallet again.
 */
async function haltBehind(
  ctx: WorkerCtx,
  { network, address }: Pick<SignerRow, 'network' | 'address'>,
  used: number,
  readKnown: (db: Db, signer: SignerRow) => bigint | Promise<bigint>,
): Promise<string | undefined> {
  if (used === 0) return undefined;
  return ctx.db.transaction(async (db) => {
    const where = { network, address, now: ctx.now };
    await insertSigner(db, { ...where, haltedReason: haltReasons.unknownTransactions(used, 0n) });
    const known = await readKnown(db, (await lockSigner(db, network, address))!);
    if (BigInt(used) <= known) return undefined;
    const reason = haltReasons.unknownTransactions(used, known);
    await updateHalted(db, { ...where, reason, isInDoubt: true });
    return reason;
  });
}

async function readUsed(lane: Lane): Promise<number> {
  const { used, isComplete } = await readUsedEverywhere(lane);
  if (isComplete) lane.isKnownEverywhere = true;
  return used;
}

/** The highest count of all nodes: a lagging node would hide what another deployment has sent. */
async function readUsedEverywhere({ network, signer }: Lane): Promise<{ used: number; isComplete: boolean }> {
  const answers = await Promise.allSettled(
    network.node.providers.map((provider) =>
      readTransactionCount(provider, signer.address, 'pending', countTimeoutMs),
    ),
  );
  const counts = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (counts.length === 0) throw (answers[0] as PromiseRejectedResult).reason;
  return { used: Math.max(...counts), isComplete: counts.length === answers.length };
}

/** Before the first signature of a process, every node must report the count once or time out. */
export const isSure = ({ isKnownEverywhere, startedAt }: Lane) =>
  isKnownEverywhere || performance.now() - startedAt > startPatienceMs;

const countTimeoutMs = 3_000;

export const isAgreed = ({ agreedAt }: Lane, provider: Provider) =>
  performance.now() - (agreedAt.get(provider) ?? Number.NEGATIVE_INFINITY) <= agreementMs;

async function findDisagreement(ctx: WorkerCtx, lane: Lane, provider: Provider): Promise<string | undefined> {
  const { network, signer } = lane;
  const tokens = [...network.tokens.values()];
  const together = batchCalls(provider);
  const [chainId, decimals] = await Promise.all([
    readChainId(together),
    // On another chain our tokens do not exist, so report the wrong chain first.
    Promise.all(tokens.map(({ address }) => readDecimals(together, address).catch((error) => error))),
  ]);
  if (chainId !== network.chainId) {
    return `the node of ${network.name} is on chain ${chainId}, not ${network.chainId}`;
  }
  for (const [at, token] of tokens.entries()) {
    if (decimals[at] instanceof Error) throw decimals[at];
    if (decimals[at] !== token.decimals) {
      return `${token.symbol} on ${network.name} has ${decimals[at]} decimals, not ${token.decimals}`;
    }
  }
  const stored = await selectOpenAttempts(ctx.db, network.name, signer.address);
  const changed = stored.find(({ hash, raw }) => hashOf(raw) !== hash);
  return changed && `the stored bytes of ${changed.hash} are not what was signed`;
}

/**
 * A wallet that has sent nothing starts at nonce 0. Any other was used elsewhere, and an operator must find
 * out what for.
 */
async function register(ctx: WorkerCtx, lane: Lane, used: number): Promise<LaneCheck> {
  const { network, signer } = lane;
  const haltedReason = used === 0 ? undefined : haltReasons.unknownTransactions(used, 0n);
  await insertSigner(ctx.db, { network: network.name, address: signer.address, haltedReason, now: ctx.now });
  if (haltedReason) {
    reportHalt(ctx, lane, haltedReason);
    return { refused: 'halted' };
  }
  return { signer: (await selectSigner(ctx.db, network.name, signer.address))!, used };
}

/** Whether the database was rebound while this worker runs; logs it. */
export function isOfOther(ctx: WorkerCtx, lane: Lane, signer: SignerRow): boolean {
  if (isOfDeployment(ctx, signer)) return false;
  const trouble = `this database belongs to the deployment "${signer.deployment}", and DEPLOYMENT_ID is "${ctx.deploymentId}": stop this worker`;
  lane.trouble.report(ctx.log, trouble);
  return true;
}

/**
 * Whether a wallet of the lane's network last signed on another database server. Such wallets are halted, and
 * with them those of which no server is known: their first signatures, or their rows, may be lost. Former
 * wallets count too: what they paid may be lost, and this lane would pay it again.
 */
export async function haltDoubted(ctx: WorkerCtx, lane: Lane): Promise<boolean> {
  const network = lane.network.name;
  const signers = await selectSigners(ctx.db, network);
  const lost = signers.find((signer) => !isServerTrusted(ctx, signer));
  if (!lost) return false;
  const server = lost.server!;
  const reason = haltReasons.serverChanged(server, lost.serverNow);
  for (const { signer } of lane.all) {
    if (signers.some(({ address }) => address === signer.address)) continue;
    const { address } = signer;
    await insertSigner(ctx.db, { network, address, haltedReason: reason, server, now: ctx.now });
  }
  for (const { address } of signers.filter((signer) => signer.server === null))
    await updateUnknownServer(ctx.db, { network, address, server });
  for (const signer of await selectSigners(ctx.db, network))
    if (!isServerTrusted(ctx, signer)) await haltDoubtedSigner(ctx, lane, signer);
  return true;
}

async function haltDoubtedSigner(ctx: WorkerCtx, lane: Lane, signer: SignerRow): Promise<void> {
  const { network, address } = signer;
  const reason = haltReasons.serverChanged(signer.server!, signer.serverNow);
  const isDoubted = await ctx.db.transaction(async (db) => {
    // A recovery that has ended meanwhile trusts this server.
    if ((await lockSigner(db, network, address))?.server !== signer.server) return false;
    await updateHalted(db, {
      network,
      address,
      reason,
      now: ctx.now,
      isOverShortfall: true,
      isInDoubt: true,
    });
    return true;
  });
  if (!isDoubted) return;
  if (address === lane.signer.address) reportHalt(ctx, lane, reason);
  else lane.trouble.report(ctx.log, `the hot wallet ${address} is halted: ${reason}`);
}

/**
 * Stops signing and sending on a lane, on every worker, until an operator resumes it. With `slot`, the open
 * nonce that the reason is about, it halts nothing and returns false if a recovery has given the nonce up,
 * settled it, or found its bytes meanwhile.
 */
export async function haltLane(
  ctx: WorkerCtx,
  lane: Lane,
  reason: string,
  { isInDoubt = false, slot }: { isInDoubt?: boolean; slot?: LookedAt } = {},
): Promise<boolean> {
  const where = { network: lane.network.name, address: lane.signer.address };
  const isHalted = await ctx.db.transaction(async (db) => {
    await lockSigner(db, where.network, where.address);
    if (slot && !(await selectIsOpen(db, where, slot))) return false;
    await updateHalted(db, { ...where, reason, now: ctx.now, isInDoubt });
    return true;
  });
  if (isHalted) reportHalt(ctx, lane, reason);
  return isHalted;
}

const reportHalt = (ctx: WorkerCtx, lane: Lane, reason: string) =>
  lane.trouble.reportHalt(ctx.log, reason, 'payouts are halted: nothing is sent');
