import { type Static, type TSchema, Type } from 'typebox';
import { commonErrors } from './errors.ts';

/** What every list command takes: keyset pages, so that page 1,000 costs what page 1 costs. */
export const cursorInput = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many at most (50).' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 500, description: '`nextCursor` of the page before; leave out for the first.' }),
  ),
};

export function cursorPage<T extends TSchema>(item: T) {
  return Type.Object({
    items: Type.Array(item),
    nextCursor: Type.Union([Type.String(), Type.Null()]),
  });
}

export interface CursorPage<T> {
  items: T[];
  nextCursor: string | null;
}

/** Cuts `limit + 1` rows, as the queries fetch them, to a page and the cursor of the next. */
export function toCursorPage<T>(rows: T[], limit: number, keyOf: (row: T) => string): CursorPage<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(keyOf(last)) : null };
}

function encodeCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

/** The key inside a cursor. `pattern` is the form of the feature's key; anything else is refused, never sent to SQL. */
export function decodeCursor(cursor: string | undefined, pattern: RegExp): string | undefined {
  if (cursor === undefined) return undefined;
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!pattern.test(key)) {
    throw commonErrors.invalidRequest({
      message: 'cursor is not one that this list gave',
      details: [{ field: 'cursor', message: 'use nextCursor of the page before' }],
    });
  }
  return key;
}

export type CursorInput = { [K in keyof typeof cursorInput]?: Static<(typeof cursorInput)[K]> };
