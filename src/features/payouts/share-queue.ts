import type { Lane, WorkerCtx } from './lane.ts';
import { type Claim, updateAllWaiting, updatePassedOn } from './queries/pending.ts';
import { recheckMs } from './timing.ts';

/** A lane whose loop has not come round for this long leaves its share to the others. */
const ableForMs = 5_000;

const isAble = ({ ableAt }: Lane) => ableAt !== undefined && performance.now() - ableAt < ableForMs;

/**
 * What this wallet takes of the network's queue: its share, and the shares of wallets that cannot sign now. A
 * wallet that is halted, full or without funds so delays nobody.
 */
export function shareQueue(lane: Lane): Pick<Claim, 'share' | 'without'> {
  const now = performance.now();
  for (const [id, until] of lane.passed) if (until <= now) lane.passed.delete(id);
  const places = [...lane.all.keys()].filter((place) => {
    const other = lane.all[place]!;
    return other === lane || !isAble(other);
  });
  return { share: { of: lane.all.length, places }, without: [...lane.passed.keys()] };
}

/** Waits that concern the whole network: no other wallet would do better. */
const ofNetwork = ['node', 'screening', 'token', 'fees', 'found payment'];

/** Leaves what this wallet cannot pay to the other wallets; after a while it looks again, too. */
export async function passOn(
  { db }: WorkerCtx,
  lane: Lane,
  waits: readonly { id: string; waitingFor: string }[],
): Promise<void> {
  if (lane.all.length === 1) return;
  const ids = waits.filter(({ waitingFor }) => !ofNetwork.includes(waitingFor)).map(({ id }) => id);
  if (ids.length === 0) return;
  const until = performance.now() + recheckMs;
  for (const id of ids) lane.passed.set(id, until);
  await updatePassedOn(db, ids, recheckMs);
}

/**
 * Says why withdrawals wait for this wallet. What no wallet has signed waits only if none can sign; the first
 * of them says so, because all would overwrite each other's reasons.
 */
export async function noteUnable(ctx: WorkerCtx, lane: Lane, waitingFor: string): Promise<void> {
  lane.ableAt = undefined;
  const isForAll = lane === lane.all[0] && !lane.all.some(isAble);
  const { network, signer } = lane;
  await updateAllWaiting(ctx.db, { network: network.name, address: signer.address, isForAll, waitingFor });
}
