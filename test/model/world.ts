// The world of the payout protocol, small enough to visit every state of it: one signer's lane, its rows, its
// chain, its workers. A state does not count faults, so the search covers any number of them in any order.

/** What keeps the world finite. */
export interface Bounds {
  withdrawals: number;
  workers: number;
  /** Bumps and cancels, of all nonces together. */
  bumps: number;
  /** A block with this many confirmations, its own included, is final; any other may be reorganised away. */
  finalDepth: number;
  /** Each withdrawal costs one unit. */
  funded: number;
  /** 1: the database may go back to an earlier state, once. */
  losses?: 0 | 1;
  /** 1: of three nodes one says what it likes; two have to agree. */
  liars?: 0 | 1;
  /** 1: the chain may lose what was final, once. */
  deepReorgs?: 0 | 1;
}

/**
 * Where the world is in a loss of commits: a standby is behind, it was promoted, or the operator has
 * recovered the wallet.
 */
export const Loss = { none: 0, copied: 1, halted: 2, recovered: 3 } as const;
export type Loss = (typeof Loss)[keyof typeof Loss];

/**
 * Where the world is after final payments left the chain: nobody has seen it, the lane is halted, or an
 * operator has sent the bytes again and resumed it.
 */
export const Gone = { none: 0, unseen: 1, halted: 2, resumed: 3 } as const;
export type Gone = (typeof Gone)[keyof typeof Gone];

/** The database at an earlier time. */
export interface Copy {
  statuses: readonly Status[];
  available: number;
  held: number;
  spent: number;
  nextNonce: number;
  slots: { withdrawal: number; isOpen: boolean; stored: number }[];
}

export const Status = { absent: 0, queued: 1, pending: 2, processing: 3, completed: 4, failed: 5 } as const;
export type Status = (typeof Status)[keyof typeof Status];

/** Where signed bytes are. Forgotten bytes left us once: somebody may still have a copy. */
export const Network = { neverSent: 0, inMempool: 1, forgotten: 2 } as const;
export type Network = (typeof Network)[keyof typeof Network];

/** How far a worker has come with what it does. */
export const At = {
  idle: 0,
  laneLocked: 1,
  nonceTaken: 2,
  signed: 3,
  sentUncommitted: 4,
  sending: 5,
  answered: 6,
  answeredWithError: 7,
  bumping: 8,
  cancelling: 9,
  settling: 10,
  refusing: 11,
  preparing: 12,
  heardHonest: 13,
  heardLiar: 14,
} as const;
export type At = (typeof At)[keyof typeof At];

export const nothing = -1;

/** All that a worker knows; it is lost when the worker crashes. */
export interface Worker {
  at: At;
  withdrawal: number;
  nonce: number;
  attempt: number;
  verdict: Status;
}

/** Signed bytes. Their place in the list of their nonce is their fee version. */
export interface Attempt {
  withdrawal: number;
  isCancel: boolean;
  isStored: boolean;
  network: Network;
}

/** All about one nonce: the slot's row, the bytes signed for it, and what the chain made of it. */
export interface Nonce {
  /** The slot's; nothing as long as there is no slot. */
  withdrawal: number;
  isOpen: boolean;
  wasSentLately: boolean;
  attempts: Attempt[];
  mined: number;
  hasPaid: boolean;
  depth: number;
  /** The attempt whose outcome the database has settled. */
  settledBy: number;
}

export interface World {
  statuses: Status[];
  available: number;
  held: number;
  spent: number;
  nextNonce: number;
  lane: Nonce[];
  workers: Worker[];
  loss: Loss;
  copy: Copy | undefined;
  gone: Gone;
}

export const idleWorker: Worker = {
  at: At.idle,
  withdrawal: nothing,
  nonce: nothing,
  attempt: nothing,
  verdict: 0,
};

const unusedNonce = {
  isOpen: false,
  withdrawal: nothing,
  wasSentLately: false,
  mined: nothing,
  hasPaid: false,
  depth: 0,
  settledBy: nothing,
};

export function firstWorld({ withdrawals, workers, funded }: Bounds): World {
  return {
    statuses: Array(withdrawals).fill(Status.absent),
    available: funded,
    held: 0,
    spent: 0,
    nextNonce: 0,
    lane: [],
    workers: Array(workers).fill(idleWorker),
    loss: Loss.none,
    copy: undefined,
    gone: Gone.none,
  };
}

