import type { Pool } from './db.ts';

/** How long a replica is left alone that failed, longer each time, and one that follows another server. */
const restMs = { failed: 500, failedMax: 10_000, foreign: 50 };

export interface Replica {
  pool: Pool;
  /** It is behind: left alone until `work` ends. */
  restWhile(work: () => Promise<unknown>): void;
  /** It has another server's mark, or an older one. */
  restForeign(): void;
  /** It failed. When its rest is over, one request tries it first. */
  blame(): void;
  praise(): void;
}

export interface Chooser {
  hasAwake(): boolean;
  /** In turn, one of those that do not rest. */
  choose(): Replica | undefined;
}

export function createChooser(pools: readonly Pool[]): Chooser {
  const all = pools.map(createReplica);
  let turn = 0;
  return {
    hasAwake: () => all.some((one) => one.isAwake()),
    choose() {
      const awake = all.filter((one) => one.isAwake());
      turn += 1;
      const chosen = awake[turn % awake.length];
      chosen?.take();
      return chosen;
    },
  };
}

function createReplica(pool: Pool) {
  let [restsUntil, failures] = [0, 0];
  let [isTried, isCatchingUp] = [false, false];
  const rest = (ms: number) => {
    restsUntil = performance.now() + ms;
    isTried = false;
  };
  const blame = () => {
    rest(Math.min(restMs.failed * 2 ** failures, restMs.failedMax));
    failures += 1;
  };
  return {
    pool,
    restForeign: () => rest(restMs.foreign),
    blame,
    praise: () => {
      [failures, isTried] = [0, false];
    },
    restWhile: (work: () => Promise<unknown>) => {
      isTried = false;
      if (isCatchingUp) return;
      isCatchingUp = true;
      work()
        .catch(blame)
        .finally(() => {
          isCatchingUp = false;
        });
    },
    isAwake: () => restsUntil <= performance.now() && !isTried && !isCatchingUp,
    take: () => {
      isTried = failures > 0;
    },
  };
}
