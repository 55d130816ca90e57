import type { Ctx } from '#context';
import { idOfActor } from '#features/audit';
import type { Fault } from './faults.ts';
import { faultsMax, saveVerdict } from './queries/verdicts.ts';

const messageMax = 500;

export interface Found {
  /** The id of a user, `books` or `all`. */
  subject: string;
  faultCount: number;
  faults: readonly Fault[];
  sinceLast: boolean;
  ledger?: { lastNumber: bigint; lastHash: Buffer | null } | undefined;
  /** A later part of a check whose first part is stored. */
  isPart?: boolean;
}

/** Stores what a verification found, when, and who verified. */
export function noteVerdict({ db, actor, now }: Ctx, found: Found): Promise<void> {
  const { subject, faultCount, faults, sinceLast, ledger, isPart } = found;
  const verdict = {
    subject,
    faultCount,
    faults: faults
      .slice(0, faultsMax)
      .map(({ subject, message }) => ({ subject, message: message.slice(0, messageMax) })),
    sinceLast,
    lastNumber: ledger?.lastNumber ?? null,
    lastHash: ledger?.lastHash?.toString('hex') ?? null,
    actorKind: actor.kind,
    actorId: idOfActor(actor),
    checkedAt: now,
  };
  return saveVerdict(db, verdict, { isPart });
}
