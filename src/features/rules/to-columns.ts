import { hashFacts } from '#platform/values/hash-facts';
import { parseMinor } from '#platform/values/money';
import type { RuleColumns } from './queries/sets.ts';
import type { Rule } from './wire.ts';

/** Amounts of rules have 18 decimals, whatever a token has. */
export const ruleDecimals = 18;

export function toColumns(rule: Rule, place: number): RuleColumns {
  const { sum, amount, approvals } = rule;
  return {
    place,
    name: rule.name,
    verdict: rule.verdict,
    approvals: approvals?.count ?? null,
    approver_role: approvals?.role ?? null,
    partner_ids: idsOf(rule.partners),
    user_ids: idsOf(rule.users),
    key_ids: rule.keys ?? null,
    sources: rule.sources ?? null,
    networks: rule.networks ?? null,
    currencies: rule.currencies ?? null,
    destinations: rule.destinations ?? null,
    amount_over: unitsOf(amount?.over),
    amount_up_to: unitsOf(amount?.upTo),
    sum_over: unitsOf(sum?.over),
    sum_up_to: unitsOf(sum?.upTo),
    sum_window: sum ? `${windowHours[sum.window]} hours` : null,
    sum_per: sum && sum.per !== 'everything' ? sum.per : null,
    selection: selectionOf(rule),
  };
}

/** A day is 24 hours, whatever the time zone of the database does that day. */
export const windowHours = { hour: 1, day: 24, '30 days': 720 } as const;

const idsOf = (ids: readonly string[] | undefined) => ids?.map((id) => id.toLowerCase()) ?? null;

const unitsOf = (text: string | undefined) =>
  text === undefined ? null : String(parseMinor(text, ruleDecimals));

/**
 * Names what a rule sums. Rules that sum the same payments get the same name in every revision, so their
 * counters go on when other rules change.
 */
export function selectionOf(rule: Rule): string | null {
  if (!rule.sum) return null;
  const sorted = (list: readonly string[] | null | undefined) => (list ? [...list].sort() : null);
  const facts = [
    sorted(idsOf(rule.partners)),
    sorted(idsOf(rule.users)),
    sorted(rule.keys),
    sorted(rule.sources),
    sorted(rule.networks),
    sorted(rule.currencies),
    sorted(rule.destinations),
    unitsOf(rule.amount?.over),
    unitsOf(rule.amount?.upTo),
    rule.sum.per,
  ];
  return hashFacts(facts).toString('hex').slice(0, 32);
}
