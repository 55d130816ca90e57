import type { Db } from '../platform/db.ts';
import { writeInstant } from '../platform/write-instant.ts';
import type { NewLine, OnChain } from './lines/line.ts';
import { type Asset, callLedgerPost, callLedgerPostOne, keyOf, type OwnerCall } from './queries.ts';

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
  if (postings.length === 1 && only!.lines.length === 1) {
    const [line] = only!.lines;
    const isOneLeg = (line!.sent === null) !== (line!.received === null);
    const id = isOneLeg ? await callLedgerPostOne(db, postedAt, only!, line!) : undefined;
    if (id !== undefined) return [id];
  }
  const users = new Places<string>();
  const assets = new Places<Asset>();
  const owners = new Places<OwnerCall>();
  const spent: bigint[] = [];
  const ownerAt = ({ userId, network }: NewLine, currency: string) =>
    owners.placeOf(`${userId} ${network} ${currency}`, () => ({
      userId,
      asset: assets.placeOf(`${network} ${currency}`, () => ({ network, currency })),
    }));

  const lines = postings.flatMap((posting, at) =>
    posting.lines.map((line) => {
      const { sent, received, onChain } = line;
      if (posting.isHeld && sent) {
        const ownerPlace = ownerAt(line, sent.currency) - 1;
        spent[ownerPlace] = (spent[ownerPlace] ?? 0n) + sent.amount;
      }
      return {
        user: users.placeOf(line.userId, () => line.userId),
        posting: at + 1,
        type: line.type,
        at: writeInstant(line.transactionAt.getTime()),
        operation: line.operationId,
        ...(onChain && { key: keyOf(onChain) }),
        ...(sent && { sent: ownerAt(line, sent.currency), sentAmount: String(sent.amount) }),
        ...(received && {
          received: ownerAt(line, received.currency),
          receivedAmount: String(received.amount),
        }),
        description: line.description,
        purpose: line.purpose,
        userDescription: line.userDescription,
        executedAt: line.executedAt && writeInstant(line.executedAt.getTime()),
      };
    }),
  );
  return callLedgerPost(db, {
    postedAt,
    users: users.items,
    assets: assets.items,
    owners: owners.items,
    spent: spent.length > 0 ? owners.items.map((_, place) => spent[place] ?? 0n) : [],
    postings: postings.map(({ kind, operationId, description, onChain, fingerprint }) => ({
      ...{ kind, operation: operationId, description, fingerprint: fingerprint?.toString('hex') },
      ...{ hash: onChain?.transactionHash, logIndex: onChain?.logIndex },
    })),
    lines,
  });
}

/** Things by the order in which they came up, counted from 1 as PostgreSQL's arrays are. */
class Places<Item> {
  readonly items: Item[] = [];
  readonly #placeByName = new Map<string, number>();

  placeOf(name: string, make: () => Item): number {
    const known = this.#placeByName.get(name);
    if (known !== undefined) return known;
    this.#placeByName.set(name, this.items.push(make()));
    return this.items.length;
  }
}
