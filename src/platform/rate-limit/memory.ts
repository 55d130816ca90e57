import type { RateLimiter, RatePolicy, RateVerdict } from './policy.ts';

/** Times of admitted requests by subject: those of the current window and those of the previous one. */
interface Generations {
  startedAt: number;
  young: Map<string, number[]>;
  old: Map<string, number[]>;
}

/**
 * For a single process. Keeps the times of admitted requests, at most `quota` for each subject, and forgets a
 * subject only when its window is empty: a flood of other subjects never evicts one, so it cannot weaken the
 * limit.
 */
export function createMemoryLimiter(monotonicMs: () => number = () => performance.now()): RateLimiter {
  const policies = new Map<string, Generations>();

  const admit = (policy: RatePolicy, subject: string): RateVerdict => {
    const now = monotonicMs();
    const { young, old } = generationsAt(policies, policy, now);
    const admittedAt = young.get(subject) ?? old.get(subject) ?? [];
    while (admittedAt.length > 0 && admittedAt[0]! <= now - policy.windowMs) admittedAt.shift();
    const admitted = admittedAt.length < policy.quota;
    if (admitted) {
      admittedAt.push(now);
      young.set(subject, admittedAt);
    }
    return {
      admitted,
      remaining: policy.quota - admittedAt.length,
      resetMs: admittedAt[0]! + policy.windowMs - now,
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
