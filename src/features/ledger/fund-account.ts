import { randomUUID } from 'node:crypto';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { userErrors, userExists } from '#features/users';
import { confirmReplay, withStandbys } from '#platform/db/confirm';
import { violates } from '#platform/db/db';
import { formatMinor } from '#platform/values/money';
import { decimalsOf, requireAmount, requireAsset } from './assets.ts';
import { ledgerErrors } from './errors.ts';
import type { Posting } from './lines/line.ts';
import { postLines } from './post-lines.ts';
import { type Owner, selectBalances } from './queries/accounts.ts';
import { selectFunding } from './queries/postings.ts';
import { refuseUnsettled } from './refuse-unsettled.ts';

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
 * Adds funds that the house received for a user. Repeating it under the same reference has no effect and
 * returns the first posting, with the balance as it is now.
 * @example
 * await fundAccount(ctx, { userId, network: 'base', currency: 'USDC', amount: '250', reference: 'wire-17' });
 */
export const fundAccount = (ctx: Ctx, input: NewFunds): Promise<Funded> =>
  withStandbys(ctx, () => addFunds(ctx, input));

async function addFunds(ctx: Ctx, input: NewFunds): Promise<Funded> {
  const { evm } = ctx;
  const asset = requireAsset(evm, input);
  const amount = requireAmount(evm, input.amount, asset, 'amount');
  const owner = { userId: input.userId.toLowerCase(), ...asset };
  const reference = input.reference ?? randomUUID();
  return inTransaction(ctx, async (ctx) => {
    if (!(await userExists(ctx.db, input.userId))) throw userErrors.userNotFound();
    const replay = await findReplay(ctx, reference, { ...owner, amount });
    if (replay) return replay;
    const [postingId] = await postLines(ctx.db, ctx.now, [toPosting(owner, amount, reference, ctx.now)]);
    await refuseUnsettled(ctx.db, [{ userId: owner.userId, id: input.reference, field: 'reference' }]);
    const funded = await present(ctx, { ...owner, postingId: postingId!, amount }, false);
    const { network, currency, balance } = funded;
    await recordChange(ctx, {
      action: 'ledger.fund',
      subject: `user:${owner.userId}`,
      after: {
        postingId: funded.postingId,
        network,
        currency,
        amount: funded.amount,
        balance,
        ...(input.reference !== undefined && { reference: input.reference }),
      },
    });
    return funded;
  }).catch(async (error) => {
    // Somebody else has used the reference since we looked.
    const replay = violates(error, 'ledger_postings_operation_key')
      ? await findReplay(ctx, reference, { ...owner, amount })
      : undefined;
    if (!replay) throw error;
    return replay;
  });
}

function toPosting(owner: Owner, amount: bigint, reference: string, now: Date): Posting {
  const { userId, network, currency } = owner;
  const description = 'Funds added';
  return {
    kind: 'fund',
    operationId: reference,
    description,
    lines: [
      {
        userId,
        operationId: reference,
        type: 'buy',
        network,
        sent: null,
        received: { currency, amount },
        transactionAt: now,
        executedAt: null,
        description,
        purpose: 'funding',
        onChain: null,
      },
    ],
  };
}

/** Compares the facts themselves, which the posting's line has; a posting of funds has no fingerprint. */
async function findReplay(
  ctx: Ctx,
  reference: string,
  funds: Owner & { amount: bigint },
): Promise<Funded | undefined> {
  const first = await selectFunding(ctx.db, reference, funds.userId);
  if (!first) return undefined;
  const isSame = (['network', 'currency', 'amount'] as const).every((fact) => first[fact] === funds[fact]);
  if (!isSame) {
    throw ledgerErrors.referenceReused({
      details: [{ field: 'reference', message: 'was used with another user, asset or amount' }],
    });
  }
  await confirmReplay(ctx);
  return present(ctx, { ...funds, postingId: first.postingId }, true);
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
    postingId: postingId.toString(),
    userId,
    network,
    currency,
    amount: write(amount),
    balance: write(balance),
    available: write(balance - held),
    replayed,
  };
}
