import type { Pool } from '../db/db.ts';
import { endLease, renewLease, takeLease } from './lease.ts';

/** Jobs that one worker at a time runs, all of them. */
export interface Lead<Deps> {
  /** Workers that say the same name compete. */
  name(deps: Deps): string;
  /** Whether this worker reaches what the jobs need. If not, it lets others try. */
  isAble(deps: Deps): boolean;
}

export interface LeadTiming {
  /** Without a sign of life for this long, the lead is free. */
  leadMs: number;
  /** How long an answer about the lead is believed. */
  believeMs: number;
  /** After a worker has given it up, others have this long to take it. */
  yieldMs: number;
  /** It does not give it up again before that: where no worker is able, each does what it can. */
  keepMs: number;
}

export const usualLeadTiming: LeadTiming = {
  leadMs: 4_000,
  believeMs: 1_000,
  yieldMs: 2_500,
  keepMs: 30_000,
};

/**
 * A worker's place in the competition for a lead. Unlike the lease of a job this only saves work: a worker
 * that was frozen may go on for a moment beside the next one, and rows guard what the jobs do.
 */
export class HeldLead {
  readonly #db: Pool;
  readonly #name: string;
  readonly #timing: LeadTiming;
  #turn: bigint | undefined;
  #believedUntil = 0;
  #keptUntil = 0;
  #asking: Promise<boolean> | undefined;

  constructor(db: Pool, name: string, timing: LeadTiming) {
    this.#db = db;
    this.#name = name;
    this.#timing = timing;
  }

  /** Takes it if it is free. Rejects if the database does not answer. */
  async isOurs(): Promise<boolean> {
    if (performance.now() < this.#believedUntil) return this.#turn !== undefined;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<boolean> {
    const { leadMs, believeMs } = this.#timing;
    const askedAt = performance.now();
    const held = this.#turn;
    if (held !== undefined && !(await renewLease(this.#db, this.#name, held, leadMs))) this.#turn = undefined;
    this.#turn ??= await takeLease(this.#db, this.#name, leadMs);
    this.#believedUntil = Math.max(this.#believedUntil, askedAt + believeMs);
    return this.#turn !== undefined;
  }

  /** Lets others try, because this worker cannot do the work. If none does, it tries again after a while. */
  async yield(): Promise<void> {
    await this.#asking?.catch(() => undefined);
    const now = performance.now();
    if (now < this.#keptUntil || this.#turn === undefined) return;
    this.#keptUntil = now + this.#timing.keepMs;
    this.#believedUntil = now + this.#timing.yieldMs;
    await this.end();
  }

  /** Another worker may take it at once. */
  async end(): Promise<void> {
    const held = this.#turn;
    this.#turn = undefined;
    if (held === undefined) return;
    // If this fails, the lead is free after `leadMs`.
    await endLease(this.#db, this.#name, held).catch(() => undefined);
  }
}
