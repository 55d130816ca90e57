import type { RateLimiter, RatePolicy, RateVerdict } from './policy.ts';

/** Admitted requests by subject: those of the current window and those of the previous one. */
interface Generations {
  startedAt: number;
  young: Map<string, Admitted>;
  old: Map<string, Admitted>;
}

/** Times of admitted requests; those before `first` are over. */
interface Admitted {
  times: number[];
  first: number;
}

/**
 * For a single process. Keeps the times of admitted requests, at most twice `quota` for each subject, and
 * forgets a subject only when its window is empty: a flood of other subjects never evicts one, so it cannot
 * weaken the limit.
 */
export function createMemoryLimiter(monotonicMs: () => number = () => performance.now()): RateLimiter {
  const policies = new Map<string, Generations>();

  const admit = (policy: RatePolicy, subject: string): RateVerdict => {
    const now = monotonicMs();
    const { young, old } = generationsAt(policies, policy, now);
    const earlier = young.get(subject) ?? old.get(subject) ?? { times: [], first: 0 };
    dropUntil(earlier, now - policy.windowMs);
    const { times, first } = earlier;
    const admitted = times.length - first < policy.quota;
    if (admitted) {
      times.push(now);
      young.set(subject, earlier);
    }
    return {
      admitted,
      remaining: policy.quota - (times.length - first),
      resetMs: times[first]! + policy.windowMs - now,
    };
  };

  return {
    admit: async (policy, subject) => admit(policy, subject),
    async admitByAll(limits) {
      const verdicts: RateVerdict[] = [];
      for (const { policy, subject } of limits) {
        verdicts.push(admit(policy, subject));
        if (!verdicts.at(-1)!.admitted) break;
      }
      return verdicts;
    },
  };
}

/**
 * Removes times that are over only when they are half of all: `shift` moves all others each time, which took
 * 3 µs with 20,000.
 */
function dropUntil(admitted: Admitted, over: number): void {
  const { times } = admitted;
  while (admitted.first < times.length && times[admitted.first]! <= over) admitted.first += 1;
  if (admitted.first * 2 < times.length) return;
  times.splice(0, admitted.first);
  admitted.first = 0;
}

/**
 * An admitted subject is in `young`, so a subject that is only in `old` a whole window later has an empty
 * window, and the map is dropped unread. Scanning a million subjects instead blocked the event loop for 450
 * ms.
 */
function generationsAt(policies: Map<string, Generations>, policy: RatePolicy, now: number): Generations {
  const known = policies.get(policy.name);
  if (known && now < known.startedAt + policy.windowMs) return known;
  const next = { startedAt: now, young: new Map(), old: known?.young ?? new Map() };
  policies.set(policy.name, next);
  return next;
}
