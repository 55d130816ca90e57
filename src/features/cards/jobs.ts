import { type Issuer, IssuerFault, noIssuer } from '#adapters/issuer';
import { contextFor, type Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { catchUp } from './catch-up.ts';
import { catchUpChannel } from './queries/cursor.ts';
import { deleteOldReveals } from './queries/reveals.ts';
import { windowMs } from './reveal-card.ts';

/** Reveals are counted over the window; the audit log keeps who asked. Twice that, because clocks differ. */
const revealsKeptMs = 2 * windowMs;

/**
 * One worker at a time, so that the issuer is not asked the same by each; what it does is guarded by the
 * cursor anyway.
 */
export const cardJobs: readonly Job<Deps>[] = [
  {
    name: 'cards.catch-up',
    everyMs: 5_000,
    wokenBy: catchUpChannel,
    isConfigured: ({ issuer }) => issuer !== noIssuer,
    run: async (deps) => {
      const ctx = contextFor(deps, { kind: 'worker', job: 'cards.catch-up' } as const, deps.log);
      try {
        const { read, isBehind } = await catchUp(ctx);
        tellAbsence(deps, false);
        return isBehind ? Math.max(read, 1) : 0;
      } catch (error) {
        if (!(error instanceof IssuerFault)) throw error;
        tellAbsence(deps, true, error);
        return 0;
      }
    },
  },
  {
    name: 'cards.sweep-reveals',
    everyMs: 600_000,
    run: ({ db, clock }) => deleteOldReveals(db, new Date(clock().getTime() - revealsKeptMs), 1_000),
  },
];

const away = new WeakSet<Issuer>();

/** Says once that the issuer does not answer, and once that it does again. */
function tellAbsence({ issuer, log }: Deps, isAway: boolean, err?: IssuerFault): void {
  if (isAway === away.has(issuer)) return;
  if (isAway) {
    away.add(issuer);
    log.warn({ err }, 'the card issuer’s events cannot be read; retrying');
  } else {
    away.delete(issuer);
    log.info('the card issuer’s events can be read again');
  }
}
