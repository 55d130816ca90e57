import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked } from './load.ts';
import type { World as AnyWorld, WorldDatabase } from './world.ts';

type World = AnyWorld<WorldDatabase>;

export interface Freezer {
  /** Has the token freeze the recipient soon, or when the withdrawal is signed. */
  freeze(one: Asked, isAfterSigning: boolean): void;
  /** Undefined if the request was lost and nobody repeats it. */
  idOf(key: string): Promise<string | undefined>;
  finish(): Promise<void>;
}

/** The issuer of the tokens, who freezes accounts one after another. */
export function createFreezer({ chain, deps }: World): Freezer {
  const waiting = new Set<Promise<void>>();
  let last = Promise.resolve();
  let isOver = false;

  return {
    freeze(one, isAfterSigning) {
      const wait = (isAfterSigning ? waitUntilSigned(one.key) : Promise.resolve()).then(() => {
        waiting.delete(wait);
        last = last.then(() => freezeNow(one));
      });
      waiting.add(wait);
    },
    idOf: async (key) => (await look(key))?.id,
    async finish() {
      isOver = true;
      await Promise.all(waiting);
      await last;
    },
  };

  /**
   * A reorganisation may take the issuer's transaction away: then the recipient is not frozen, and is paid.
   */
  async function freezeNow({ symbol, to }: Asked): Promise<void> {
    if (!isOver) await chain.setFrozen(symbol, to, true).catch(() => {});
  }

  async function waitUntilSigned(key: string): Promise<void> {
    while (!isOver) {
      const status = (await look(key))?.status;
      if (status !== 'queued' && status !== 'pending') return;
      await sleep(100);
    }
  }

  /**
   * Again and again while the database is away, or has lost the request and it is not repeated yet; for two
   * minutes.
   */
  async function look(key: string): Promise<{ id: string; status: string } | undefined> {
    for (const deadline = Date.now() + 120_000; Date.now() < deadline && !isOver; ) {
      const rows = await deps.db
        .query<{ id: string; status: string }>(
          'select id, status from withdrawals where idempotency_key = $1',
          [key],
        )
        .catch(() => []);
      if (rows[0]) return rows[0];
      await sleep(100);
    }
    return undefined;
  }
}
