import type { Log } from '../observe/log.ts';

/**
 * What stands in the way of a job right now. It is logged when it changes, because every turn would be noise.
 */
export class Trouble {
  now: string | undefined;
  readonly #facts: Record<string, string>;
  readonly #words: { begins: string; ends: string };

  constructor(facts: Record<string, string>, words: { begins: string; ends: string }) {
    this.#facts = facts;
    this.#words = words;
  }

  report(log: Log, trouble: string | undefined): void {
    if (trouble === this.now) return;
    if (trouble) log.warn({ ...this.#facts, trouble }, this.#words.begins);
    else log.info({ ...this.#facts, trouble: this.now }, this.#words.ends);
    this.now = trouble;
  }

  /** A trouble that only a person can end. */
  reportHalt(log: Log, reason: string, message: string): void {
    if (reason === this.now) return;
    log.error({ ...this.#facts, reason }, message);
    this.now = reason;
  }
}
