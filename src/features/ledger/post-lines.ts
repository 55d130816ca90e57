import type { Db } from '#platform/db/db';
import type { NewLine, Posting } from './lines/line.ts';
import type { Asset } from './queries/accounts.ts';
import {
  callPostLines,
  callPostSingle,
  type OwnerCall,
  type Single,
  toLineColumns,
  toPostingColumns,
} from './queries/post.ts';

/**
 * Writes postings into the books and their lines into the users' ledgers, all or none, and moves the
 * balances. Returns the ids of the postings. One that was posted before fails them all, as does one that
 * takes more than an account has available. `changes` are their rows of the audit log, written by the same
 * statement.
 */
export async function postLines(
  db: Db,
  postedAt: Date,
  postings: readonly Posting[],
  changes?: string,
): Promise<bigint[]> {
  if (postings.length === 0) return [];
  const single = postings.length === 1 ? toSingle(postings[0]!) : undefined;
  const id = single && (await callPostSingle(db, postedAt, single, changes));
  if (id !== undefined) return [id];
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
      const { sent, received } = line;
      if (posting.isHeld && sent) {
        const ownerPlace = ownerAt(line, sent.currency) - 1;
        spent[ownerPlace] = (spent[ownerPlace] ?? 0n) + sent.amount;
      }
      // Places instead of ids.
      return {
        ...toLineColumns(line),
        list_id: users.numberOf(line.userId, () => line.userId),
        posting_id: at + 1,
        ...(sent && { sent_account_id: ownerAt(line, sent.currency), sent_amount: String(sent.amount) }),
        ...(received && {
          received_account_id: ownerAt(line, received.currency),
          received_amount: String(received.amount),
        }),
      };
    }),
  );
  return callPostLines(db, {
    postedAt,
    users: users.items,
    assets: assets.items,
    owners: owners.items,
    spent: spent.length > 0 ? owners.items.map((_, place) => spent[place] ?? 0n) : [],
    postings: postings.map(toPostingColumns),
    lines,
    changes,
  });
}

/** Most postings have one line that moves one account. */
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
