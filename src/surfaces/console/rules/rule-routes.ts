import { refuseRole } from '#operator-roles';
import { Refusal } from '#platform/errors/errors';
import { readField } from '#platform/pages/form';
import { issueOnce, useOnce } from '#surfaces/frame';
import type { CallCommand } from '../call-command.ts';
import { renderResult } from '../command/command-pages.ts';
import { consoleErrors } from '../errors.ts';
import type { FormRequest, Mount } from '../mount.ts';
import type { Visit } from '../visit.ts';
import { readRule, typedOf } from './read-rule-form.ts';
import { type Replay, renderReplay } from './replay-page.ts';
import type { Rule, RuleSet } from './rule.ts';
import { type RuleForm, renderRuleForm } from './rule-form-page.ts';
import { partOf, renderRules } from './rules-page.ts';

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
  const waits = options.fourEyes.has('rules.draft');
  const formOf = async (visit: Visit, form: Omit<RuleForm, 'choices' | 'once' | 'waits'>) =>
    renderRuleForm(visit, { ...form, choices, waits, once: await issueOnce(deps, visit.session) });
  /** Saves a draft, or stores it for a second operator, which the page then says. */
  const saveDraft = async ({ visit, call, reply }: FormRequest, rules: readonly Rule[], at: number) => {
    const answer = await call('rules.draft', { rules });
    if (!answer.waits) return reply.redirect(pathOf(at), 303);
    reply.status(202);
    return renderResult(visit, byName.get('rules.draft')!, answer);
  };

  page('/rules', async ({ visit, call, request }) => {
    const { from = '' } = request.query as { from?: string };
    const [published, newest] = await Promise.all([findSet(call), findNewest(call)]);
    return renderRules(visit, {
      from: partOf(Number(from)),
      published,
      draft: newest?.status === 'draft' ? newest : undefined,
      last: newest?.revision ?? 0,
      once: await issueOnce(deps, visit.session),
      waits,
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
    return formOf(visit, { typed: rule ? typedOf(rule) : new Map(), place, position: 0 });
  });

  form('/rules/edit', { admit }, async (given) => {
    const { visit, call, form: sent, reply } = given;
    await useOnce(deps, visit.session, sent);
    const place = await requireNewest(call, sent);
    const rules = await rulesOf(call, place.base);
    const position = place.at === '' ? rules.length : Number(place.at);
    try {
      return await saveDraft(
        given,
        rules.toSpliced(position, 1, readRule(sent) as unknown as Rule),
        position,
      );
    } catch (refusal) {
      if (!(refusal instanceof Refusal) || refusal.status !== 400) throw refusal;
      reply.status(400);
      return formOf(visit, { typed: sent, place, position, refusal });
    }
  });

  form('/rules/move', { admit }, async (given) => {
    const { visit, call, form: sent } = given;
    await useOnce(deps, visit.session, sent);
    const { base, at } = await requireNewest(call, sent);
    const rules = await rulesOf(call, base);
    return saveDraft(given, moved(rules, Number(at), readField(sent, 'move')), Number(at));
  });
}

/** The part of the list with this rule. */
const pathOf = (at: number): string =>
  partOf(at) === 0 ? '/console/rules' : `/console/rules?from=${partOf(at)}`;

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
