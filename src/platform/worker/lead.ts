import type { Pool } from '../db/db.ts';
import type { Log } from '../observe/log.ts';
import { endLease, isLeaseFree, renewLease, takeLease } from './lease.ts';

export interface LeadTiming {
  /** Without a sign of life for this long, the lead is free. */
  leadMs: number;
  /** How long an answer about the lead is believed. */
  believeMs: number;
  /** Workers without the lead have a turn of each job this often, in case the one that leads cannot work. */
  standbyMs: number;
}

export const usualLeadTiming: LeadTiming = { leadMs: 4_000, believeMs: 1_000, standbyMs: 10_000 };

/**
 * A worker's place in the competition for a lead. Unlike the lease of a job this only saves work: rows guard
 * what the jobs do, so two workers may lead for a moment, and a turn of one that does not lead does no harm.
 */
export class Lead {
  readonly #db: Pool;
  readonly #log: Log;
  readonly #name: string;
  readonly #timing: LeadTiming;
  readonly #stoodByAt = new Map<string, number>();
  #turn: bigint | undefined;
  #believedUntil = Number.NEGATIVE_INFINITY;
  #asking: Promise<boolean> | undefined;

  constructor({ db, log }: { db: Pool; log: Log }, name: string, timing: LeadTiming) {
    this.#db = db;
    this.#log = log;
    this.#name = name;
    this.#timing = timing;
  }

  /** Whether this worker has the next turn of a job: always if it leads, else now and then. */
  async hasTurn(job: string): Promise<boolean> {
    if (await this.isOurs()) return true;
    const now = performance.now();
    if (now - (this.#stoodByAt.get(job) ?? Number.NEGATIVE_INFINITY) < this.#timing.standbyMs) return false;
    this.#stoodByAt.set(job, now);
    return true;
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
    const [db, name, held] = [this.#db, this.#name, this.#turn];
    const askedAt = performance.now();
    const isKept = held !== undefined && (await renewLease(db, name, held, leadMs));
    // Asking first, because trying to take it would lock its row.
    const taken = !isKept && (await isLeaseFree(db, name)) ? await takeLease(db, name, leadMs) : undefined;
    this.#turn = isKept ? held : taken;
    this.#believedUntil = askedAt + believeMs;
    if (taken !== undefined) this.#log.info({ lead: name }, 'this worker leads');
    else if (held !== undefined && !isKept) this.#log.info({ lead: name }, 'another worker leads');
    return this.#turn !== undefined;
  }

  /** At a stop: another worker may take it at once, beside turns that are still running here. */
  async end(): Promise<void> {
    await this.#asking?.catch(() => undefined);
    this.#believedUntil = Number.POSITIVE_INFINITY;
    const held = this.#turn;
    this.#turn = undefined;
    // If this fails, the lead is free after `leadMs`.
    if (held !== undefined) await endLease(this.#db, this.#name, held).catch(() => undefined);
  }
}
