import { DatabaseUnavailable } from '../errors/errors.ts';
import type { Log } from '../observe/log.ts';
import { createPlaceReader } from './ask-place.ts';
import { createChooser, type Replica } from './choose-replica.ts';
import { confirmCommits } from './confirm.ts';
import { type Db, isRefusedInRecovery, type Pool, type Row } from './db.ts';
import { type Miss, type Read, type Replayed, readReplica, untilReplayed } from './read-replica.ts';
import type { Place } from './replica-queries.ts';

export interface ReplicaOptions {
  replicas: readonly Pool[];
  /** A replica may then show what the primary server does not show yet. */
  isSynchronous: boolean;
  log: Log;
  /** For each statement that a replica may answer; `why`, if the primary server did. */
  count(server: 'replica' | 'primary', why?: Why): void;
}

/** `moved`: an earlier statement of the request was there; `resting`: no replica was to be asked. */
export type Why = Miss | 'moved' | 'resting' | 'refused' | 'failed';

/** What is known of a request whose statements replicas may answer. */
interface Reading {
  /** It may not see less. */
  seen?: Promise<Place>;
  isOnPrimary: boolean;
  wasOnReplica: boolean;
}

/**
 * The primary server's pool, with reads that replicas serve and that are never stale. A request asks the
 * primary server how far its log is, and a replica serves the request once it has replayed that much.
 */
export function withReplicas(primary: Pool, options: ReplicaOptions): Pool {
  const { replicas, isSynchronous, count } = options;
  const readThere = createReader(primary, options);
  const keys = { replica: {}, primary: {} };

  /** From here on the requests stay there: a replica may be behind what this shows. */
  const moveToPrimary = async (requests: readonly Reading[]) => {
    for (const request of requests) request.isOnPrimary = true;
    if (isSynchronous && requests.some(({ wasOnReplica }) => wasOnReplica)) await confirmCommits(primary);
    for (const request of requests) request.wasOnReplica = false;
  };
  const readingFor = (requests: readonly Reading[]): Db => ({
    async query<T extends Row>(text: string, values?: readonly unknown[]) {
      if (!writes(text)) {
        const answer = await readThere<T>(requests, text, values);
        if (typeof answer !== 'string') {
          count('replica');
          for (const request of requests) request.wasOnReplica = true;
          return answer;
        }
        count('primary', answer);
      }
      await moveToPrimary(requests);
      return primary.query<T>(text, values);
    },
    async transaction(work) {
      await moveToPrimary(requests);
      return primary.transaction(work);
    },
  });
  const open = (requests: readonly unknown[]) => readingFor(requests as Reading[]);

  return {
    ...primary,
    reading() {
      const request: Reading = { isOnPrimary: false, wasOnReplica: false };
      return {
        ...readingFor([request]),
        get sharing() {
          return { key: request.isOnPrimary ? keys.primary : keys.replica, request, open };
        },
      };
    },
    cutOff() {
      for (const { cutOff } of [primary, ...replicas]) cutOff();
    },
    async end() {
      await Promise.all([primary, ...replicas].map((pool) => pool.end()));
    },
  };
}

/** Reads from a replica, or says why the primary server must answer. */
function createReader(primary: Pool, { replicas, log }: ReplicaOptions) {
  const placeReader = createPlaceReader(primary);
  const { hasAwake, choose } = createChooser(replicas);
  const replayed: Replayed = new WeakMap();

  const readFrom = async <T extends Row>(replica: Replica, requests: readonly Reading[], read: Read) => {
    const answer = await readReplica<T>(replica.pool, replayed, read);
    if (answer === 'behind') replica.restWhile(() => untilReplayed(replica.pool, replayed, read.wanted));
    if (answer === 'foreign') {
      placeReader.forgetMarks();
      replica.restForeign();
    }
    if (typeof answer === 'string') return answer;
    replica.praise();
    for (const request of requests) raise(request, answer.place);
    answer.place.catch(() => replica.blame());
    return answer.rows;
  };
  return async <T extends Row>(
    requests: readonly Reading[],
    text: string,
    values: readonly unknown[] | undefined,
  ): Promise<T[] | Why> => {
    if (requests.some(({ isOnPrimary }) => isOnPrimary)) return 'moved';
    if (!hasAwake()) return 'resting';
    let replica: Replica | undefined;
    try {
      const wanted = await placeFor(requests, placeReader.ask);
      if (requests.some(({ isOnPrimary }) => isOnPrimary)) return 'moved';
      if (wanted.mark === undefined) return 'foreign';
      replica = choose();
      if (!replica) return 'resting';
      return await readFrom<T>(replica, requests, { wanted, text, values });
    } catch (error) {
      if (isTimeout(error)) replica?.praise();
      // Without a replica, it was the primary server that did not answer.
      if (isTimeout(error) || (!replica && error instanceof DatabaseUnavailable)) throw error;
      if (replica && isRefusedInRecovery(error)) {
        noteWriting(text);
        replica.praise();
        return 'refused';
      }
      log.warn({ err: error }, 'a replica did not answer a read; the primary server does');
      replica?.blame();
      return 'failed';
    }
  };
}

/** What all these requests must see. The place is asked for only if one of them has none yet. */
function placeFor(requests: readonly Reading[], ask: () => Promise<Place>): Promise<Place> {
  const known = requests.flatMap(({ seen }) => seen ?? []);
  const place = latestOf(known.length < requests.length ? [...known, ask()] : known);
  for (const request of requests) request.seen = place;
  return place;
}

/** If the replica fails before it says how far it was, only the primary server surely shows as much. */
function raise(request: Reading, place: Promise<Place>): void {
  const before = request.seen!;
  request.seen = latestOf([before, place]).catch(() => {
    request.isOnPrimary = true;
    return before;
  });
  // Nobody may ask again.
  request.seen.catch(() => undefined);
}

/**
 * Statements of a request may run at once, and end in any order. Places with unlike marks are of unlike
 * histories, and only the primary server is after both: then the result has none.
 */
async function latestOf(asked: readonly Promise<Place>[]): Promise<Place> {
  const places = await Promise.all(asked);
  const latest = places.reduce((one, other) => (other.position >= one.position ? other : one));
  return places.every(({ mark }) => mark === latest.mark) ? latest : { ...latest, mark: undefined };
}

/** Would fail on a replica, or lock nothing that matters. A function that does is found by its error. */
const writing = /\b(insert|update|delete|merge|share|nextval|notify|pg_notify|set_config)\b|advisory/i;
const known = new Map<string, boolean>();
const knownMax = 2_000;

function writes(text: string): boolean {
  const answer = known.get(text) ?? writing.test(text);
  if (known.size < knownMax) known.set(text, answer);
  return answer;
}

function noteWriting(text: string): void {
  if (known.size < knownMax || known.has(text)) known.set(text, true);
}

/** `query_canceled`: the statement takes too long, and would on the primary server. */
const isTimeout = (error: unknown) =>
  error instanceof DatabaseUnavailable && (error.cause as { code?: string } | undefined)?.code === '57014';
