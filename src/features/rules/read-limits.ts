import { type Ctx, type PartnerAdmin, requesterOf } from '#context';
import { hourMs } from '#platform/values/duration';
import { formatMinor, parseMinor } from '#platform/values/money';
import { selectKeyRoot, selectSums } from './queries/limits.ts';
import { selectCurrentSet } from './queries/sets.ts';
import { ruleDecimals, selectionOf, windowHours } from './to-columns.ts';
import type { Rule } from './wire.ts';

/** What a rule with a sum leaves to a caller, in one currency. */
export interface Limit {
  rule: string;
  /** What happens beyond it. */
  beyond: 'denied' | 'approval';
  currency: string;
  /** Null: on all networks together. */
  network: string | null;
  per: string;
  window: string;
  limit: string;
  /** Null, as are the next two, if payments of other partners are in the sum. */
  used: string | null;
  remaining: string | null;
  /** When the oldest payment leaves the window; null if it is empty. */
  growsAt: string | null;
  /** Only to these destinations; null: to all. */
  destinations: string[] | null;
}

export interface Limits {
  hasRules: boolean;
  limits: Limit[];
}

/** Whether rules are published that decide about payments. */
export async function hasRules({ db }: Ctx): Promise<boolean> {
  const set = await selectCurrentSet(db);
  return set !== undefined && set.document.length > 0;
}

/**
 * What the published rules leave to a key or a person that pays from a user's balance. Sums per destination
 * are left out: there is one for each address.
 */
export async function readLimits(ctx: Ctx<PartnerAdmin>, { userId }: { userId: string }): Promise<Limits> {
  const set = await selectCurrentSet(ctx.db);
  if (!set || set.document.length === 0) return { hasRules: false, limits: [] };
  const { partnerId } = ctx.actor;
  const keyId = requesterOf(ctx.actor);
  const payer = { partnerId, keyId, rootKeyId: await selectKeyRoot(ctx.db, keyId), userId };
  const asked = set.document
    .filter((rule) => concerns(rule, payer))
    .flatMap((rule) => placesOf(ctx, rule, payer).map((place) => ({ rule, ...place })));
  const sums = await selectSums(ctx.db, asked);
  const byPlace = new Map(sums.map((sum) => [Number(sum.place), sum]));
  const limits = asked.map(({ rule, currency, network, windowHours: hours }, at) => {
    const { used = 0n, oldestAt = null } = byPlace.get(at + 1) ?? {};
    const most = parseMinor(boundOf(rule)!, ruleDecimals)!;
    const isOwn = isOwnSum(rule, partnerId);
    const left = used < most ? most - used : 0n;
    return {
      rule: rule.name,
      beyond: rule.verdict === 'approve' ? ('approval' as const) : ('denied' as const),
      currency,
      network,
      per: rule.sum!.per,
      window: rule.sum!.window,
      limit: formatMinor(most, ruleDecimals),
      used: isOwn ? formatMinor(used, ruleDecimals) : null,
      remaining: isOwn ? formatMinor(left, ruleDecimals) : null,
      growsAt: isOwn && oldestAt ? new Date(oldestAt.getTime() + hours * hourMs).toISOString() : null,
      destinations: rule.destinations ?? null,
    };
  });
  return { hasRules: true, limits };
}

/** Whether only payments of this partner are in the sum: what others pay is not its business. */
const isOwnSum = ({ partners, sum }: Rule, partnerId: string) =>
  ['partner', 'key'].includes(sum!.per) ||
  (partners?.length === 1 && partners[0]!.toLowerCase() === partnerId);

interface Payer {
  partnerId: string;
  keyId: string;
  rootKeyId: string;
  userId: string;
}

function concerns(rule: Rule, { partnerId, keyId, rootKeyId, userId }: Payer): boolean {
  const names = (list: readonly string[] | undefined, one: string) =>
    !list || list.some((id) => id.toLowerCase() === one.toLowerCase());
  return (
    rule.sum !== undefined &&
    rule.sum.per !== 'destination' &&
    boundOf(rule) !== undefined &&
    names(rule.partners, partnerId) &&
    (!rule.keys || rule.keys.includes(keyId) || rule.keys.includes(rootKeyId)) &&
    names(rule.users, userId) &&
    names(rule.sources, 'api')
  );
}

/** Up to which sum a payment is not denied, or needs no approval, by this rule. */
const boundOf = ({ verdict, sum }: Rule) => (verdict === 'allow' ? sum?.upTo : sum?.over);

/** The sums of a rule that a payment of this payer could add to. */
function placesOf({ evm }: Ctx, rule: Rule, { partnerId, rootKeyId, userId }: Payer) {
  const networks = [...evm.values()].filter(({ name }) => !rule.networks || rule.networks.includes(name));
  const currencies = new Set(networks.flatMap(({ tokens }) => [...tokens.keys()]));
  const { per, window } = rule.sum!;
  const subjects = { partner: partnerId, user: userId, key: rootKeyId, everything: 'all' } as const;
  return [...currencies]
    .filter((currency) => !rule.currencies || rule.currencies.includes(currency))
    .flatMap((currency) =>
      per === 'network'
        ? networks.map(({ name }) => ({ currency, network: name as string | null, subject: name as string }))
        : [{ currency, network: null, subject: subjects[per as keyof typeof subjects] }],
    )
    .map(({ currency, network, subject }) => ({
      currency,
      network,
      selection: selectionOf(rule)!,
      subject: `${currency} ${subject}`,
      windowHours: windowHours[window],
    }));
}
