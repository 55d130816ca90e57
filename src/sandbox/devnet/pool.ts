/** As received: signed bytes, or a request of an impersonated account. */
export type Sent = { raw: string } | { request: Record<string, string> };

export interface Waiting {
  hash: string;
  /** In lower case. */
  sender: string;
  nonce: number;
  maxFee: bigint;
  sent: Sent;
}

/**
 * The transactions that wait for a block. The engine has them too, but counts a pending nonce by executing
 * all of them: 513 ms at 1,000, and wrong beyond what fits into one block.
 */
export interface Pool {
  readonly size: number;
  /** Replaces one with the same sender and nonce. */
  add(waiting: Waiting): void;
  remove(hash: string): void;
  clear(): void;
  all(): Waiting[];
  senders(): string[];
  at(sender: string, nonce: number): Waiting | undefined;
  /** The first nonce from `latest` on without a waiting transaction. */
  nextNonce(sender: string, latest: number): number;
}

export function createPool(): Pool {
  const byHash = new Map<string, Waiting>();
  const bySender = new Map<string, Map<number, Waiting>>();
  const at = (sender: string, nonce: number) => bySender.get(sender)?.get(nonce);

  function remove(hash: string): void {
    const waiting = byHash.get(hash);
    if (!waiting) return;
    byHash.delete(hash);
    const places = bySender.get(waiting.sender)!;
    places.delete(waiting.nonce);
    if (places.size === 0) bySender.delete(waiting.sender);
  }

  return {
    get size() {
      return byHash.size;
    },
    add(waiting) {
      const { hash, sender, nonce } = waiting;
      const former = at(sender, nonce);
      if (former) remove(former.hash);
      byHash.set(hash, waiting);
      const places = bySender.get(sender) ?? new Map<number, Waiting>();
      bySender.set(sender, places.set(nonce, waiting));
    },
    remove,
    clear() {
      byHash.clear();
      bySender.clear();
    },
    all: () => [...byHash.values()],
    senders: () => [...bySender.keys()],
    at,
    nextNonce(sender, latest) {
      let next = latest;
      while (at(sender, next) && Number.isSafeInteger(next)) next += 1;
      return next;
    },
  };
}
