import { isObject } from '../values/is-object.ts';
import type { Outlook, Verdict } from './command.ts';

export interface Judgement {
  hasFault: boolean;
  /** Ask again later. */
  isUnfinished?: true;
  text: string;
}

/**
 * How a check ended, by its answer; `{users} users` may become `1 user`. An answer without the field proves
 * nothing, so it counts as a fault.
 */
export function judge(
  { passesIf, passed, failed, unfinished }: Verdict,
  data: Record<string, unknown>,
): Judgement {
  if (unfinished && (data[unfinished.while] ?? null) !== null)
    return { hasFault: false, isUnfinished: true, text: fill(unfinished.text, data) };
  const value = data[passesIf];
  const hasFault = Array.isArray(value) ? value.length > 0 : value !== true;
  return { hasFault, text: fill(hasFault ? failed : passed, data) };
}

/** What to do next, by the answer of work that is done in parts. */
export function describeOutlook({ left, done, more = done }: Outlook, data: Record<string, unknown>): string {
  return fill(left === undefined || data[left] === 0 ? done : more, data);
}

const fill = (text: string, data: Record<string, unknown>): string =>
  text.replaceAll(/\{(\w+)\}( \w+s\b)?/g, (_, field, unit = '') => {
    const value = countRows(data[field]);
    return write(value) + (value === 1 ? unit.slice(0, -1) : unit);
  });

/** Rows do not fit into a line: how many there are. */
const countRows = (value: unknown) => (Array.isArray(value) && value.some(isObject) ? value.length : value);

function write(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return Array.isArray(value) ? value.map(write).join(', ') : String(value ?? '');
}
