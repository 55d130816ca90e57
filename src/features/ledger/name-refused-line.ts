import type { Ctx } from '#context';
import { violates } from '#platform/db/db';
import type { Refusal } from '#platform/errors/errors';
import { ledgerErrors } from './errors.ts';
import type { NewLine } from './lines/line.ts';
import { selectAvailable } from './queries/accounts.ts';
import { keyOf } from './queries/post.ts';
import { selectCredited, selectTakenKeys } from './queries/postings.ts';

/**
 * The refusal of a batch by the line that the database refused, such as `lines[17]: insufficient balance of
 * USDC on base`. Looked up after the failure: undefined if the reason has gone since, or is another one.
 */
export async function nameRefusedLine(
  ctx: Ctx,
  lines: readonly NewLine[],
  error: unknown,
): Promise<Refusal | undefined> {
  if (violates(error, 'ledger_accounts_funds')) return nameOverdraft(ctx, lines, error);
  if (violates(error, 'ledger_lines_unique_hash_id_key') || violates(error, 'ledger_credits_pkey')) {
    return nameKnown(ctx, lines, error);
  }
  return undefined;
}

/**
 * The first line after which an account has less than nothing, counted in the order of the batch. Accounts
 * that have enough at its end are not to blame: a batch moves each by its sum.
 */
async function nameOverdraft({ db }: Ctx, lines: readonly NewLine[], cause: unknown) {
  const moves = lines.flatMap(({ userId, network, sent, received }, at) => [
    ...(received ? [{ at, userId, network, currency: received.currency, amount: received.amount }] : []),
    ...(sent ? [{ at, userId, network, currency: sent.currency, amount: -sent.amount }] : []),
  ]);
  const nameOf = ({ userId, network, currency }: (typeof moves)[number]) =>
    `${userId} ${network} ${currency}`;
  const owners = [...new Map(moves.map((move) => [nameOf(move), move])).values()];
  const available = await selectAvailable(db, owners);
  const left = new Map(owners.map((owner, place) => [nameOf(owner), available[place] ?? 0n]));
  const ends = new Map(left);
  for (const move of moves) ends.set(nameOf(move), ends.get(nameOf(move))! + move.amount);
  for (const move of moves.filter((one) => ends.get(nameOf(one))! < 0n)) {
    const rest = left.get(nameOf(move))! + move.amount;
    left.set(nameOf(move), rest);
    if (rest >= 0n) continue;
    const { at, currency, network } = move;
    return refuse('insufficientBalance', at, `insufficient balance of ${currency} on ${network}`, cause);
  }
  return undefined;
}

/** The first line whose transfer an earlier one of the batch has, or a line in a ledger. */
async function nameKnown({ db }: Ctx, lines: readonly NewLine[], cause: unknown) {
  const placed = lines.flatMap(({ onChain, userId, network, received }, at) =>
    onChain ? [{ ...onChain, at, userId, network, isReceived: received !== null }] : [],
  );
  const [taken, credited] = [await selectTakenKeys(db, placed), await selectCredited(db, placed)];
  const seen = new Set([...taken, ...credited]);
  for (const one of placed) {
    const names = [
      `${one.userId} ${keyOf(one)}`,
      ...(one.isReceived ? [`${one.network}:${keyOf(one)}`] : []),
    ];
    if (names.some((name) => seen.has(name))) {
      const message =
        'a line with this transactionHash and logIndex is in a ledger already, or twice in the batch';
      return refuse('alreadyInLedger', one.at, message, cause);
    }
    for (const name of names) seen.add(name);
  }
  return undefined;
}

const refuse = (
  row: 'insufficientBalance' | 'alreadyInLedger',
  at: number,
  message: string,
  cause: unknown,
) =>
  ledgerErrors[row]({
    message: `lines[${at}]: ${message}`,
    details: [{ field: `lines.${at}`, message }],
    cause,
  });
