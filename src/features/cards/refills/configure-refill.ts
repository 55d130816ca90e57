import type { Network } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { invalidField } from '#platform/errors/errors';
import { formatCents } from '#platform/values/money';
import { readAmount } from '../amounts.ts';
import { cardErrors } from '../errors.ts';
import { isOwn } from '../is-own.ts';
import { selectAccount } from '../queries/accounts.ts';
import { updateDueNow } from './queries/refills.ts';
import { lockRule, type RefillRule, upsertRule } from './queries/rules.ts';
import { type RefillCurrency, refillCurrencies } from './states.ts';

export interface RefillTerms {
  cardIssuerUserId: string;
  /** US dollars, as decimal strings. */
  threshold: string;
  amount: string;
  network: string;
  currency: string;
  enabled: boolean;
}

const amountMin = 100n;

/**
 * Says when an account's collateral is refilled from its user's balance, and by how much. Switched off, no
 * refill is opened. What is not under way follows the new terms at once: a refill that waits under other ones
 * ends, and an account that rests after a failed one is tried again. So is one whose last refill is overdue
 * at the issuer, which otherwise waits until it is credited.
 */
export async function configureRefill(ctx: Ctx, terms: RefillTerms): Promise<RefillRule> {
  const rule = readTerms(ctx, terms);
  return inTransaction(ctx, async (ctx) => {
    const account = await selectAccount(ctx.db, rule.cardIssuerUserId);
    if (!account || !isOwn(ctx, account.userId)) throw cardErrors.cardAccountNotFound();
    const former = await lockRule(ctx.db, account.id);
    const [was, is] = [former && describe(former), describe(rule)];
    if (former && JSON.stringify(was) === JSON.stringify(is)) return former;
    const stored = await upsertRule(ctx.db, rule, ctx.now);
    await updateDueNow(ctx.db, account.id, ctx.now);
    await recordChange(ctx, {
      action: 'cards.configure-refill',
      subject: `account:${account.id}`,
      before: was ?? null,
      after: is,
    });
    return stored;
  });
}

function readTerms(ctx: Ctx, terms: RefillTerms): Omit<RefillRule, 'createdAt' | 'updatedAt'> {
  const { cardIssuerUserId, network, enabled: isEnabled } = terms;
  const threshold = readAmount('threshold', terms.threshold);
  const amount = readAmount('amount', terms.amount);
  // Each payment costs gas: one fall is not to be made up for by hundreds of them.
  if (amount < amountMin) throw invalidField('amount', `must be at least ${formatCents(amountMin)}`);
  if (amount * 10n < threshold) throw invalidField('amount', 'must be at least a tenth of the threshold');
  return { cardIssuerUserId, network, isEnabled, currency: readCurrency(ctx, terms), threshold, amount };
}

/** Of the pairs that this deployment pays, those that are dollars. */
function readCurrency({ evm }: Ctx, { network, currency }: RefillTerms): RefillCurrency {
  const tokens = evm.get(network as Network)?.tokens;
  if (!tokens) throw invalidField('network', `must be one of ${[...evm.keys()].join(', ')}`);
  const offered = refillCurrencies.filter((symbol) => tokens.has(symbol));
  const found = offered.find((symbol) => symbol === currency);
  if (!found) throw invalidField('currency', `must be one of ${offered.join(', ')} on ${network}`);
  return found;
}

function describe(rule: Omit<RefillRule, 'createdAt' | 'updatedAt'>) {
  const { cardIssuerUserId, threshold, amount, network, currency, isEnabled: enabled } = rule;
  return {
    cardIssuerUserId,
    threshold: formatCents(threshold),
    amount: formatCents(amount),
    network,
    currency,
    enabled,
  };
}
