import { Type } from 'typebox';
import type { Ctx } from '#context';
import { everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { closed, nullable } from '#platform/http/schemas';
import { examine } from './examine.ts';
import { type AppSources, states } from './outcome.ts';

/** The figures and jobs of the app are known only after its commands. */
export const doctorCommands = (sources: () => AppSources) => [
  defineCommand({
    name: 'doctor',
    summary: 'Check this deployment: database, replication, nodes, secrets, queues; and say what to do.',
    changes: false,
    needsPrimary: true,
    roles: everyone,
    columns: ['check', 'state', 'seen', 'advice'],
    isChecklist: true,
    worksWithoutDatabase: true,
    verdict: {
      passesIf: 'problems',
      passed: 'No problem found. Checked: {ok} fine, {warnings} warnings, {skipped} skipped.',
      failed: 'Problems: {problems}.',
    },
    input: Type.Object({}, closed),
    output: Type.Object({
      items: Type.Array(
        Type.Object({
          check: Type.String(),
          state: Type.Enum([...states], { description: 'skipped: seen says why it could not be checked' }),
          seen: Type.String(),
          advice: nullable(Type.String({ description: 'What to do; null if nothing' })),
        }),
      ),
      problems: Type.Array(Type.String(), { description: 'The checks that found a problem' }),
      ok: Type.Integer(),
      warnings: Type.Integer(),
      skipped: Type.Integer(),
    }),
    run: async (ctx: Ctx) => {
      const items = await examine(ctx, sources());
      const of = (state: string) => items.filter((item) => item.state === state);
      return {
        items: items.map(({ check, state, seen, advice = null }) => ({ check, state, seen, advice })),
        problems: of('problem').map(({ check }) => check),
        ok: of('ok').length,
        warnings: of('warning').length,
        skipped: of('skipped').length,
      };
    },
  }),
];
