import { type EventReader, newsMax, selectNews } from '#features/events';
import type { Pool } from '#platform/db/db';
import type { Listener } from '#platform/db/listen';

/** What a request waits for: an event of the stream, of these types, that the reader may see. */
export interface Interest {
  streamId: bigint;
  reader: EventReader;
  types?: readonly string[] | undefined;
}

/** One request that waits. */
export class Visit {
  readonly interest: Interest;
  isOver = false;
  #end!: () => void;
  readonly ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  constructor(interest: Interest) {
    this.interest = interest;
  }

  end(): void {
    this.isOver = true;
    this.#end();
  }
}

/** Notifications can be lost with their connection, so all streams are looked at after this time. */
const lookAgainMs = 3_000;

/**
 * Where requests wait for events. One database connection listens for all of them, and one query reads what
 * is new in all streams that were named: a request is woken only by an event that it is interested in.
 */
export class WaitingRoom {
  readonly #db: Pool;
  readonly #visits = new Map<bigint, Set<Visit>>();
  /** How far each stream was read. */
  readonly #seen = new Map<bigint, bigint>();
  #listener: Listener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #named = new Set<bigint>();
  #isClosed = false;

  constructor(db: Pool) {
    this.#db = db;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** How many wait, of everybody and of this reader. */
  count({ userId, integrationId, partnerId }: EventReader): { all: number; own: number } {
    let [all, own] = [0, 0];
    for (const visits of this.#visits.values()) {
      all += visits.size;
      for (const { interest } of visits) {
        const { reader } = interest;
        const isOwn = reader.partnerId === partnerId && reader.integrationId === integrationId;
        if (isOwn && reader.userId === userId) own += 1;
      }
    }
    return { all, own };
  }

  /**
   * Enter before the feed is read, from `last` on: an event that comes in between ends the visit. Always
   * `leave`.
   */
  enter(interest: Interest, last: bigint): Visit {
    const visit = new Visit(interest);
    if (this.#isClosed) visit.end();
    this.#listener ??= this.#db.listen('events', (payload) => this.#notice(payload));
    this.#timer ??= setInterval(() => this.#notice(undefined), lookAgainMs).unref();
    const { streamId } = interest;
    const visits = this.#visits.get(streamId) ?? new Set();
    this.#visits.set(streamId, visits.add(visit));
    const seen = this.#seen.get(streamId);
    if (seen === undefined || seen > last) this.#seen.set(streamId, last);
    return visit;
  }

  leave(visit: Visit): void {
    visit.end();
    const { streamId } = visit.interest;
    const visits = this.#visits.get(streamId);
    visits?.delete(visit);
    if (visits?.size !== 0) return;
    this.#visits.delete(streamId);
    this.#seen.delete(streamId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const visits of this.#visits.values()) for (const visit of visits) visit.end();
    await this.#listener?.stop();
  }

  /** The ids of streams with new events; without a payload, all may have some. */
  #notice(payload: string | undefined): void {
    const ids = payload ? payload.split(' ').map(BigInt) : [...this.#visits.keys()];
    for (const id of ids) if (this.#visits.has(id)) this.#named.add(id);
    if (this.#named.size > 0) this.#reading ??= this.#read().finally(() => this.#afterReading());
  }

  #afterReading(): void {
    this.#reading = undefined;
    if (this.#named.size > 0 && !this.#isClosed)
      this.#reading = this.#read().finally(() => this.#afterReading());
  }

  async #read(): Promise<void> {
    const streams = [...this.#named].map((id) => ({ id, after: this.#seen.get(id) ?? 0n }));
    this.#named = new Set();
    // A failure is not lost: the streams are looked at again.
    const news = await selectNews(this.#db, streams).catch(() => []);
    for (const [id, some] of Map.groupBy(news, ({ streamId }) => streamId)) {
      if (some.length === newsMax) this.#named.add(id);
    }
    for (const { streamId, sequence, type, userId } of news) {
      this.#seen.set(streamId, sequence);
      for (const visit of this.#visits.get(streamId) ?? []) {
        const { types, reader } = visit.interest;
        const isVisible = reader.integrationId !== undefined || userId === null || userId === reader.userId;
        if (isVisible && (types === undefined || types.includes(type))) visit.end();
      }
    }
  }
}
