import type { IssuedKey } from '#features/keys';

export interface KeyPool<Owner> {
  /** A key with requests left in its user's allowance, created if necessary; the request is counted. */
  take(): Promise<Owner>;
  readonly size: number;
}

/**
 * Just below the product’s 60 in 10 seconds, because the event loop and the clock are not exactly in step.
 */
const usesMax = 55;
const windowMs = 10_500;

/** Keys of as many users as needed, so that quick successions are never rate limited. */
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
