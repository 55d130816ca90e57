import type { TSchema } from 'typebox';

const faultKey = Symbol('fault');

export type Query = Record<string, string> & { [faultKey]?: string };

/**
 * Parses a query string in which every name occurs once. The router does not allow a throw here, so a fault
 * is kept on the result, and `queryFault` throws it in the first hook.
 */
export function parseStrictQuery(text: string): Query {
  const query: Query = Object.create(null);
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodePart(equals === -1 ? pair : pair.slice(0, equals));
    const value = decodePart(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) query[faultKey] = 'Query string is not valid UTF-8';
    // PostgreSQL cannot store it in a text.
    else if (`${name}${value}`.includes('\0'))
      query[faultKey] = 'Query string must not contain the character U+0000';
    else if (name in query) query[faultKey] = `Query parameter ${printable(name)} is given more than once`;
    else query[name] = value;
  }
  return query;
}

export function queryFault(query: unknown): string | undefined {
  return (query as Query | undefined)?.[faultKey];
}

function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const printable = (name: string) => (/^[\w.-]{1,60}$/.test(name) ? `"${name}"` : 'name');

/**
 * Converts texts to the schema's types, from the canonical spelling only: `5` is an integer; `05`, `-0`,
 * `5.0`, ` 5`, `0x5` and `5e0` stay texts, and the schema refuses them.
 */
export function readQuery(schema: TSchema, query: Record<string, unknown>): Record<string, unknown> {
  const properties = (schema as { properties?: Record<string, { type?: string }> }).properties ?? {};
  for (const [name, { type }] of Object.entries(properties)) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && /^(?:0|-?[1-9]\d{0,14})$/.test(text)) query[name] = Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
  }
  return query;
}
