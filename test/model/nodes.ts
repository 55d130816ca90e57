// How an outcome is read: from one node that tells the truth, or from three of which one may say anything.
import type { Departure } from './mutants.ts';
import type { Turn } from './rules.ts';
import { At, type Bounds, nothing, Status, type World } from './world.ts';

/**
 * The count at the final block, then the slot's bytes and their receipts. None of ours is an anomaly: nothing
 * is decided.
 */
export function readVerdict({ world, bounds, departure, step, fault }: Turn): void {
  world.lane.forEach(({ isOpen, mined }, nonce) => {
    if (!isOpen) return;
    const truth = truthOf(world, nonce, bounds, departure);
    if (truth !== undefined) {
      const heard = { nonce, verdict: truth, attempt: mined };
      const at = bounds.liars ? At.heardHonest : At.settling;
      step(`reads that nonce ${nonce} ${saysOf(truth)}`, asBefore, { at, ...heard });
    } else if (departure === 'marks failed on a missing receipt') {
      const verdict = Status.failed;
      fault(`is told of no receipt for nonce ${nonce}`, asBefore, { at: At.settling, nonce, verdict });
    }
    if (!bounds.liars) return;
    for (const claim of [Status.completed, Status.failed]) {
      const at = departure === 'believes one node' ? At.settling : At.heardLiar;
      const heard = { nonce, verdict: claim, attempt: 0 };
      fault(`hears from a liar that nonce ${nonce} ${saysOf(claim)}`, asBefore, { at, ...heard });
    }
  });
}

/** After an honest node: whatever the liar says, the other honest one agrees. */
export function askAgain({ worker, step }: Turn): void {
  step(`hears the same of nonce ${worker.nonce} from another node`, asBefore, { ...worker, at: At.settling });
}

/** After the liar: two honest nodes outvote it, and one that is away has no vote. */
export function askAnother({ world, worker, bounds, departure, step, fault }: Turn): void {
  const { nonce, verdict } = worker;
  const truth = truthOf(world, nonce, bounds, departure);
  if (truth === undefined) {
    step(`hears that nonce ${nonce} is not final, and decides nothing`, asBefore);
  } else {
    const agreed = { ...worker, verdict: truth, attempt: world.lane[nonce]!.mined };
    const at = truth === verdict ? At.settling : At.heardHonest;
    step(`hears from another node that nonce ${nonce} ${saysOf(truth)}`, asBefore, { ...agreed, at });
  }
  const next = departure === 'takes silence for agreement' ? { ...worker, at: At.settling } : undefined;
  fault(`hears nothing more of nonce ${nonce}`, asBefore, next);
}

/** What an honest node knows to be final, and of our bytes. */
function truthOf(world: World, nonce: number, bounds: Bounds, departure: Departure | undefined) {
  const { mined, attempts, hasPaid, depth } = world.lane[nonce]!;
  const depthNeeded = departure === 'completes at the first receipt' ? 1 : bounds.finalDepth;
  if (mined === nothing || depth < depthNeeded || !attempts[mined]!.isStored) return undefined;
  return hasPaid ? Status.completed : Status.failed;
}

const saysOf = (verdict: Status) => (verdict === Status.completed ? 'has paid' : 'has not paid');

const asBefore = () => {};
