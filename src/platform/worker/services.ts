import type { Pool } from '../db/db.ts';

/**
 * Work that a worker does all the time and not in turns: what takes long must not delay the rest. Like a job,
 * it must be safe to run in any number of workers.
 */
export interface Service<Deps> {
  name: string;
  /** A PostgreSQL channel: `wake` is called for each notification. */
  wokenBy: string;
  start(deps: Deps): RunningService;
}

export interface RunningService {
  wake(): void;
  /** Starts nothing new and waits for what is running. */
  stop(): Promise<void>;
}

export function runServices<Deps extends { db: Pool }>(
  services: readonly Service<Deps>[],
  deps: Deps,
): { stop(): Promise<void> } {
  const running = services.map(({ wokenBy, start }) => {
    const service = start(deps);
    const listener = deps.db.listen(wokenBy, () => service.wake());
    return { service, listener };
  });
  return {
    async stop() {
      await Promise.all(running.map(({ listener }) => listener.stop()));
      await Promise.all(running.map(({ service }) => service.stop()));
    },
  };
}
