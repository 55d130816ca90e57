import type { IssuedKey } from '#features/keys';

export interface KeyPool<Owner> {
  /** One that has requests left in its user's allowance, made where none has; the request is counted. */
  take(): Promise<Owner>;
  readonly size: number;
}

/** Just below the product’s 60 in 10 seconds, as an event loop and a clock are not quite in step. */
const usesMax = 55;
const windowMs = 10_500;

/**
 * Keys of as many users as it takes, so that what is sent in quick succession is never refused for its
 * number.
 */
export function createKeyPool<Owner extends Pick<IssuedKey, 'token'>>(
  make: () => Promise<Owner>,
): KeyPool<Owner> {
  const places: { owner: Owner; usedAt: number[] }[] = [];
  let at = 0;
  let making: Promise<void> | undefined;
  const tryTake = () => {
    for (let tried = 0; tried < places.length; tried++, at++) {
      const { owner, usedAt } = places[at % places.length]!;
      const now = performance.now();
      // The product's window slides, and so does this one.
      while (usedAt[0] !== undefined && usedAt[0] < now - windowMs) usedAt.shift();
      if (usedAt.length < usesMax) {
        usedAt.push(now);
        return owner;
      }
    }
    return undefined;
  };
  return {
    get size() {
      return places.length;
    },
    async take() {
      for (;;) {
        const owner = tryTake();
        if (owner) return owner;
        making ??= make().then((owner) => {
          places.push({ owner, usedAt: [] });
          making = undefined;
        });
        await making;
      }
    },
  };
}
