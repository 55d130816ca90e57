/** Something outside did not answer in time. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/** Rejects with `TooSlow` if `work` takes longer. What `work` waits for has timeouts as well. */
export async function withinMs<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TooSlow(`no answer within ${Math.round(ms / 1_000)} s`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
