import { shorten } from '#platform/commands/values';
import { sanitizeText } from '#platform/values/sanitize-text';
import type { Texts } from '../texts/index.ts';

/** A rule as `rules.show` answers it. */
export interface Rule {
  name: string;
  verdict: 'allow' | 'deny' | 'approve';
  approvals?: { count: number; role: string };
  partners?: string[];
  users?: string[];
  keys?: string[];
  sources?: string[];
  networks?: string[];
  currencies?: string[];
  destinations?: string[];
  amount?: { over?: string; upTo?: string };
  sum?: { over?: string; upTo?: string; window: string; per: string };
}

export interface RuleSet {
  revision: number;
  status: 'draft' | 'published' | 'replaced';
  rules: Rule[];
  draftedBy: string;
  draftedAt: string;
}

const conditions = [
  'partners',
  'users',
  'keys',
  'sources',
  'currencies',
  'networks',
  'destinations',
] as const;

/** A rule in words: `A payment in USDT, over 1000, is denied.` */
export function sentenceOf({ rules }: Texts, rule: Rule): string {
  const { sentence: words, choices, pers, or } = rules;
  const parts = conditions.flatMap((name) => {
    const values = rule[name]?.map((one) => choices[one] ?? shorten(one));
    return values ? [words[name](values.join(or))] : [];
  });
  const bounds = ({ over, upTo }: { over?: string; upTo?: string } = {}) => [
    ...(over === undefined ? [] : [words.over(over)]),
    ...(upTo === undefined ? [] : [words.upTo(upTo)]),
  ];
  const { sum, approvals } = rule;
  const all = [
    ...parts,
    ...bounds(rule.amount),
    ...(sum
      ? [words.sum(bounds(sum).join(', '), choices[sum.window] ?? sum.window, pers[sum.per] ?? sum.per)]
      : []),
  ];
  const verdict =
    rule.verdict === 'approve'
      ? words.approve(approvals?.count ?? 1, approvals?.role ?? '')
      : words[rule.verdict];
  const who = all.length === 0 ? words.every : `${words.some} ${all.join(', ')},`;
  return sanitizeText(`${who} ${verdict}`, 2_000);
}

export type Difference = 'same' | 'added' | 'changed' | 'moved';

/** How a rule of a draft differs from the published ones; rules are known by their names. */
export function differenceOf(published: readonly Rule[], rule: Rule, at: number): Difference {
  const former = published.findIndex(({ name }) => name === rule.name);
  if (former === -1) return 'added';
  if (JSON.stringify(sorted(published[former]!)) !== JSON.stringify(sorted(rule))) return 'changed';
  return former === at ? 'same' : 'moved';
}

const sorted = (rule: Rule) => Object.entries(rule).sort(([one], [other]) => (one < other ? -1 : 1));
