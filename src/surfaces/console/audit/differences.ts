import { isObject } from '#platform/values/is-object';

/** A field of an audit row, before and after the change; undefined where it did not exist. */
export interface Difference {
  field: string;
  before: unknown;
  after: unknown;
  isChanged: boolean;
}

const depthMax = 4;

/** Fields of both sides by their path, such as `amount.upTo`: those that changed first. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const [was, is] = [flatten(before), flatten(after)];
  const fields = [...new Set([...was.keys(), ...is.keys()])];
  const all = fields.map((field): Difference => {
    const [old, now] = [was.get(field), is.get(field)];
    return { field, before: old, after: now, isChanged: JSON.stringify(old) !== JSON.stringify(now) };
  });
  return [...all.filter(({ isChanged }) => isChanged), ...all.filter(({ isChanged }) => !isChanged)];
}

/** Plain fields of nested objects. A list is one field. */
function flatten(value: unknown, path = '', depth = 0): Map<string, unknown> {
  if (!isObject(value)) return value === null || value === undefined ? new Map() : new Map([[path, value]]);
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    const place = path === '' ? name : `${path}.${name}`;
    const isNested = isObject(inner) && depth < depthMax && Object.keys(inner).length > 0;
    return isNested ? [...flatten(inner, place, depth + 1)] : [[place, inner] as [string, unknown]];
  });
  return new Map(entries);
}
