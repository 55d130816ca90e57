import { randomUUID } from 'node:crypto';
import { toCursorPage } from '#platform/commands/cursor-page';
import { postBatch } from '../../src/features/ledger/post-batch.ts';
import { type LedgerVerdict, verifyLedger } from '../../src/features/ledger/verify/verify-ledger.ts';
import type { HistoryWorld } from '../history/world.ts';
import { operatorContext } from '../withdrawals/world.ts';
import { deposit } from './posting.ts';

const newLines = 10_000;
const goalSeconds = 10;

/** The whole check, the largest user and all others side by side; then checks of new lines only. */
export async function measureVerify(world: HistoryWorld): Promise<void> {
  const { bigUser, smallUsers } = world;
  // The largest user was created first, so the others come after it.
  const { nextCursor } = toCursorPage('ledger.verify', [bigUser, ''], 1, (id) => `user ${id}`);
  await Promise.all([
    measureLargest(world),
    timed('whole verify of all other users, at the same time', () =>
      follow(world, { cursor: nextCursor!, limit: 200 }),
    ),
  ]);
  await timed('first verify since the last check: the house, all postings, no new lines', () =>
    follow(world, { sinceLast: true }),
  );
  const users = [bigUser, ...smallUsers.slice(0, 99)];
  for (const some of [[bigUser], users]) {
    const lines = Array.from({ length: newLines }, (_, n) => deposit(some[n % some.length]!, n));
    await postBatch(ctxOf(world), { key: randomUUID(), lines });
    const seconds = await timed(
      `verify since the last check after ${newLines} new lines of ${some.length} users`,
      () => follow(world, { sinceLast: true, limit: 200 }),
    );
    if (seconds > goalSeconds) console.log(`… more than the goal of ${goalSeconds} s`);
  }
}

async function measureLargest(world: HistoryWorld): Promise<void> {
  const { bigUser: userId } = world;
  await timed('whole verify of the largest user', () => verifyLedger(ctxOf(world), { userId }));
  const lines = Array.from({ length: newLines }, (_, n) => deposit(userId, n));
  await postBatch(ctxOf(world), { key: randomUUID(), lines });
  await timed(`verify of the largest user since the last check, after ${newLines} new lines`, () =>
    verifyLedger(ctxOf(world), { userId, sinceLast: true }),
  );
}

const ctxOf = ({ deps }: HistoryWorld) => operatorContext(deps);

/** All parts of a check, as the CLI follows them. */
async function follow(
  world: HistoryWorld,
  input: { cursor?: string; sinceLast?: boolean; limit?: number },
): Promise<LedgerVerdict> {
  let verdict = await verifyLedger(ctxOf(world), input);
  const sum = { ...verdict };
  while (verdict.nextCursor !== null) {
    verdict = await verifyLedger(ctxOf(world), { ...input, cursor: verdict.nextCursor });
    sum.users += verdict.users;
    sum.lines += verdict.lines;
    sum.faultCount += verdict.faultCount;
    sum.faults.push(...verdict.faults);
  }
  return sum;
}

async function timed(what: string, check: () => Promise<LedgerVerdict>): Promise<number> {
  const startedAt = performance.now();
  const { users, lines, faultCount, faults } = await check();
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`${what}: ${seconds.toFixed(1)} s for ${users} users and ${lines} lines`);
  if (faultCount > 0) throw new Error(`${faultCount} faults, such as ${JSON.stringify(faults[0])}`);
  return seconds;
}
