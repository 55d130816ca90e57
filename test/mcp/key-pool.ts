import type { IssuedKey } from '../../src/keys/index.ts';

export interface KeyPool<Owner> {
  /** One that has requests left in its user's allowance, made where none has; the request is counted. */
  take(): Promise<Owner>;
  readonly size: number;
}

/** Just below the product’s 60 in 10 seconds, as an event loop and a clock are not quite in step. */
const usesMax = 55;
const windowMs = 10_500;

/** Keys of as many users as it takes, so that what is sent in quick succession is never refused for its number. */
export function createKeyPool<Owner extends Pick<IssuedKey, 'token'>>(
  make: () => Promise<Owner>,
): KeyPool<Owner> {
  const places: { owner: Owner; since: number; uses: number }[] = [];
  let at = 0;
  let making: Promise<void> | undefined;
  const tryTake = () => {
    for (let tried = 0; tried < places.length; tried++, at++) {
      const place = places[at % places.length]!;
      const now = performance.now();
      if (now - place.since > windowMs) Object.assign(place, { since: now, uses: 0 });
      if (place.uses < usesMax) {
        place.uses++;
        return place.owner;
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
          places.push({ owner, since: performance.now(), uses: 0 });
          making = undefined;
        });
        await making;
      }
    },
  };
}
