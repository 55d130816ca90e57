import { IssuerFault, noIssuer } from '#adapters/issuer';
import { contextFor, type Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { followRefills } from './follow-refills.ts';
import { openRefills } from './open-refills.ts';
import { startRefills } from './start-refills.ts';
import { type AtRefillStep, never } from './steps.ts';

/**
 * The life of a refill. One worker at a time, so that the issuer is not told the same by each; what it does
 * is guarded row by row anyway. While the issuer is away payments that were started are made, and fail; none
 * is opened or started.
 */
export function makeRefillJobs(atStep: AtRefillStep = never): Job<Deps>[] {
  return [
    {
      name: 'cards.refill',
      everyMs: 5_000,
      run: async (deps) => {
        if (deps.issuer === noIssuer) return 0;
        const ctx = contextFor(deps, { kind: 'worker', job: 'cards.refill' } as const, deps.log);
        const moved = await followRefills(ctx, { atStep });
        const opened = await throughAbsence(deps, () => openRefills(ctx));
        if (opened > 0) await atStep('opened');
        return moved + opened + (await throughAbsence(deps, () => startRefills(ctx, { atStep })));
      },
    },
  ];
}

export const refillJobs: readonly Job<Deps>[] = makeRefillJobs();

/** Whoever reads the issuer's events tells that it is away. */
async function throughAbsence({ log }: Deps, turn: () => Promise<number>): Promise<number> {
  try {
    return await turn();
  } catch (error) {
    if (!(error instanceof IssuerFault)) throw error;
    log.debug({ err: error }, 'the card issuer does not answer; no refill is opened or started');
    return 0;
  }
}
