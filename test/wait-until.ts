import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer is yes; fails by saying what was waited for. */
export async function waitUntil(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  timeoutMs = 5_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(20);
  }
}
