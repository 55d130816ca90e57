/** What a number of processes reached, and what they used for it. */
export interface Figures {
  processes: number;
  perSecond: number;
  /** Cores of the machine, and how many of them each used on average. */
  cores: number;
  used: Used;
  /** Of sessions with something to do: the share that waited, by what for. */
  waiting: Record<string, number>;
}

export interface Used {
  /** The measured processes together. */
  processes: number;
  database: number;
  /** Callers, and for payouts the chain. */
  callers: number;
  /** Everything else on the machine. */
  others: number;
}

/** From this share on, CPU counts as used up. */
export const fullShare = 0.85;
/** From this share of the sessions on, what they wait for is the limit. */
const waitingShare = 0.3;
/** Below this share of the rate of one process, a rate is a drop. */
const dropShare = 0.85;

export const busyShare = ({ used, cores }: Figures): number =>
  Object.values(used).reduce((sum, one) => sum + one, 0) / cores;

/**
 * The first of these that holds: the machine has no CPU left (if half of what is used is the database's, that
 * is named); each measured process, or the callers, have used up a core, and cannot use more; sessions wait
 * for one thing.
 */
export function nameLimit(figures: Figures): string {
  const { used, processes, waiting } = figures;
  const total = Object.values(used).reduce((sum, one) => sum + one, 0);
  if (busyShare(figures) >= fullShare) {
    return used.database >= total / 2 ? 'CPU of the database' : 'CPU of the machine';
  }
  if (used.processes / processes >= fullShare) return 'CPU of the process';
  if (used.callers >= fullShare) return 'CPU of the callers';
  const [most] = Object.entries(waiting).sort(([, one], [, other]) => other - one);
  if (most && most[1] >= waitingShare) return most[0];
  return 'no limit found';
}

export interface Verdict {
  ratio: number;
  isDrop: boolean;
  isExplained: boolean;
}

/** A drop against one process is explained if there was no CPU left. */
export function judge(figures: Figures, ofOne: Figures): Verdict {
  const ratio = figures.perSecond / ofOne.perSecond;
  const isDrop = ratio < dropShare;
  return { ratio, isDrop, isExplained: !isDrop || busyShare(figures) >= fullShare };
}
