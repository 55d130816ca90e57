import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until the answer is yes; fails by saying what was waited for. No test is about how long that takes: by itself it
 * waits as long as a busy machine may need.
 */
export async function waitUntil(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(20);
  }
}
