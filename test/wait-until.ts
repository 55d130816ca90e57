import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until the answer is yes. The limit is for a machine with other work to do; a pass does
 * not wait for it.
 */
export async function waitUntil(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  timeoutMs = 180_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(20);
  }
}
