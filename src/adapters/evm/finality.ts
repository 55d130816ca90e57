/** When a transaction is final: a tag of the network, or a number of blocks on top; 0 is the latest block. */
export type FinalityRule = 'finalized' | 'safe' | number;

export interface Finality {
  rule: FinalityRule;
  /** Another rule for larger amounts; the amount in whole units of the token. */
  above?: { amount: string; rule: FinalityRule };
}

/** `finalized`, `safe`, `12`, or `safe/10000/finalized`: safe up to 10000, above it finalized. */
export function parseFinality(text: string): Finality | undefined {
  const [first, amount, second, ...more] = text.split('/');
  const rule = parseRule(first!);
  if (rule === undefined) return undefined;
  if (amount === undefined) return { rule };
  const ruleAbove = second === undefined || more.length > 0 ? undefined : parseRule(second);
  if (ruleAbove === undefined || !/^[1-9]\d{0,17}$/.test(amount)) return undefined;
  return { rule, above: { amount, rule: ruleAbove } };
}

function parseRule(text: string): FinalityRule | undefined {
  if (text === 'finalized' || text === 'safe') return text;
  return /^(0|[1-9]\d{0,4})$/.test(text) ? Number(text) : undefined;
}

/** For display: `finalized`, `12 blocks`, `safe up to 10000, finalized above`. */
export function describeFinality({ rule, above }: Finality): string {
  if (!above) return describeRule(rule);
  return `${describeRule(rule)} up to ${above.amount}, ${describeRule(above.rule)} above`;
}

function describeRule(rule: FinalityRule): string {
  if (typeof rule === 'string') return rule;
  if (rule === 0) return 'latest';
  return rule === 1 ? '1 block' : `${rule} blocks`;
}

/** The rule that holds for every amount. */
export const strictestRule = ({ rule, above }: Finality): FinalityRule => above?.rule ?? rule;

export function ruleFor({ rule, above }: Finality, amountMinor: bigint, decimals: number): FinalityRule {
  if (!above) return rule;
  return amountMinor > BigInt(above.amount) * 10n ** BigInt(decimals) ? above.rule : rule;
}
