/** Runs at most `max` at a time; the others wait in order. */
export function limitConcurrency(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (inside >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else inside++;
    try {
      return await work();
    } finally {
      // The place passes directly to the next in line, so nobody can overtake.
      const next = waiting.shift();
      if (next) next();
      else inside--;
    }
  };
}
