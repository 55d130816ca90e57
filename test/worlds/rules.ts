import { contextFor } from '#context';
import type { Harness } from '#test/harness';
import { draftRules } from '../../src/features/rules/draft-rules.ts';
import { publishRules } from '../../src/features/rules/publish-rules.ts';
import type { Rule } from '../../src/features/rules/wire.ts';

/** The context of an operator of this name: one drafts, another one publishes. */
export const operatorNamed = ({ deps }: Pick<Harness, 'deps'>, name: string) =>
  contextFor(deps, { kind: 'operator', name, role: 'admin' } as const, deps.log);

/** Drafts rules as one operator and publishes them as another; without rules, everything is allowed. */
export async function publish(harness: Pick<Harness, 'deps'>, rules: Rule[]): Promise<number> {
  const { revision } = await draftRules(operatorNamed(harness, 'drafter'), { rules });
  await publishRules(operatorNamed(harness, 'publisher'), { revision });
  return revision;
}
