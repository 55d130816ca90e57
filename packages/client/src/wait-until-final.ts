import { CausewayError } from './causeway-error.ts';
import { isWorthRepeating } from './retry.ts';
import { sleep } from './sleep.ts';
import type { CallOptions } from './transport.ts';
import type { Withdrawal } from './types.ts';

export type FinalWithdrawal = Withdrawal & { status: 'completed' | 'failed' };

export interface WaitOptions {
  /** Default: 600,000, ten minutes. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** The withdrawal was not final in time. It continues on the server: wait for it again. */
export class WaitTimeoutError extends CausewayError {
  declare readonly code: 'wait_timeout';
  /** As it was last read; undefined if it could not be read. */
  readonly withdrawal?: Withdrawal;

  constructor(timeoutMs: number, withdrawal: Withdrawal | undefined, cause: unknown) {
    super(`The withdrawal was not final within ${timeoutMs} ms`, { code: 'wait_timeout', cause });
    this.withdrawal = withdrawal;
  }
}

const [firstDelayMs, longestDelayMs] = [500, 10_000];

/** Reads until the withdrawal is final. An outage of the server does not end the wait; the timeout does. */
export async function waitUntilFinal(
  read: (options: CallOptions) => Promise<Withdrawal | undefined>,
  { timeoutMs = 600_000, signal }: WaitOptions,
): Promise<FinalWithdrawal> {
  const deadline = performance.now() + timeoutMs;
  let last: Withdrawal | undefined;
  let trouble: unknown;
  const leftMs = () => deadline - performance.now();
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 1.5, longestDelayMs)) {
    try {
      last = (await read({ signal, totalTimeoutMs: leftMs() })) ?? last;
      trouble = undefined;
    } catch (error) {
      const isTransient = error instanceof CausewayError && isWorthRepeating(error, true);
      if (!isTransient) throw error;
      trouble = error;
    }
    if (last?.status === 'completed' || last?.status === 'failed') return last as FinalWithdrawal;
    const waitMs = delayMs * (0.75 + Math.random() / 2);
    const isOver = leftMs() <= waitMs;
    await sleep(Math.max(0, Math.min(waitMs, leftMs())), signal);
    if (isOver) throw new WaitTimeoutError(timeoutMs, last, trouble);
  }
}
