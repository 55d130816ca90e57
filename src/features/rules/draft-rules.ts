import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { keyExists } from '#features/keys';
import { partnerExists } from '#features/partners';
import { userExists } from '#features/users';
import { invalidField } from '#platform/errors/errors';
import { parseMinor } from '#platform/values/money';
import { operatorName } from './operator-name.ts';
import { insertSet } from './queries/sets.ts';
import { ruleDecimals, toColumns } from './to-columns.ts';
import { presentSet, type Rule, type RuleSetView } from './wire.ts';

/**
 * Stores a set of rules that applies to nothing until it is published.
 * @example
 * const { revision } = await draftRules(ctx, { rules: [{ name: 'Everything', verdict: 'allow' }] });
 */
export function draftRules(ctx: Ctx, { rules }: { rules: Rule[] }): Promise<RuleSetView> {
  return inTransaction(ctx, async (ctx) => {
    const seen = new Set<string>();
    for (const [at, rule] of rules.entries()) {
      const fault =
        faultIn(ctx, rule) ?? (seen.has(rule.name) ? `has the name ${rule.name} twice` : undefined);
      if (fault) throw invalidField(`rules[${at}]`, fault);
      seen.add(rule.name);
      await requireKnown(ctx, rule, `rules[${at}]`);
    }
    const by = operatorName(ctx);
    const set = presentSet(
      await insertSet(ctx.db, { rules, columns: rules.map(toColumns), by, now: ctx.now }),
    );
    await recordChange(ctx, { action: 'rules.draft', subject: `rules:${set.revision}`, after: set });
    return set;
  });
}

/** What a schema does not say. */
function faultIn({ evm }: Ctx, { verdict, approvals, sum, amount, networks, currencies }: Rule) {
  if ((verdict === 'approve') !== (approvals !== undefined))
    return verdict === 'approve' ? 'needs approvals' : 'has approvals, but does not approve';
  if ([sum, amount].some(isEmptyRange)) return 'has bounds between which there is nothing';
  if (sum && sum.over === undefined && sum.upTo === undefined) return 'has a sum without over or upTo';
  const unknown = networks?.find((name) => ![...evm.keys()].some((known) => known === name));
  if (unknown) return `names the network ${unknown}, which is not configured`;
  const symbols = new Set<string>([...evm.values()].flatMap(({ tokens }) => [...tokens.keys()]));
  const strange = currencies?.find((symbol) => !symbols.has(symbol));
  return strange && `names the currency ${strange}, which is not paid here`;
}

function isEmptyRange(bounds: { over?: string; upTo?: string } | undefined): boolean {
  const [over, upTo] = [bounds?.over, bounds?.upTo].map((text) => text && parseMinor(text, ruleDecimals));
  return over !== undefined && upTo !== undefined && over >= upTo;
}

/** A rule about an id that does not exist would silently match nothing. */
async function requireKnown(
  { db }: Ctx,
  { partners = [], users = [], keys = [] }: Rule,
  field: string,
): Promise<void> {
  for (const id of keys)
    if (!(await keyExists(db, id))) throw invalidField(field, `names the key ${id}, which does not exist`);
  for (const id of partners)
    if (!(await partnerExists(db, id)))
      throw invalidField(field, `names the partner ${id}, which does not exist`);
  for (const id of users)
    if (!(await userExists(db, id))) throw invalidField(field, `names the user ${id}, who does not exist`);
}
