import { violates } from '#platform/db/db';

/** Whether the database refused a withdrawal because of the published rules. */
export const isDenied = (error: unknown): boolean => violates(error, 'withdrawals_rules');

/** A withdrawal that the service wanted to make by a user's rule. */
export class RuleDenial extends Error {
  override readonly name = 'RuleDenial';
}

/** The trigger names the rule in the error's detail. */
export function describeDenial(error: unknown): string {
  const { detail = '' } = error as { detail?: string };
  return detail === '' ? 'No rule allows it' : `The rule “${detail}” denies it`;
}
