// The steps of the payout protocol, and everything that may come between them. Each function offers what
// could happen next in a world; one offer is one statement, one transaction or one call, and takes effect as
// a whole.
import { dropOrDeliver, loseFinal, mine, reorganise } from './chain.ts';
import { recheckFinal, resendFinal, resume } from './gone.ts';
import { copyDatabase, fillNonces, loseCommits, recover, voidUnsent } from './loss.ts';
import type { Departure } from './mutants.ts';
import { askAgain, askAnother, readVerdict } from './nodes.ts';
import type { Step } from './search.ts';
import {
  At,
  type Bounds,
  copyOf,
  idleWorker,
  isHalted,
  Network,
  type Nonce,
  nonceOf,
  nothing,
  Status,
  type Worker,
  type World,
} from './world.ts';

export interface Turn {
  world: World;
  bounds: Bounds;
  departure: Departure | undefined;
  /** Whose turn it is, if not nature's. */
  worker: Worker;
  /** Something that the protocol or a healthy chain does. */
  step: Offer;
  /** Something that may happen, but that nothing may rely on. */
  fault: Offer;
}

/** A change of the world, and what the worker knows afterwards; without that it is idle again. */
type Offer = (label: string, change: (next: World) => void, knowing?: Partial<Worker>) => void;
type Rule = (turn: Turn) => void;

const asBefore = () => {};

const naturesRules: Rule[] = [
  create,
  timePasses,
  mine,
  reorganise,
  dropOrDeliver,
  loseFinal,
  resendFinal,
  resume,
  voidUnsent,
  copyDatabase,
  loseCommits,
  fillNonces,
  recover,
];

const workersRules: Record<At, Rule[]> = {
  [At.idle]: [readQueued, preflight, lockLane, readOpenSlot, signBump, readVerdict, recheckFinal],
  [At.preparing]: [prepare, crash],
  [At.refusing]: [refuse, crash],
  [At.laneLocked]: [takeNonce, crash],
  [At.nonceTaken]: [sign, crash],
  [At.signed]: [commitAllocation, crash],
  [At.sentUncommitted]: [commitAllocation, crash],
  [At.sending]: [send, crash],
  [At.answered]: [markSent, crash],
  [At.answeredWithError]: [mistakeErrorForOutcome, crash],
  [At.bumping]: [storeBump, crash],
  [At.cancelling]: [storeBump, crash],
  [At.heardHonest]: [askAgain, crash],
  [At.heardLiar]: [askAnother, crash],
  [At.settling]: [settle, crash],
};

export function rulesOf(bounds: Bounds, departure?: Departure): (world: World) => Step<World>[] {
  return (world) => {
    const steps: Step<World>[] = [];
    const take = (rules: Rule[], name: string, at: number) => {
      const offer =
        (isFault: boolean): Offer =>
        (label, change, knowing) => {
          const state = change === asBefore ? { ...world, workers: world.workers.slice() } : copyOf(world);
          if (at !== nothing) state.workers[at] = { ...idleWorker, ...knowing };
          change(state);
          steps.push({ label: name + label, isFault, state });
        };
      const worker = world.workers[at] ?? idleWorker;
      const turn = { world, bounds, departure, worker, step: offer(false), fault: offer(true) };
      for (const rule of rules) rule(turn);
    };
    take(naturesRules, '', nothing);
    for (const [index, { at }] of world.workers.entries()) {
      take(workersRules[at], `worker ${index + 1} `, index);
    }
    return steps;
  };
}

// 1. Create

function create({ world, step }: Turn): void {
  for (const w of having(Status.absent, world)) {
    step(`${nameOf(w)} is created`, (next) => {
      next.statuses[w] = Status.queued;
    });
  }
}

// 2. Prepare

function readQueued({ world, step }: Turn): void {
  for (const w of having(Status.queued, world)) {
    step(`reads that ${nameOf(w)} is queued`, asBefore, { at: At.preparing, withdrawal: w });
  }
}

function prepare({ world, worker: { withdrawal: w }, departure, step }: Turn): void {
  if (world.statuses[w] !== Status.queued && departure !== 'holds without a guard') {
    step(`finds ${nameOf(w)} no longer queued and leaves it`, asBefore);
  } else if (world.available === 0) {
    step(`finds too little to hold for ${nameOf(w)}: failed`, (next) => {
      next.statuses[w] = Status.failed;
    });
  } else {
    step(`holds the amount of ${nameOf(w)}: pending`, (next) => {
      next.statuses[w] = Status.pending;
      next.available -= 1;
      next.held += 1;
    });
  }
}

function preflight({ world, fault }: Turn): void {
  if (isHalted(world)) return;
  for (const w of having(Status.pending, world)) {
    fault(`learns that ${nameOf(w)} can never be paid`, asBefore, { at: At.refusing, withdrawal: w });
  }
}

