import type { Db } from '#platform/db/db';
import { writeInstant } from '#platform/values/write-instant';
import type { NewLine, Posting } from './lines/line.ts';
import type { Asset } from './queries/accounts.ts';
import {
  callLedgerPost,
  callLedgerPostEach,
  callLedgerPostOne,
  keyOf,
  type OwnerCall,
  type Single,
  toPostingCall,
} from './queries/post.ts';

/**
 * Writes postings into the books and their lines into the users' ledgers, all or none, and moves the
 * balances. Returns the ids of the postings. One that was posted before fails them all, as does one that
 * takes more than an account has available.
 */
export async function postLines(db: Db, postedAt: Date, postings: readonly Posting[]): Promise<bigint[]> {
  if (postings.length === 0) return [];
  const ids = await postSingles(db, postedAt, postings);
  if (ids) return ids;
  const users = new NumberedItems<string>();
  const assets = new NumberedItems<Asset>();
  const owners = new NumberedItems<OwnerCall>();
  const spent: bigint[] = [];
  const ownerAt = ({ userId, network }: NewLine, currency: string) =>
    owners.numberOf(`${userId} ${network} ${currency}`, () => ({
      userId,
      asset: assets.numberOf(`${network} ${currency}`, () => ({ network, currency })),
    }));

  const lines = postings.flatMap((posting, at) =>
    posting.lines.map((line) => {
      const { sent, received, onChain } = line;
      if (posting.isHeld && sent) {
        const ownerPlace = ownerAt(line, sent.currency) - 1;
        spent[ownerPlace] = (spent[ownerPlace] ?? 0n) + sent.amount;
      }
      return {
        user: users.numberOf(line.userId, () => line.userId),
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
    postings: postings.map(toPostingCall),
    lines,
  });
}

/**
 * The same by one statement for postings of one line each that moves one account, of different users, as most
 * are; and with it their rows of the audit log, by `changes`. Undefined, and nothing done, for any others,
 * and where an account is missing.
 */
export async function postSingles(
  db: Db,
  postedAt: Date,
  postings: readonly Posting[],
  changes?: string,
): Promise<bigint[] | undefined> {
  const singles: Single[] = [];
  for (const posting of postings) {
    const single = toSingle(posting);
    if (!single) return undefined;
    singles.push(single);
  }
  if (new Set(singles.map(({ line }) => line.userId)).size < singles.length) return undefined;
  if (singles.length > 1) return callLedgerPostEach(db, postedAt, singles, changes);
  const id = await callLedgerPostOne(db, postedAt, singles[0]!, changes);
  return id === undefined ? undefined : [id];
}

function toSingle(posting: Posting): Single | undefined {
  const [line] = posting.lines;
  if (!line || posting.lines.length > 1) return undefined;
  const { network, sent, received } = line;
  if (received && !sent) {
    return { posting, line, network, currency: received.currency, amount: received.amount, spent: 0n };
  }
  if (!sent || received) return undefined;
  const spent = posting.isHeld ? sent.amount : 0n;
  return { posting, line, network, currency: sent.currency, amount: -sent.amount, spent };
}

/** Things by the order in which they came up, counted from 1 as PostgreSQL's arrays are. */
class NumberedItems<Item> {
  readonly items: Item[] = [];
  readonly #numberByName = new Map<string, number>();

  numberOf(name: string, make: () => Item): number {
    const known = this.#numberByName.get(name);
    if (known !== undefined) return known;
    this.#numberByName.set(name, this.items.push(make()));
    return this.items.length;
  }
}
