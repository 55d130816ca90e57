import { isDeepStrictEqual } from 'node:util';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { userErrors, userExists } from '#features/users';
import { invalidField } from '#platform/errors/errors';
import { parseInstant } from '#platform/values/instant';
import { portfolioErrors } from './errors.ts';
import { type Position, readPositions, type WrittenPosition, writePosition } from './position.ts';
import {
  deletePositions,
  insertPositions,
  lockSnapshot,
  type Snapshot,
  selectSnapshot,
  updateSnapshot,
} from './queries.ts';

export interface NewPositions {
  userId: string;
  /** Now, unless given. */
  asOf?: string;
  positions: readonly WrittenPosition[];
}

export interface RecordedPositions extends Snapshot {
  positions: Position[];
  /** They were there already. */
  replayed: boolean;
}

/**
 * Replaces all that is known of what a user has elsewhere. What is older than what is known is refused, so
 * that snapshots that arrive in another order than they were taken leave the latest; one of the same instant
 * corrects it.
 */
export async function recordPositions(ctx: Ctx, input: NewPositions): Promise<RecordedPositions> {
  const userId = input.userId.toLowerCase();
  const snapshot = { asOf: readAsOf(ctx, input.asOf), recordedAt: ctx.now };
  const positions = readPositions(input.positions);
  return inTransaction(ctx, async (ctx) => {
    if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
    const isFirst = (await lockSnapshot(ctx.db, userId, snapshot)) === undefined;
    const before = isFirst ? undefined : await selectSnapshot(ctx.db, userId);
    if (before) {
      if (before.asOf > snapshot.asOf) throw outdated(snapshot, before);
      const isSame = before.asOf.getTime() === snapshot.asOf.getTime();
      if (isSame && isDeepStrictEqual(before.positions, positions)) return { ...before, replayed: true };
      await updateSnapshot(ctx.db, userId, snapshot);
      await deletePositions(ctx.db, userId);
    }
    await insertPositions(ctx.db, userId, positions);
    const after = { ...snapshot, positions };
    await recordChange(ctx, {
      action: 'positions.record',
      subject: `positions:${userId}`,
      before: before && describe(before),
      after: describe(after),
    });
    return { ...after, replayed: false };
  });
}

const earliest = new Date('1970-01-01T00:00:00Z');

function readAsOf({ now }: Ctx, text: string | undefined): Date {
  const asOf = text === undefined ? now : parseInstant(text, 'start');
  if (!asOf) throw invalidField('asOf', 'must be an instant, such as 2026-01-31T12:00:00Z');
  if (asOf < earliest) throw invalidField('asOf', 'must not be before 1970');
  if (asOf > now) throw invalidField('asOf', 'must not be in the future');
  return asOf;
}

const outdated = (asked: Snapshot, known: Snapshot) =>
  portfolioErrors.positionsOutdated({
    message: `Positions as of ${asked.asOf.toISOString()} are older than those already recorded, as of ${known.asOf.toISOString()}`,
  });

const describe = ({ asOf, positions }: { asOf: Date; positions: readonly Position[] }) => ({
  asOf: asOf.toISOString(),
  positions: positions.map(writePosition),
});
