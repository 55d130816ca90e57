import { refuseRole } from '#operator-roles';
import { Refusal } from '#platform/errors/errors';
import { readField } from '#platform/pages/form';
import type { CallCommand } from '../call-command.ts';
import { consoleErrors } from '../errors.ts';
import type { FormRequest, Mount } from '../mount.ts';
import type { Visit } from '../visit.ts';
import { readRule, typedOf } from './read-rule-form.ts';
import { type Replay, renderReplay } from './replay-page.ts';
import type { Rule, RuleSet } from './rule.ts';
import { type RuleForm, renderRuleForm } from './rule-form-page.ts';
import { renderRules } from './rules-page.ts';

/** `/console/rules`: what is published, the draft, its editor and its replay. */
export function ruleRoutes({ page, form, options, deps }: Mount): void {
  const byName = new Map(options.commands.map((command) => [command.name, command]));
  const may = (visit: Visit, name: string) => visit.may(byName.get(name)!);
  const admit = (visit: Visit) => {
    if (!may(visit, 'rules.draft')) throw refuseRole(visit.role, 'rules.draft');
  };
  const networks = [...deps.evm.keys()] as string[];
  const currencies = [
    ...new Set([...deps.evm.values()].flatMap(({ tokens }) => [...tokens.keys()])),
  ] as string[];
  const choices = { networks, currencies };

  page('/rules', async ({ visit, call }) => {
    const published = await findSet(call);
    const newest = await findNewest(call);
    return renderRules(visit, {
      published,
      draft: newest?.status === 'draft' ? newest : undefined,
      last: newest?.revision ?? 0,
      canDraft: may(visit, 'rules.draft'),
      canPublish: may(visit, 'rules.publish'),
    });
  });

  page('/rules/replay', async ({ visit, call, request }) => {
    const { revision = '' } = request.query as { revision?: string };
    const { data } = await call('rules.replay', { revision: Number(revision) });
    return renderReplay(visit, data as unknown as Replay);
  });

  page('/rules/edit', async ({ visit, call, request }) => {
    admit(visit);
    const { base = '0', last = '0', at = '' } = request.query as Record<string, string>;
    const rules = await rulesOf(call, base);
    const rule = at === '' ? undefined : rules[Number(at)];
    const place = { base, last, at: rule ? at : '' };
    return renderRuleForm(visit, { typed: rule ? typedOf(rule) : new Map(), place, position: 0, choices });
  });

  form('/rules/edit', { admit }, (given) => saveRule(given, choices));

  form('/rules/move', { admit }, async ({ call, form: sent, reply }) => {
    const { base, at } = await requireNewest(call, sent);
    const rules = await rulesOf(call, base);
    await call('rules.draft', { rules: moved(rules, Number(at), readField(sent, 'move')) });
    return reply.redirect('/console/rules', 303);
  });
}

async function saveRule({ visit, call, form, reply }: FormRequest, choices: RuleForm['choices']) {
  const place = await requireNewest(call, form);
  const rules = await rulesOf(call, place.base);
  const position = place.at === '' ? rules.length : Number(place.at);
  try {
    await call('rules.draft', { rules: rules.toSpliced(position, 1, readRule(form) as unknown as Rule) });
    return reply.redirect('/console/rules', 303);
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || refusal.status !== 400) throw refusal;
    reply.status(400);
    return renderRuleForm(visit, { typed: form, place, position, refusal, choices });
  }
}

/** Somebody may have saved another draft since the page was opened. Nothing is lost: each draft is kept. */
async function requireNewest(call: CallCommand, form: FormRequest['form']): Promise<RuleForm['place']> {
  const [base, last, at] = ['base', 'last', 'at'].map((name) => readField(form, name)) as [
    string,
    string,
    string,
  ];
  const newest = await findNewest(call);
  if (String(newest?.revision ?? 0) !== last) throw consoleErrors.draftChanged();
  return { base, last, at };
}

function moved(rules: readonly Rule[], at: number, move: string): Rule[] {
  const rule = rules[at];
  if (!rule) throw consoleErrors.draftChanged();
  const rest = rules.toSpliced(at, 1);
  return move === 'remove' ? rest : rest.toSpliced(move === 'up' ? Math.max(at - 1, 0) : at + 1, 0, rule);
}

/** The published set, or that of a revision. */
async function findSet(call: CallCommand, revision?: number): Promise<RuleSet | undefined> {
  const { data } = await call('rules.show', revision === undefined ? {} : { revision });
  return (data.set ?? undefined) as RuleSet | undefined;
}

async function findNewest(call: CallCommand): Promise<RuleSet | undefined> {
  const { data } = await call('rules.list', { limit: 1 });
  return (data.items as RuleSet[])[0];
}

const rulesOf = async (call: CallCommand, revision: string): Promise<Rule[]> =>
  revision === '0' ? [] : ((await findSet(call, Number(revision)))?.rules ?? []);
