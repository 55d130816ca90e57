import type { Ctx } from '#context';
import { alsoFor } from '#operator-roles';

/** Who drafts and publishes rules, besides administrators. */
export const ruleMakers = alsoFor('compliance');

/** Rules are made by operators; a job or a partner that could would be a fault of ours. */
export function operatorName({ actor }: Ctx): string {
  if (actor.kind !== 'operator') throw new Error(`a ${actor.kind} may not change rules`);
  return actor.name;
}
