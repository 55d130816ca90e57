import type { Verdict } from './command.ts';

export interface Judgement {
  hasFault: boolean;
  text: string;
}

/**
 * How a check ended, by its answer; `{users} users` may become `1 user`. An answer without the field proves
 * nothing, so it counts as a fault.
 */
export function judge({ passesIf, passed, failed }: Verdict, data: Record<string, unknown>): Judgement {
  const value = data[passesIf];
  const hasFault = Array.isArray(value) ? value.length > 0 : value !== true;
  const text = (hasFault ? failed : passed).replaceAll(
    /\{(\w+)\}( \w+s\b)?/g,
    (_, field, unit = '') => write(data[field]) + (data[field] === 1 ? unit.slice(0, -1) : unit),
  );
  return { hasFault, text };
}

function write(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return Array.isArray(value) ? value.map(write).join(', ') : String(value ?? '');
}
