import type { Db } from '../platform/db.ts';
import type { NewLine, OnChain } from './lines/line.ts';
import { callLedgerPost, callLedgerPostOne, keyOf, type Owner } from './queries.ts';

/** Lines that are posted together and whose accounts, with those of the house, sum to zero. */
export interface Posting {
  kind: 'fund' | 'withdrawal' | 'deposit' | 'post' | 'settle';
  /** Posted once under this name, for each kind. */
  operationId: string;
  description: string;
  onChain?: OnChain;
  fingerprint?: Buffer;
  /** What its lines send was held for them. */
  isHeld?: boolean;
  lines: readonly NewLine[];
}

/**
 * Writes postings into the books and their lines into the users' ledgers, all or none, and moves the balances. Returns the ids of
 * the postings. One that was posted before fails them all, as does one that takes more than an account has available.
 */
export async function postLines(db: Db, postedAt: Date, postings: readonly Posting[]): Promise<bigint[]> {
  if (postings.length === 0) return [];
  const [only] = postings;
  if (postings.length === 1 && only!.lines.length === 1 && !only!.isHeld) {
    const [line] = only!.lines;
    const isOneLeg = (line!.sent === null) !== (line!.received === null);
    const id = isOneLeg ? await callLedgerPostOne(db, postedAt, only!, line!) : undefined;
    if (id !== undefined) return [id];
  }
  const users = new Places<string>();
  const owners = new Places<Owner>();
  const linesByUser: object[][] = [];
  const spent: bigint[] = [];
  const ownerAt = ({ userId, network }: NewLine, currency: string) =>
    owners.placeOf(`${userId} ${network} ${currency}`, { userId, network, currency });

  for (const [at, { lines, isHeld = false }] of postings.entries()) {
    for (const line of lines) {
      const { sent, received, onChain } = line;
      if (isHeld && sent) {
        const ownerPlace = ownerAt(line, sent.currency) - 1;
        spent[ownerPlace] = (spent[ownerPlace] ?? 0n) + sent.amount;
      }
      const userAt = users.placeOf(line.userId, line.userId) - 1;
      linesByUser[userAt] ??= [];
      linesByUser[userAt].push({
        posting: at + 1,
        type: line.type,
        at: line.transactionAt,
        operation: line.operationId,
        ...(onChain && { key: keyOf(onChain) }),
        ...(sent && { sent: ownerAt(line, sent.currency), sentAmount: String(sent.amount) }),
        ...(received && {
          received: ownerAt(line, received.currency),
          receivedAmount: String(received.amount),
        }),
        status: 'completed',
        description: line.description,
        purpose: line.purpose,
        userDescription: line.userDescription,
        executedAt: line.executedAt,
      });
    }
  }
  return callLedgerPost(db, {
    postedAt,
    users: users.items,
    owners: owners.items,
    spent: spent.length > 0 ? owners.items.map((_, place) => spent[place] ?? 0n) : [],
    postings: postings.map(({ kind, operationId, description, onChain, fingerprint }) => ({
      ...{ kind, operation: operationId, description, fingerprint: fingerprint?.toString('hex') },
      ...{ hash: onChain?.transactionHash, logIndex: onChain?.logIndex },
    })),
    linesByUser,
  });
}

/** Things by the order in which they came up, counted from 1 as PostgreSQL's arrays are. */
class Places<Item> {
  readonly items: Item[] = [];
  readonly #placeByName = new Map<string, number>();

  placeOf(name: string, item: Item): number {
    const known = this.#placeByName.get(name);
    if (known !== undefined) return known;
    this.#placeByName.set(name, this.items.push(item));
    return this.items.length;
  }
}
