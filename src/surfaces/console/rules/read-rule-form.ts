import type { Detail } from '#platform/errors/errors';
import type { Typed } from '../command/read-form.ts';
import type { Rule } from './rule.ts';

export const listFields = [
  'partners',
  'users',
  'keys',
  'sources',
  'networks',
  'currencies',
  'destinations',
] as const;

/** Fields of a part of a rule, by the name of the form's field. */
const nested: Readonly<Record<string, readonly [keyof Rule, string]>> = {
  approvalsCount: ['approvals', 'count'],
  approvalsRole: ['approvals', 'role'],
  amountOver: ['amount', 'over'],
  amountUpTo: ['amount', 'upTo'],
  sumOver: ['sum', 'over'],
  sumUpTo: ['sum', 'upTo'],
  sumWindow: ['sum', 'window'],
  sumPer: ['sum', 'per'],
};

/** The rule as it was typed; whether it is valid is for the command to say. */
export function readRule(typed: Typed): Record<string, unknown> {
  const rule: Record<string, unknown> = {};
  const textOf = (field: string) => (typed.get(field)?.[0] ?? '').trim();
  for (const field of ['name', 'verdict']) rule[field] = textOf(field);
  for (const field of listFields) {
    const values = (typed.get(field) ?? []).flatMap((text) => text.split('\n')).map((text) => text.trim());
    const given = values.filter((text) => text !== '');
    if (given.length > 0) rule[field] = given;
  }
  for (const [field, [part, name]] of Object.entries(nested)) {
    const text = textOf(field);
    if (text === '') continue;
    const value = name === 'count' && String(Number(text)) === text ? Number(text) : text;
    rule[part] = { ...(rule[part] as object | undefined), [name]: value };
  }
  return rule;
}

/** What the form shows for a rule that exists. */
export function typedOf(rule: Rule): Typed {
  const given = Object.entries(nested).flatMap(([field, [part, name]]) => {
    const value = (rule[part] as Record<string, unknown> | undefined)?.[name];
    return value === undefined ? [] : [[field, [String(value)]] as const];
  });
  const lists = listFields.flatMap((field) => (rule[field] ? [[field, rule[field]] as const] : []));
  return new Map<string, readonly string[]>([
    ['name', [rule.name]],
    ['verdict', [rule.verdict]],
    ...lists,
    ...given,
  ]);
}

/** A fault of the API at its field of the form: `rules.2.amount.over` is `amountOver`. */
export function faultOf(at: number, { field, message }: Detail): Detail {
  const [, , part = '', name = ''] = field.split('.');
  if (!field.startsWith(`rules.${at}.`)) return { field: '', message };
  const own = Object.entries(nested).find(([, [first, second]]) => first === part && second === name);
  if (own) return { field: own[0], message };
  const first = Object.entries(nested).find(([, [whole]]) => whole === part);
  return { field: first?.[0] ?? part, message };
}
