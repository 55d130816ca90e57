import { violates } from '#platform/db/db';

/** Whether the database refused a withdrawal because of the published rules. */
export const isDenied = (error: unknown): boolean => violates(error, 'withdrawals_rules');

/** A withdrawal that the service wanted to make by a user's rule. */
export class RuleDenial extends Error {
  override readonly name = 'RuleDenial';
}

/** Those that were denied of a statement, by their place in it, with the reason. */
export function describeDenials(error: unknown): { at: number; message: string }[] {
  const { detail = '[]' } = error as { detail?: string };
  const denials = JSON.parse(detail) as { place: number; rule: string | null }[];
  return denials.map(({ place, rule }) => ({
    at: place - 1,
    message: rule === null ? 'No rule allows it' : `The rule “${rule}” denies it`,
  }));
}

export const describeDenial = (error: unknown): string => describeDenials(error)[0]!.message;
