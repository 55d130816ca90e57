/** A URL of the API. Dates become ISO 8601, and lists are joined by commas. */
export function address(base: string, path: string, query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, spell(value)]));
  return `${base}${path}${given.length > 0 ? `?${search}` : ''}`;
}

function spell(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** An id as one segment of a path; what would lead to another path is refused. */
export function segment(name: string, id: string): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..')
    throw new TypeError(`${name} must be an id`);
  return encodeURIComponent(id);
}