/** An operator has to act before anything is signed. */
export const isHalted = ({ loss, gone }: World) => loss === Loss.halted || gone === Gone.halted;

/** Workers are replaced, never changed, so that copies may share them. */
export function copyOf(world: World): World {
  return {
    ...world,
    statuses: world.statuses.slice(),
    lane: world.lane.map((nonce) => ({
      ...nonce,
      attempts: nonce.attempts.map((attempt) => ({ ...attempt })),
    })),
    workers: world.workers.slice(),
  };
}

export function nonceOf(world: World, number: number): Nonce {
  while (world.lane.length <= number) world.lane.push({ ...unusedNonce, attempts: [] });
  return world.lane[number]!;
}

/**
 * One key for all states that differ only in the names of workers or withdrawals. The rules treat them alike
 * (every amount is one unit), so whatever can follow one of these states can follow the others under the
 * other names.
 */
export function keyMaker({ withdrawals }: Bounds): (world: World) => string {
  const namings = permutations(withdrawals);
  const namingsByFirst = Array.from({ length: withdrawals }, (_, first) =>
    namings.filter((naming) => naming[first] === 0),
  );
  return (world) => {
    // The holder of nonce 0 comes first, which leaves fewer names to try.
    const candidates = namingsByFirst[world.lane[0]?.withdrawal ?? nothing] ?? namings;
    let smallest = keyUnder(candidates[0]!, world);
    for (let at = 1; at < candidates.length; at += 1) {
      const key = keyUnder(candidates[at]!, world);
      if (key < smallest) smallest = key;
    }
    return smallest;
  };
}

function keyUnder(naming: number[], world: World): string {
  const rename = (withdrawal: number) => (withdrawal === nothing ? 0 : naming[withdrawal]! + 1);
  let statuses = 0;
  for (let at = 0; at < naming.length; at += 1) statuses |= world.statuses[at]! << (3 * naming[at]!);
  // Mutants overdraw: the offset leaves room below zero.
  const funds = ((world.available + 8) << 10) | ((world.held + 8) << 5) | (world.spent + 8);
  const units = [
    statuses,
    funds,
    (world.nextNonce << 4) | world.lane.length | (world.loss << 10) | (world.gone << 12),
  ];
  if (world.copy) units.push(...copyUnder(naming, rename, world.copy));
  for (const nonce of world.lane) {
    const { isOpen, withdrawal, wasSentLately, attempts, mined, hasPaid, depth, settledBy } = nonce;
    const row =
      Number(isOpen) | (rename(withdrawal) << 2) | (Number(wasSentLately) << 5) | (attempts.length << 6);
    units.push(row | ((mined + 1) << 9) | (Number(hasPaid) << 12) | (depth << 13), settledBy + 1);
    for (const { withdrawal, isCancel, isStored, network } of attempts) {
      units.push(rename(withdrawal) | (Number(isCancel) << 3) | (Number(isStored) << 4) | (network << 5));
    }
  }
  const workers = world.workers.map(
    ({ at, withdrawal, nonce, attempt, verdict }) =>
      at | (rename(withdrawal) << 4) | ((nonce + 1) << 7) | ((attempt + 1) << 10) | (verdict << 13),
  );
  workers.sort((one, other) => one - other);
  units.push(...workers);
  return String.fromCharCode.apply(null, units);
}

function copyUnder(naming: number[], rename: (withdrawal: number) => number, copy: Copy): number[] {
  let statuses = 0;
  for (let at = 0; at < naming.length; at += 1) statuses |= copy.statuses[at]! << (3 * naming[at]!);
  const slots = copy.slots.map(
    ({ withdrawal, isOpen, stored }) => Number(isOpen) | (rename(withdrawal) << 1) | (stored << 4),
  );
  const funds = ((copy.available + 8) << 10) | ((copy.held + 8) << 5) | (copy.spent + 8);
  return [statuses, funds, (copy.nextNonce << 4) | slots.length, ...slots];
}

function permutations(length: number): number[][] {
  if (length === 0) return [[]];
  return permutations(length - 1).flatMap((shorter) =>
    Array.from({ length }, (_, at) => shorter.toSpliced(at, 0, length - 1)),
  );
}