/** The update waits as long as an allocation has the row locked. */
function refuse({ world, worker: { withdrawal: w }, departure, step }: Turn): void {
  if (world.workers.some((other) => isAllocating(other) && other.withdrawal === w)) return;
  if (world.statuses[w] !== Status.pending && departure !== 'refuses without a guard') {
    step(`finds ${nameOf(w)} no longer pending and leaves it`, asBefore);
    return;
  }
  step(`refuses ${nameOf(w)}: failed, hold released`, (next) => {
    next.statuses[w] = Status.failed;
    next.held -= 1;
    next.available += 1;
  });
}

// 3. Allocate. A crash before the commit rolls everything back and frees the lane.

function lockLane({ world, bounds, step }: Turn): void {
  // The protocol never needs the nonce to spare; it keeps the mutants finite.
  const noncesMax = bounds.withdrawals * (bounds.losses ? 2 : 1);
  if (world.workers.some(isAllocating) || world.nextNonce > noncesMax || isHalted(world)) return;
  if (world.statuses.includes(Status.pending)) step('locks the lane', asBefore, { at: At.laneLocked });
}

function takeNonce({ world, bounds, departure, step }: Turn): void {
  const free = bounds.losses ? world.lane.findIndex((one, number) => isFree(world, one, number)) : nothing;
  const nonce = free === nothing ? world.nextNonce : free;
  for (const w of having(Status.pending, world)) {
    const take = (next: World) => {
      if (departure === 'counts the nonce before the commit') next.nextNonce += 1;
    };
    step(`takes nonce ${nonce} for ${nameOf(w)}`, take, { at: At.nonceTaken, withdrawal: w, nonce });
  }
  if (!world.statuses.includes(Status.pending)) step('finds nothing pending and frees the lane', asBefore);
}

/** Fees differ at each signing, so what is signed again after a crash is another byte string. */
function sign({ world, worker, bounds, departure, step }: Turn): void {
  const { withdrawal, nonce } = worker;
  const what = `signs ${nameOf(withdrawal)} with nonce ${nonce}`;
  if (departure !== 'sends before the commit') {
    step(what, asBefore, { ...worker, at: At.signed });
    return;
  }
  const attempt = world.lane[nonce]?.attempts.length ?? 0;
  if (attempt > 0 && bumpsIn(world) >= bounds.bumps) return;
  const network = Network.inMempool;
  const sendAtOnce = (next: World) =>
    nonceOf(next, nonce).attempts.push({ withdrawal, isCancel: false, isStored: false, network });
  step(`${what} and sends it at once`, sendAtOnce, { ...worker, at: At.sentUncommitted, attempt });
}

function commitAllocation({ worker: { withdrawal, nonce, attempt }, step }: Turn): void {
  step(`commits nonce ${nonce} for ${nameOf(withdrawal)}: processing`, (next) => {
    next.statuses[withdrawal] = Status.processing;
    openSlot(next, nonce, withdrawal, attempt);
  });
}

// 4. Broadcast

function readOpenSlot({ world, step }: Turn): void {
  world.lane.forEach(({ isOpen, wasSentLately, attempts }, nonce) => {
    if (!isOpen || wasSentLately) return;
    const attempt = attempts.length - 1;
    step(`reads ${bytesOf(nonce, attempt)} to send it`, asBefore, { at: At.sending, nonce, attempt });
  });
}

/** Whatever the node answers, the protocol goes on in the same way; two mutants do not. */
function send({ worker, departure, step, fault }: Turn): void {
  const { nonce, attempt } = worker;
  const what = `sends ${bytesOf(nonce, attempt)}`;
  const told = { ...worker, at: At.answered };
  const toldOfError = mindsErrors(departure) ? { ...worker, at: At.answeredWithError } : told;
  const arrive = (next: World) => leave(next.lane[nonce]!, attempt, Network.inMempool);
  const vanish = (next: World) => leave(next.lane[nonce]!, attempt, Network.forgotten);
  step(`${what}; the node takes it`, arrive, told);
  fault(`${what}; the node takes it, but the answer is lost or a false error`, arrive, toldOfError);
  fault(`${what}; the node says ok and forgets it`, vanish, told);
  fault(`${what}; it fails or is delayed on the way`, vanish, toldOfError);
}

/** A node refuses what has a mined nonce; yet the bytes have left us, and a copy of them may arrive later. */
function leave({ mined, attempts }: Nonce, index: number, network: Network): void {
  const attempt = attempts[index]!;
  if (mined === nothing && network === Network.inMempool) attempt.network = network;
  else if (attempt.network === Network.neverSent) attempt.network = Network.forgotten;
}

function markSent({ worker: { nonce, attempt }, step }: Turn): void {
  step(`marks ${bytesOf(nonce, attempt)} as sent`, (next) => {
    const { isOpen, attempts } = next.lane[nonce]!;
    if (isOpen && attempt === attempts.length - 1) next.lane[nonce]!.wasSentLately = true;
  });
}

