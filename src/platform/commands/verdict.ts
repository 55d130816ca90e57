import type { Outlook, Verdict } from './command.ts';

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
  return { hasFault, text: fill(hasFault ? failed : passed, data) };
}

/** What to do next, by the answer of work that is done in parts. */
export function describeOutlook({ left, done, more = done }: Outlook, data: Record<string, unknown>): string {
  return fill(left === undefined || data[left] === 0 ? done : more, data);
}

const fill = (text: string, data: Record<string, unknown>): string =>
  text.replaceAll(
    /\{(\w+)\}( \w+s\b)?/g,
    (_, field, unit = '') => write(data[field]) + (data[field] === 1 ? unit.slice(0, -1) : unit),
  );

function write(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return Array.isArray(value) ? value.map(write).join(', ') : String(value ?? '');
}
