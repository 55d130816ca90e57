export interface Part {
  stop(): Promise<void>;
}

/** Ctrl-C came during the start: not an error, but the start stops here. */
export class Interrupted extends Error {}

export interface Lifecycle {
  /** Waits for all parts that start at the same time, so that none is left starting when one fails. */
  begin<T extends Part[]>(...starting: { [K in keyof T]: Promise<T[K]> }): Promise<T>;
  /** Stops what has started, the last one first. */
  stopAll(): Promise<void>;
  /** For a signal at any moment: `begin` notices it when the parts under way are there to be stopped. */
  interrupt(): void;
}

export function createLifecycle(): Lifecycle {
  const started: Part[] = [];
  let isInterrupted = false;
  return {
    async begin<T extends Part[]>(...starting: { [K in keyof T]: Promise<T[K]> }) {
      const outcomes = await Promise.allSettled(starting);
      started.push(...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
      if (isInterrupted) throw new Interrupted();
      return started.slice(-starting.length) as T;
    },
    async stopAll() {
      for (let part = started.pop(); part; part = started.pop()) await part.stop();
    },
    interrupt() {
      isInterrupted = true;
    },
  };
}