function timePasses({ world, departure, step }: Turn): void {
  if (departure === 'never sends again' || !world.lane.some(({ wasSentLately }) => wasSentLately)) return;
  step('it is time to send again', (next) => {
    for (const nonce of next.lane) nonce.wasSentLately = false;
  });
}

function mindsErrors(departure: Departure | undefined): boolean {
  return departure === 'marks failed on a send error' || departure === 'takes a new nonce on retry';
}

function mistakeErrorForOutcome({ world, worker: { nonce }, bounds, departure, step }: Turn): void {
  const { isOpen, withdrawal } = world.lane[nonce]!;
  if (!isOpen) return;
  if (departure === 'marks failed on a send error') {
    step(`takes the error for the outcome of ${nameOf(withdrawal)}: failed, hold released`, (next) =>
      closeSlot(next, nonce, Status.failed),
    );
  } else if (world.nextNonce <= bounds.withdrawals) {
    step(`tries ${nameOf(withdrawal)} again with nonce ${world.nextNonce}`, (next) =>
      openSlot(next, world.nextNonce, withdrawal, nothing),
    );
  }
}

// 5. Bump

function signBump({ world, bounds, step, fault }: Turn): void {
  const nonce = world.lane.findIndex(({ isOpen }) => isOpen);
  if (nonce === -1 || bumpsIn(world) >= bounds.bumps || isHalted(world)) return;
  step(`signs a bump of nonce ${nonce}`, asBefore, { at: At.bumping, nonce });
  fault(`signs a cancel of nonce ${nonce}`, asBefore, { at: At.cancelling, nonce });
}

/** Guarded only by the open slot: if another worker's bump came first, both are kept. */
function storeBump({ world, worker: { at, nonce }, bounds, step }: Turn): void {
  const { isOpen, withdrawal, attempts } = world.lane[nonce]!;
  if (!isOpen || bumpsIn(world) >= bounds.bumps) {
    step(`is too late to bump nonce ${nonce}`, asBefore);
    return;
  }
  step(`stores ${bytesOf(nonce, attempts.length)}`, (next) => {
    const target = next.lane[nonce]!;
    const isCancel = at === At.cancelling;
    target.attempts.push({ withdrawal, isCancel, isStored: true, network: Network.neverSent });
    target.wasSentLately = false;
  });
}

// 6. Settle

function settle({ world, worker: { nonce, verdict, attempt }, departure, step }: Turn): void {
  const { isOpen, withdrawal } = world.lane[nonce]!;
  if (!isOpen && departure !== 'settles without a guard') {
    step(`finds nonce ${nonce} settled and leaves it`, asBefore);
    return;
  }
  const outcome = verdict === Status.completed ? 'completed, hold spent' : 'failed, hold released';
  step(`settles ${nameOf(withdrawal)}: ${outcome}`, (next) => closeSlot(next, nonce, verdict, attempt));
}

/**
 * Or it freezes, and its transaction is aborted. To wake late outside a transaction is no more than to be
 * slow.
 */
function crash({ fault }: Turn): void {
  fault('crashes', asBefore);
}

// What several steps need

export const nameOf = (withdrawal: number) => String.fromCharCode(65 + withdrawal);
export const bytesOf = (nonce: number, attempt: number) => `nonce ${nonce} fee ${attempt + 1}`;

function having(wanted: Status, { statuses }: World): number[] {
  return statuses.flatMap((status, withdrawal) => (status === wanted ? [withdrawal] : []));
}

/** As far as the database knows: a nonce that was given out, and for which nothing is stored. */
const isFree = ({ nextNonce }: World, { withdrawal, attempts }: Nonce, number: number) =>
  number < nextNonce && withdrawal === nothing && attempts.every(({ isStored }) => !isStored);

function isAllocating({ at }: Worker): boolean {
  return at >= At.laneLocked && at <= At.sentUncommitted;
}

function bumpsIn({ lane }: World): number {
  return lane.reduce((sum, { attempts }) => sum + Math.max(0, attempts.length - 1), 0);
}

function openSlot(next: World, number: number, withdrawal: number, sentBefore: number): void {
  const nonce = nonceOf(next, number);
  Object.assign(nonce, { isOpen: true, withdrawal });
  next.nextNonce = Math.max(next.nextNonce, number + 1);
  if (sentBefore !== nothing) nonce.attempts[sentBefore]!.isStored = true;
  else nonce.attempts.push({ withdrawal, isCancel: false, isStored: true, network: Network.neverSent });
}

function closeSlot(next: World, number: number, verdict: Status, settledBy = nothing): void {
  const nonce = next.lane[number]!;
  Object.assign(nonce, { isOpen: false, wasSentLately: false, settledBy });
  next.statuses[nonce.withdrawal] = verdict;
  next.held -= 1;
  if (verdict === Status.completed) next.spent += 1;
  else next.available += 1;
}
