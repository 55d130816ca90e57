import type { IssuerEvent, Simulation } from '#adapters/issuer';
import type { Ctx } from '#context';
import { recordChange } from '#features/audit';
import { formatCents } from '#platform/values/money';
import { readAmount, readLimit } from './amounts.ts';
import { applyEvents } from './apply-events.ts';
import { askIssuer } from './ask-issuer.ts';
import { cardErrors } from './errors.ts';
import { type CardAccount, selectAccount, selectTransactionAccount } from './queries/accounts.ts';
import { selectCard } from './queries/cards.ts';

export interface SimulatedActivity {
  events: IssuerEvent[];
  /** As it is after them. */
  account: CardAccount;
}

/**
 * Has a sandbox's issuer act as merchants and payers do, and takes over at once what comes of it. That it was
 * asked is written down first: the issuer cannot be asked the same again, such as to settle what is settled.
 */
export async function simulateActivity(ctx: Ctx, simulation: Simulation): Promise<SimulatedActivity> {
  const request = withAmount(simulation);
  const accountId = await findAccount(ctx, request);
  const { kind, ...asked } = request;
  await recordChange(ctx, {
    action: `cards.simulate-${kind}`,
    subject: `account:${accountId}`,
    after: { asked },
  });
  const events = await askIssuer(ctx.issuer.simulate(request));
  await applyEvents(ctx, events);
  return { events, account: (await selectAccount(ctx.db, accountId))! };
}

function withAmount<S extends Simulation>(simulation: S): S {
  const { amount, kind } = simulation;
  if (amount === undefined) return simulation;
  // A settlement of nothing gives back what was authorized.
  const read = kind === 'settlement' ? readLimit : readAmount;
  return { ...simulation, amount: formatCents(read('amount', amount)) };
}

/** The account that it is about, if that is one of ours. */
async function findAccount({ db }: Ctx, simulation: Simulation): Promise<string> {
  switch (simulation.kind) {
    case 'authorization':
    case 'decline': {
      const card = await selectCard(db, simulation.cardId);
      if (!card) throw cardErrors.cardNotFound();
      return card.cardIssuerUserId;
    }
    case 'settlement':
    case 'refund': {
      const owner = await selectTransactionAccount(db, simulation.transactionId);
      if (!owner) throw cardErrors.cardTransactionNotFound();
      return owner;
    }
    case 'collateral-deposit': {
      const account = await selectAccount(db, simulation.cardIssuerUserId);
      if (!account) throw cardErrors.cardAccountNotFound();
      return account.id;
    }
  }
}
