import type { Ctx } from '#context';
import { compare, type Report } from './faults.ts';
import { type Accounts, saveCheck, selectCheck } from './queries/checks.ts';
import type { Counts, ListRow } from './queries/lists.ts';

/** A ledger up to its last line, as a check found it right. */
export interface Checkpoint extends Counts {
  lastNumber: bigint;
  /** Hexadecimal. */
  lastHash: string;
  accounts: Accounts;
}

type Head = Pick<ListRow, 'lastNumber' | 'lastHash' | keyof Counts>;

export const types = ['buys', 'sells', 'swaps', 'transfers'] as const;

/** Undefined for a ledger that has no line yet. */
export function checkpointOf(head: Head, accounts: Accounts): Checkpoint | undefined {
  const { lastNumber, lastHash, buys, sells, swaps, transfers } = head;
  if (!lastHash || lastNumber === 0n) return undefined;
  return { lastNumber, lastHash: lastHash.toString('hex'), buys, sells, swaps, transfers, accounts };
}

/** Whose ledger it is: the list of another user must not get it. */
export interface Owned {
  userId: string;
  listId: bigint;
}

const subjectOf = ({ listId }: Owned) => `list:${listId}`;
const placeOf = (subject: string, userId = '') => `ledger_checks.sealed:${subject}:${userId}`;

export function saveCheckpoint(ctx: Ctx, owned: Owned, checkpoint: Checkpoint): Promise<void> {
  const { accounts, ...figures } = checkpoint;
  const texts = Object.entries(figures).map(([name, figure]) => [name, String(figure)]);
  return save(ctx, subjectOf(owned), { ...Object.fromEntries(texts), accounts }, owned.userId);
}

/**
 * Undefined unless this deployment sealed it for this ledger: a check that is missing, moved or forged proves
 * nothing, and the ledger is read from its first line.
 */
export function openCheckpoint(
  ctx: Ctx,
  owned: Owned,
  sealed: Buffer | null | undefined,
): Checkpoint | undefined {
  const opened = open(ctx, placeOf(subjectOf(owned), owned.userId), sealed);
  if (!opened) return undefined;
  const { lastHash, accounts, ...figures } = opened as Record<string, string> & Pick<Checkpoint, 'accounts'>;
  const numbers = Object.entries(figures).map(([name, text]) => [name, BigInt(text as string)]);
  return {
    ...(Object.fromEntries(numbers) as Counts & { lastNumber: bigint }),
    lastHash: lastHash!,
    accounts,
  };
}

export async function readCheckpoint(ctx: Ctx, owned: Owned): Promise<Checkpoint | undefined> {
  return openCheckpoint(ctx, owned, await selectCheck(ctx.db, subjectOf(owned)));
}

const postings = 'postings';

/** Up to which id all postings were found right. */
export async function readCheckedPosting(ctx: Ctx): Promise<bigint | undefined> {
  const opened = open(ctx, placeOf(postings), await selectCheck(ctx.db, postings));
  return opened && BigInt(opened.id as string);
}

export const saveCheckedPosting = (ctx: Ctx, id: bigint) => save(ctx, postings, { id: String(id) });

function save(ctx: Ctx, subject: string, content: object, userId?: string): Promise<void> {
  const sealed = ctx.sealer.seal(placeOf(subject, userId), JSON.stringify(content));
  return saveCheck(ctx.db, subject, sealed, ctx.now);
}

function open(
  { sealer }: Ctx,
  place: string,
  sealed: Buffer | null | undefined,
): Record<string, unknown> | undefined {
  if (!sealed) return undefined;
  try {
    return JSON.parse(sealer.open(place, sealed));
  } catch {
    return undefined;
  }
}

/** Compares the counts and balances of a ledger with what they should be. */
export function compareFigures(
  expected: Counts & { balances: Readonly<Record<string, string>> },
  found: Counts & Pick<Checkpoint, 'accounts'>,
  report: Report,
): void {
  for (const type of types) {
    compare(report, 'ledger', `The count of ${type}`, { expected: expected[type], found: found[type] });
  }
  for (const id of new Set([...Object.keys(expected.balances), ...Object.keys(found.accounts)])) {
    compare(report, `account ${id}`, 'Its balance, by the last check and the lines since,', {
      expected: expected.balances[id] ?? '0',
      found: found.accounts[id]?.balance ?? null,
    });
  }
}

/** An account never becomes one of another asset. */
export function compareAssets({ accounts }: Checkpoint, found: Accounts, report: Report): void {
  for (const [id, { asset }] of Object.entries(accounts)) {
    const now = found[id]?.asset;
    if (now !== undefined) compare(report, `account ${id}`, 'Its asset', { expected: asset, found: now });
  }
}

export const balancesOf = (accounts: Accounts): Record<string, string> =>
  Object.fromEntries(Object.entries(accounts).map(([id, { balance }]) => [id, balance]));
