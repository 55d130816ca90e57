import { IssuerFault, noIssuer } from '#adapters/issuer';
import { contextFor, type Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { followRefills } from './follow-refills.ts';
import { openRefills } from './open-refills.ts';
import { startRefills } from './start-refills.ts';
import { type AtRefillStep, never } from './steps.ts';

/**
 * Opens, starts and follows refills. One worker at a time, so that a payment is not announced twice at once;
 * each row is guarded anyway. While the issuer is down, started payments go on, but none is opened or
 * started.
 */
export function makeRefillJobs(atStep: AtRefillStep = never): Job<Deps>[] {
  return [
    {
      name: 'cards.refill',
      everyMs: 5_000,
      isConfigured: ({ issuer }) => issuer !== noIssuer,
      run: async (deps) => {
        const ctx = contextFor(deps, { kind: 'worker', job: 'cards.refill' } as const, deps.log);
        const moved = await followRefills(ctx, { atStep });
        const opened = await unlessIssuerIsDown(deps, () => openRefills(ctx));
        if (opened > 0) await atStep('opened');
        return moved + opened + (await unlessIssuerIsDown(deps, () => startRefills(ctx, { atStep })));
      },
    },
  ];
}

export const refillJobs: readonly Job<Deps>[] = makeRefillJobs();

/** Logs at debug level only: the catch-up job already reports that the issuer is down. */
async function unlessIssuerIsDown({ log }: Deps, turn: () => Promise<number>): Promise<number> {
  try {
    return await turn();
  } catch (error) {
    if (!(error instanceof IssuerFault)) throw error;
    log.debug({ err: error }, 'the card issuer does not answer; no refill is opened or started');
    return 0;
  }
}
