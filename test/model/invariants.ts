// What must hold in every state and over every step, whatever the workers, the node and the chain do.
import { moves, type Status as Name, statuses as names } from '../../src/features/withdrawals/states.ts';
import {
  type Attempt,
  type Bounds,
  Gone,
  isHalted,
  Loss,
  Network,
  type Nonce,
  nothing,
  Status,
  type World,
} from './world.ts';

export const promises = {
  paidOnce: 'a withdrawal is paid at most once',
  completedIsFinal: 'completed only when paid in a final block',
  failedIsUnpayable: 'failed only when nothing sent can pay it any more',
  forwardOnly: 'a status moves forward only',
  fundsBalance: 'held, spent and available make up the funds and match the statuses',
  noGaps: 'nonces have no gaps',
  oneNonceEach: 'a withdrawal has at most one nonce, and a nonce at most one withdrawal',
  storedBeforeSent: 'nothing is sent that is not stored',
};

const invariants: [string, (world: World, bounds: Bounds) => boolean][] = [
  [promises.paidOnce, isPaidOnce],
  [promises.completedIsFinal, isCompletedFinal],
  [promises.failedIsUnpayable, isFailedUnpayable],
  [promises.fundsBalance, doFundsBalance],
  [promises.noGaps, hasNoGaps],
  [promises.oneNonceEach, hasOneNonceEach],
  [promises.storedBeforeSent, isStoredBeforeSent],
];

/** What the rows promise does not hold of rows that are lost. */
const ofWholeRows = new Set([promises.noGaps, promises.oneNonceEach, promises.storedBeforeSent]);
/**
 * What final blocks promise does not hold when they vanish: other bytes of a nonce may be mined then, which
 * halts the wallet, and an operator books the difference.
 */
const ofFinalBlocks = new Set([promises.completedIsFinal, promises.failedIsUnpayable]);

export function brokenIn(world: World, bounds: Bounds): string[] {
  const isMoot = (promise: string) =>
    (bounds.losses && ofWholeRows.has(promise)) || (world.gone !== Gone.none && ofFinalBlocks.has(promise));
  return invariants
    .filter(([promise, holds]) => !isMoot(promise) && !holds(world, bounds))
    .map(([promise]) => promise);
}

export function brokenBetween(before: World, after: World): string[] {
  if (before.loss === Loss.copied && after.loss !== Loss.copied) return [];
  const isForward = before.statuses.every((status, withdrawal) => {
    const next = after.statuses[withdrawal]!;
    if (next === status) return true;
    return reachable[status]!.has(next) && (next > status || isUnsent(before, withdrawal));
  });
  return isForward ? [] : [promises.forwardOnly];
}

/**
 * By status, those that the product's moves lead to: one step of ours may be several moves of a transaction.
 */
const reachable = Object.values(Status).map((status) => {
  const found = new Set<Status>();
  const visit = (name: Name) => {
    if (found.has(Status[name])) return;
    found.add(Status[name]);
    for (const next of moves[name]) visit(next);
  };
  if (status === Status.absent) visit('queued');
  else for (const next of moves[names[status - 1]!]) visit(next);
  return found;
});

/** It has a nonce, and nothing of it has left: an operator may take it off again. */
const isUnsent = ({ lane }: World, withdrawal: number) =>
  lane.some((nonce) => nonce.withdrawal === withdrawal && nonce.isOpen && !nonce.attempts.some(wasSent));

export function isDone(world: World): boolean {
  return (
    world.statuses.every((status) => status >= Status.completed) &&
    world.held === 0 &&
    !isHalted(world) &&
    world.lane.every(({ isOpen, mined, attempts }) => !isOpen && (mined !== nothing || attempts.length === 0))
  );
}

function isPaidOnce({ statuses, lane }: World): boolean {
  return statuses.every((_, withdrawal) => lane.filter((nonce) => hasPaid(nonce, withdrawal)).length <= 1);
}

function isCompletedFinal({ statuses, lane }: World, { finalDepth }: Bounds): boolean {
  return statuses.every(
    (status, withdrawal) =>
      status !== Status.completed ||
      lane.some((nonce) => hasPaid(nonce, withdrawal) && nonce.depth === finalDepth),
  );
}

/**
 * As long as its nonce is not final, a copy of anything ever sent may be mined: a reorganisation makes room
 * for it.
 */
function isFailedUnpayable({ statuses, lane }: World, { finalDepth }: Bounds): boolean {
  const mayStillPay = ({ depth, attempts }: Nonce, withdrawal: number) =>
    depth < finalDepth &&
    attempts.some((attempt) => attempt.withdrawal === withdrawal && !attempt.isCancel && wasSent(attempt));
  return statuses.every(
    (status, withdrawal) =>
      status !== Status.failed ||
      !lane.some((nonce) => hasPaid(nonce, withdrawal) || mayStillPay(nonce, withdrawal)),
  );
}

function doFundsBalance({ available, held, spent, statuses }: World, { funded }: Bounds): boolean {
  const count = (...wanted: Status[]) => statuses.filter((status) => wanted.includes(status)).length;
  return (
    available >= 0 &&
    available + held + spent === funded &&
    held === count(Status.pending, Status.processing) &&
    spent === count(Status.completed)
  );
}

function hasNoGaps({ lane, nextNonce }: World): boolean {
  const taken = lane.flatMap(({ withdrawal }, nonce) => (withdrawal === nothing ? [] : [nonce]));
  return taken.length === nextNonce && taken.every((nonce) => nonce < nextNonce);
}

function hasOneNonceEach({ lane }: World): boolean {
  const users = lane.map(({ withdrawal, attempts }) => {
    const named = [withdrawal, ...attempts.map((attempt) => attempt.withdrawal)];
    return [...new Set(named.filter((user) => user !== nothing))];
  });
  return users.every(({ length }) => length <= 1) && new Set(users.flat()).size === users.flat().length;
}

function isStoredBeforeSent({ lane }: World): boolean {
  return lane.every(({ attempts }) => attempts.every((attempt) => attempt.isStored || !wasSent(attempt)));
}

function hasPaid(nonce: Nonce, withdrawal: number): boolean {
  return nonce.hasPaid && nonce.attempts[nonce.mined]!.withdrawal === withdrawal;
}

function wasSent({ network }: Attempt): boolean {
  return network !== Network.neverSent;
}
