import type { Ctx } from '#context';
import { compare, type Report } from './faults.ts';
import { saveCheck, selectCheck } from './queries/checks.ts';
import type { Counts, ListRow } from './queries/lists.ts';

/** A ledger up to its last line, as a check found it right. */
export interface Checkpoint extends Counts {
  lastNumber: bigint;
  /** Hexadecimal. */
  lastHash: string;
  /** By account id. As text: behind our back a balance may become NaN, which no BigInt holds. */
  balances: Readonly<Record<string, string>>;
}

type Head = Pick<ListRow, 'lastNumber' | 'lastHash' | keyof Counts>;

export const types = ['buys', 'sells', 'swaps', 'transfers'] as const;

/** Undefined for a ledger that has no line yet. */
export function checkpointOf(head: Head, balances: Checkpoint['balances']): Checkpoint | undefined {
  const { lastNumber, lastHash, buys, sells, swaps, transfers } = head;
  if (!lastHash || lastNumber === 0n) return undefined;
  return { lastNumber, lastHash: lastHash.toString('hex'), buys, sells, swaps, transfers, balances };
}

const subjectOf = (listId: bigint) => `list:${listId}`;
const placeOf = (subject: string) => `ledger_checks.sealed:${subject}`;

export function saveCheckpoint(ctx: Ctx, listId: bigint, checkpoint: Checkpoint): Promise<void> {
  const { balances, ...figures } = checkpoint;
  const texts = Object.entries(figures).map(([name, figure]) => [name, String(figure)]);
  return save(ctx, subjectOf(listId), { ...Object.fromEntries(texts), balances });
}

/**
 * Undefined unless this deployment sealed it for this ledger: a check that is missing, moved or forged proves
 * nothing, and the ledger is read from its first line.
 */
export function openCheckpoint(
  ctx: Ctx,
  listId: bigint,
  sealed: Buffer | null | undefined,
): Checkpoint | undefined {
  const opened = open(ctx, subjectOf(listId), sealed);
  if (!opened) return undefined;
  const { lastHash, balances, ...figures } = opened as Record<string, string> & Pick<Checkpoint, 'balances'>;
  const numbers = Object.entries(figures).map(([name, text]) => [name, BigInt(text as string)]);
  return {
    ...(Object.fromEntries(numbers) as Counts & { lastNumber: bigint }),
    lastHash: lastHash!,
    balances,
  };
}

export async function readCheckpoint(ctx: Ctx, listId: bigint): Promise<Checkpoint | undefined> {
  return openCheckpoint(ctx, listId, await selectCheck(ctx.db, subjectOf(listId)));
}

const postings = 'postings';

/** Up to which id all postings were found right. */
export async function readCheckedPosting(ctx: Ctx): Promise<bigint | undefined> {
  const opened = open(ctx, postings, await selectCheck(ctx.db, postings));
  return opened && BigInt(opened.id as string);
}

export const saveCheckedPosting = (ctx: Ctx, id: bigint) => save(ctx, postings, { id: String(id) });

function save(ctx: Ctx, subject: string, content: object): Promise<void> {
  return saveCheck(ctx.db, subject, ctx.sealer.seal(placeOf(subject), JSON.stringify(content)), ctx.now);
}

function open(
  { sealer }: Ctx,
  subject: string,
  sealed: Buffer | null | undefined,
): Record<string, unknown> | undefined {
  if (!sealed) return undefined;
  try {
    return JSON.parse(sealer.open(placeOf(subject), sealed));
  } catch {
    return undefined;
  }
}

/** Compares the counts and balances of a ledger with what they should be. */
export function compareFigures(
  expected: Counts & Pick<Checkpoint, 'balances'>,
  found: Counts & Pick<Checkpoint, 'balances'>,
  report: Report,
): void {
  for (const type of types) {
    compare(report, 'ledger', `The count of ${type}`, { expected: expected[type], found: found[type] });
  }
  for (const id of new Set([...Object.keys(expected.balances), ...Object.keys(found.balances)])) {
    compare(report, `account ${id}`, 'Its balance, by the last check and the lines since,', {
      expected: expected.balances[id] ?? '0',
      found: found.balances[id] ?? null,
    });
  }
}
