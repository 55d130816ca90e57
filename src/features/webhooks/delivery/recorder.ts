import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '#context';
import { type Attempt, recordAttempts } from '../queries/claims.ts';

const batchMax = 200;
const retryMs = 500;

export interface Recorder {
  /** Resolves when the attempt is stored. */
  record(attempt: Attempt): Promise<void>;
  /** From now on a failure is final: what is not stored is sent again when its claim ends. */
  stop(): void;
}

/**
 * Stores attempts that end at about the same time in one statement, and tries again while the database is
 * away. Nothing accumulates: a delivery that is not stored keeps its place among those that are sent.
 */
export function startRecorder({ db, clock, log }: Deps): Recorder {
  const waiting: { attempt: Attempt; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let isWriting = false;
  let isStopping = false;

  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchMax);
      const attempts = batch.map(({ attempt }) => attempt);
      try {
        await recordAttempts(db, attempts, clock());
        for (const { resolve } of batch) resolve();
      } catch (err) {
        log.warn({ err }, 'outcomes of webhooks could not be stored; retrying');
        if (isStopping) for (const { reject } of batch) reject(err);
        else {
          waiting.unshift(...batch);
          await sleep(retryMs);
        }
      }
    }
    isWriting = false;
  };

  return {
    record: (attempt) =>
      new Promise((resolve, reject) => {
        waiting.push({ attempt, resolve, reject });
        if (isWriting) return;
        isWriting = true;
        void write();
      }),
    stop: () => {
      isStopping = true;
    },
  };
}
