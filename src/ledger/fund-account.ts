import { randomUUID } from 'node:crypto';
import { recordChange } from '../audit/index.ts';
import { type Ctx, inTransaction } from '../context.ts';
import type { Evm } from '../evm/index.ts';
import type { Db } from '../platform/db.ts';
import { formatMinor, parseMinor } from '../platform/money.ts';
import { userErrors, userExists } from '../users/index.ts';
import { decimalsOf, requireAsset } from './assets.ts';
import { ledgerErrors } from './errors.ts';
import {
  type Asset,
  insertEntries,
  insertFunding,
  lockAccounts,
  type Owner,
  openHouseAccounts,
  openUserAccounts,
  selectBalances,
  selectFunding,
  selectHouseAccounts,
} from './queries.ts';

export interface NewFunds {
  userId: string;
  network: string;
  currency: string;
  /** A decimal string. */
  amount: string;
  /** The caller's own name for it: under one name, funds are added once. */
  reference?: string;
}

export interface Funded extends NewFunds {
  postingId: string;
  balance: string;
  available: string;
  replayed: boolean;
}

/**
 * Adds funds that the house received for a user. The same again under the same reference changes nothing and gives the first
 * posting again, with the balance as it is now.
 */
export function fundAccount(ctx: Ctx, input: NewFunds): Promise<Funded> {
  return inTransaction(ctx, async (ctx) => {
    const { db, now, evm } = ctx;
    const asset = requireAsset(evm, input);
    const amount = requireAmount(evm, input.amount, asset);
    if (!(await userExists(db, input.userId))) throw userErrors.userNotFound();
    const owner = { userId: input.userId.toLowerCase(), ...asset };

    const reference = input.reference ?? randomUUID();
    const postingId = await insertFunding(db, { reference, description: 'Funds added', postedAt: now });
    if (postingId === undefined) {
      const first = await requireSame(db, reference, { ...owner, amount });
      return present(ctx, { ...owner, ...first, amount }, true);
    }
    await openUserAccounts(db, [owner]);
    await openHouseAccounts(db, 'custody', [asset]);
    const [account] = await lockAccounts(db, [owner]);
    const [custody] = await selectHouseAccounts(db, 'custody', [asset]);
    await insertEntries(db, [
      { postingId, line: 1, accountId: account!.accountId, amount },
      { postingId, line: 2, accountId: custody!, amount: -amount },
    ]);
    const funded = await present(ctx, { ...owner, postingId, amount }, false);
    const { network, currency, balance } = funded;
    await recordChange(ctx, {
      action: 'ledger.fund',
      subject: `user:${owner.userId}`,
      after: {
        ...{ postingId: funded.postingId, network, currency, amount: funded.amount, balance },
        ...(input.reference !== undefined && { reference: input.reference }),
      },
    });
    return funded;
  });
}

function requireAmount(evm: Evm, text: string, asset: Asset): bigint {
  const decimals = decimalsOf(evm, asset);
  const amount = parseMinor(text, decimals);
  if (amount === undefined || amount === 0n) {
    const message = `must be a decimal above 0 with at most ${decimals} decimals, such as 12.5`;
    throw ledgerErrors.invalidAmount({
      message: `amount ${message}`,
      details: [{ field: 'amount', message }],
    });
  }
  return amount;
}

async function requireSame(
  db: Db,
  reference: string,
  { userId, network, currency, amount }: Owner & { amount: bigint },
): Promise<{ postingId: bigint }> {
  const first = await selectFunding(db, reference);
  if (!first) throw new Error(`the posting of the reference ${reference} has no entry of a user`);
  const isSame =
    first.userId === userId &&
    first.network === network &&
    first.currency === currency &&
    first.amount === amount;
  if (!isSame) {
    throw ledgerErrors.referenceReused({
      details: [{ field: 'reference', message: 'was used with another user, asset or amount' }],
    });
  }
  return first;
}

async function present(
  { db, evm }: Ctx,
  { userId, network, currency, amount, postingId }: Owner & { amount: bigint; postingId: bigint },
  replayed: boolean,
): Promise<Funded> {
  const asset = { network, currency };
  const [account] = await selectBalances(db, userId, asset);
  const { balance, held } = account!;
  const write = (minor: bigint) => formatMinor(minor, decimalsOf(evm, asset));
  return {
    ...{ postingId: postingId.toString(), userId, network, currency, amount: write(amount) },
    ...{ balance: write(balance), available: write(balance - held), replayed },
  };
}
