import type { Pool } from '#platform/db/db';
import type { Listener } from '#platform/db/listen';

interface Visit {
  streamId: bigint | null;
  leave(): void;
}

/** Notifications can be lost with their connection, so a reader looks again after this time. */
const lookAgainMs = 3_000;

/** Where requests wait for the next event: one database connection for all of them. */
export class WaitingRoom {
  readonly #db: Pool;
  readonly #visits = new Set<Visit>();
  #listener: Listener | undefined;
  #isClosed = false;

  constructor(db: Pool) {
    this.#db = db;
  }

  get size(): number {
    return this.#visits.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Resolves when the stream has a new event, at the latest after `waitMs`, when the caller has gone, or when
   * the server stops. A reader without a stream waits for all streams.
   */
  wait(streamId: bigint | null, waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isClosed || signal.aborted) return Promise.resolve();
    this.#listener ??= this.#db.listen('events', (payload) => this.#wake(payload));
    return new Promise((resolve) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        this.#visits.delete(visit);
        resolve();
      };
      const timer = setTimeout(leave, Math.min(waitMs, lookAgainMs));
      const visit = { streamId, leave };
      this.#visits.add(visit);
      signal.addEventListener('abort', leave);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { leave } of this.#visits) leave();
    await this.#listener?.stop();
  }

  #wake(payload: string | undefined): void {
    const streams = payload ? new Set(payload.split(' ')) : undefined;
    for (const { streamId, leave } of this.#visits) {
      if (!streams || streamId === null || streams.has(String(streamId))) leave();
    }
  }
}
