// What the chain and its nodes do, at any time and in any order.
import { bytesOf, type Turn } from './rules.ts';
import { type Bounds, Gone, Network, type Nonce, nothing, type World } from './world.ts';

/** Nonces in their order; one may share the newest block with the one before it. */
export function mine({ world, bounds, step, fault }: Turn): void {
  if (world.lane.some((nonce) => isLoose(nonce, bounds))) {
    step('an empty block is mined', (next) => addBlock(next, bounds));
  }
  const number = world.lane.findIndex(({ mined }) => mined === nothing);
  world.lane[number]?.attempts.forEach(({ network, isCancel }, attempt) => {
    if (network !== Network.inMempool) return;
    const include = (hasPaid: boolean, inNewBlock: boolean) => (next: World) => {
      if (inNewBlock) addBlock(next, bounds);
      const nonce = next.lane[number]!;
      Object.assign(nonce, { mined: attempt, hasPaid, depth: 1 });
      for (const other of nonce.attempts)
        if (other.network === Network.inMempool) other.network = Network.forgotten;
    };
    const what = `${bytesOf(number, attempt)} is mined`;
    step(what, include(!isCancel, true));
    if (!isCancel) fault(`${what} and reverts`, include(false, true));
    if (world.lane[number - 1]?.depth !== 1) return;
    fault(`${what} in the same block`, include(!isCancel, false));
    if (!isCancel) fault(`${what} in the same block and reverts`, include(false, false));
  });
}

function addBlock(next: World, { finalDepth, deepReorgs }: Bounds): void {
  for (const nonce of next.lane) {
    if (nonce.mined === nothing) continue;
    nonce.depth = Math.min(nonce.depth + 1, finalDepth);
    // Nothing can come of a final nonce any more: one spelling for all that still lies around of it.
    if (nonce.depth === finalDepth && !deepReorgs)
      for (const attempt of nonce.attempts) attempt.network = Network.forgotten;
  }
}

/** Final blocks stay. What falls out of the chain is in the mempool again, from where it may vanish. */
export function reorganise({ world, bounds, fault }: Turn): void {
  const deepest = Math.max(0, ...world.lane.map((nonce) => (isLoose(nonce, bounds) ? nonce.depth : 0)));
  for (let blocks = 1; blocks <= deepest; blocks += 1) {
    fault(`the newest ${blocks} blocks are reorganised away`, (next) => {
      for (const nonce of next.lane.filter((one) => isLoose(one, bounds))) {
        nonce.depth = Math.max(0, nonce.depth - blocks);
        if (nonce.depth > 0) continue;
        nonce.attempts[nonce.mined]!.network = Network.inMempool;
        Object.assign(nonce, { mined: nothing, hasPaid: false });
      }
    });
  }
}

/** Below what counts as final; the bytes are in the mempool again. */
export function loseFinal({ world, bounds, fault }: Turn): void {
  if (!bounds.deepReorgs || world.gone !== Gone.none) return;
  world.lane.forEach(({ depth }, from) => {
    if (depth < bounds.finalDepth) return;
    fault(`the chain loses nonce ${from} although it was final`, (next) => {
      next.gone = Gone.unseen;
      for (const nonce of next.lane.slice(from).filter(({ mined }) => mined !== nothing)) {
        nonce.attempts[nonce.mined]!.network = Network.inMempool;
        Object.assign(nonce, { mined: nothing, hasPaid: false, depth: 0 });
      }
    });
  });
}

/** Nodes may know different bytes of one nonce, so none replaces another here. */
export function dropOrDeliver({ world, fault }: Turn): void {
  world.lane.forEach(({ mined, attempts }, nonce) => {
    attempts.forEach(({ network }, attempt) => {
      if (mined !== nothing || network === Network.neverSent) return;
      const isIn = network === Network.inMempool;
      const what = bytesOf(nonce, attempt);
      fault(isIn ? `the mempool drops ${what}` : `a late copy of ${what} arrives`, (next) => {
        next.lane[nonce]!.attempts[attempt]!.network = isIn ? Network.forgotten : Network.inMempool;
      });
    });
  });
}

function isLoose({ mined, depth }: Nonce, { finalDepth }: Bounds): boolean {
  return mined !== nothing && depth < finalDepth;
}
