// A database that goes back to an earlier state, while the chain and its mempools stay, and the operator's
// recovery from that.
import { nameOf, type Turn } from './rules.ts';
import {
  At,
  type Copy,
  idleWorker,
  Loss,
  Network,
  type Nonce,
  nonceOf,
  nothing,
  Status,
  type World,
} from './world.ts';

/**
 * The newest only: behind a free nonce, later ones would wait for the next withdrawal, which this small world
 * does not have.
 */
export function voidUnsent({ world, bounds, fault }: Turn): void {
  if (!bounds.losses || world.loss !== Loss.none) return;
  const number = world.nextNonce - 1;
  const last = world.lane[number];
  if (!last?.isOpen || last.attempts.some(({ network }) => network !== Network.neverSent)) return;
  if (world.workers.some(({ at }) => at !== At.idle)) return;
  fault(`the operator takes ${nameOf(last.withdrawal)} off nonce ${number}`, (next) => {
    next.statuses[last.withdrawal] = Status.pending;
    Object.assign(next.lane[number]!, {
      withdrawal: nothing,
      isOpen: false,
      wasSentLately: false,
      attempts: [],
    });
  });
}

export function copyDatabase({ world, bounds, fault }: Turn): void {
  if (!bounds.losses || world.loss !== Loss.none) return;
  fault('a standby falls behind', (next) => {
    const { statuses, available, held, spent, nextNonce, lane } = world;
    const slots = lane.map(({ withdrawal, isOpen, attempts }) => ({
      withdrawal,
      isOpen,
      stored: attempts.filter(({ isStored }) => isStored).length,
    }));
    next.loss = Loss.copied;
    next.copy = { statuses, available, held, spent, nextNonce, slots };
  });
}

export function loseCommits({ world, departure, fault }: Turn): void {
  const { copy } = world;
  if (world.loss !== Loss.copied || !copy) return;
  fault('the standby is promoted and the workers are killed', (next) => {
    const { statuses, available, held, spent, nextNonce } = copy;
    Object.assign(next, { statuses: statuses.slice(), available, held, spent, nextNonce, copy: undefined });
    next.loss = departure === 'signs on after a promotion' ? Loss.recovered : Loss.halted;
    next.workers = next.workers.map(() => idleWorker);
    next.lane.forEach((nonce, number) => {
      goBack(nonce, copy.slots[number]);
    });
    while (next.lane.length > nextNonce && next.lane.at(-1)!.attempts.length === 0) next.lane.pop();
  });
}

/**
 * Bytes that were never sent are gone with their row; the others are on chain, in a mempool, or somewhere.
 */
function goBack(nonce: Nonce, slot: Copy['slots'][number] | undefined): void {
  const { withdrawal, isOpen, stored } = slot ?? { withdrawal: nothing, isOpen: false, stored: 0 };
  Object.assign(nonce, { withdrawal, isOpen, wasSentLately: false });
  nonce.attempts.forEach((attempt, at) => {
    attempt.isStored = at < stored;
  });
  const last = nonce.attempts.at(-1);
  if (last && !last.isStored && last.network === Network.neverSent) nonce.attempts.pop();
}

/**
 * As many as can be open at once: here, as many as were ever signed. Where a lost transaction is mined first,
 * it is found.
 */
export function fillNonces({ world, departure, step }: Turn): void {
  if (world.loss !== Loss.halted || departure === 'recovers without fillers') return;
  world.lane.forEach(({ withdrawal, mined, attempts }, number) => {
    if (mined !== nothing || withdrawal !== nothing) return;
    const at = attempts.findIndex(({ isCancel }) => isCancel);
    if (at !== -1 && attempts[at]!.network === Network.inMempool) return;
    step(`a worker fills nonce ${number}`, (next) => {
      const target = next.lane[number]!.attempts;
      if (at === -1)
        target.push({ withdrawal: nothing, isCancel: true, isStored: true, network: Network.inMempool });
      else target[at]!.network = Network.inMempool;
    });
  });
}

export function recover({ world, bounds, departure, step }: Turn): void {
  if (world.loss !== Loss.halted) return;
  const mined = world.lane.filter((one) => one.mined !== nothing);
  if (mined.some(({ depth }) => depth < bounds.finalDepth)) return;
  if (departure === 'recovers without fillers') {
    const next = world.lane[mined.length];
    // What a node shows as on its way.
    if (next && mined.length >= world.nextNonce && next.attempts.some(isOnItsWay)) return;
  } else if (mined.length < world.lane.length) return;
  const isLost = ({ withdrawal }: Nonce, number: number) =>
    departure === 'recovers past free nonces' ? number >= world.nextNonce : withdrawal === nothing;
  const lost = mined.flatMap((nonce, number) =>
    isLost(nonce, number) ? [{ number, withdrawal: payeeOf(nonce), hasPaid: nonce.hasPaid }] : [],
  );
  const paid = lost.filter(({ hasPaid }) => hasPaid);
  // A node that lies shows a filler in place of a payment; two that agree are needed.
  const isHiding = departure === 'recovers by the word of one node' && paid.length > 0;
  const found = isHiding ? paid.slice(1) : paid;
  // Payments of requests that are lost: the wallet stays halted until a partner repeats them.
  if (found.some(({ withdrawal }) => world.statuses[withdrawal] === Status.absent)) return;
  const names = found.map(({ withdrawal }) => nameOf(withdrawal)).join();
  step(`the operator recovers the wallet${names && `, with payments of ${names}`}`, (next) => {
    for (const { number } of lost) noteUsed(next.lane[number]!);
    for (const { number, withdrawal } of found) bind(next, number, withdrawal);
    next.nextNonce = Math.max(next.nextNonce, mined.length);
    next.loss = Loss.recovered;
  });
}

const isOnItsWay = ({ network }: Nonce['attempts'][number]) => network === Network.inMempool;
/** What used it is known from now on, so the nonce is not free. */
function noteUsed({ attempts, mined }: Nonce): void {
  attempts[mined]!.isStored = true;
}

const payeeOf = ({ attempts, mined }: Nonce) => attempts[mined]!.withdrawal;

function bind(next: World, number: number, withdrawal: number): void {
  if (next.statuses[withdrawal] === Status.queued) {
    next.available -= 1;
    next.held += 1;
  }
  next.statuses[withdrawal] = Status.processing;
  Object.assign(nonceOf(next, number), { withdrawal, isOpen: true });
}
