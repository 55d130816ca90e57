import type { Deps } from '#context';
import { insertRequests, type RequestRow } from './queries.ts';

const flushEveryMs = 1_000;
/** Most rows that one process keeps: five seconds at 2,000 requests a second, about 4 MB. */
export const heldMax = 10_000;
/** Most rows in one statement; one statement runs each second. */
export const storedMax = 5_000;

export type BufferDeps = Pick<Deps, 'limitsDb' | 'metrics' | 'log'>;

/**
 * Buffers rows for the request log, which is where the rate limits are: in a separate database if there is
 * one, so that reads do not write to the primary server. Requests do not wait for it: a row that does not
 * fit, or that the first try does not store, is dropped and counted.
 */
export class RequestBuffer {
  readonly #deps: BufferDeps;
  #held: RequestRow[] = [];
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor(deps: BufferDeps) {
    this.#deps = deps;
  }

  add(row: RequestRow): void {
    if (this.#held.length < heldMax) this.#held.push(row);
    else this.#deps.metrics.countUnloggedRequests('full', 1);
    this.#arm();
  }

  /** Resolves when everything that is held now is stored or dropped. */
  async drain(): Promise<void> {
    for (let stored = 0; stored <= heldMax; stored += storedMax) await this.#flush();
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => this.#flush(), flushEveryMs).unref();
  }

  /** One statement at a time; others wait for the next one. */
  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#storing = this.#storing.then(() => this.#store(this.#held.splice(0, storedMax)));
    await this.#storing;
    if (this.#held.length > 0) this.#arm();
  }

  async #store(rows: readonly RequestRow[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      await insertRequests(this.#deps.limitsDb, rows);
    } catch (err) {
      this.#deps.metrics.countUnloggedRequests('failed', rows.length);
      this.#deps.log.warn({ err, requests: rows.length }, 'requests are missing in the request log');
    }
  }
}
