import { type Static, type TSchema, Type } from 'typebox';
import { commonErrors } from '../errors/errors.ts';
import { uuidForm } from '../http/schemas.ts';
import { hashFacts } from '../values/hash-facts.ts';

/** Input of every list command: keyset pages, so that page 1,000 costs what page 1 costs. */
export const cursorInput = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Page size (default 50).' }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 500,
      description: '`nextCursor` of the previous page; leave out for the first page.',
    }),
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

/** The name of a list with filters; without any it is the list's own. */
export function nameList(list: string, filters: object): string {
  const facts = Object.entries(filters).filter(([, value]) => value !== undefined);
  if (facts.length === 0) return list;
  facts.sort(([one], [other]) => (one < other ? -1 : 1));
  return `${list} ${hashFacts(facts).toString('base64url').slice(0, 22)}`;
}

/**
 * Cuts `limit + 1` rows to a page and the cursor of the next. A cursor names its list, including a filter
 * that matters, because the cursor of another list would silently skip rows.
 */
export function toCursorPage<T>(
  list: string,
  rows: T[],
  limit: number,
  keyOf: (row: T) => string,
): CursorPage<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(list, keyOf(last)) : null };
}

/** A list with cursors: its name with the filters that matter, and the keys that its rows are in order of. */
export interface CursorList<T> {
  name: string;
  keyForm: RegExp;
  keyOf(row: T): string;
}

/** A list in the order of UUIDs. */
export const byId = <T extends { id: string }>(name: string): CursorList<T> => ({
  name,
  keyForm: uuidForm,
  keyOf: ({ id }) => id,
});

/** The page that a cursor names. `read` begins after a key, and reads one row more than the page has. */
export async function readCursorPage<T>(
  { name, keyForm, keyOf }: CursorList<T>,
  { cursor, limit = 50 }: CursorInput,
  read: (from: { after: string | undefined; limit: number }) => Promise<T[]>,
): Promise<CursorPage<T>> {
  const after = decodeCursor(name, cursor, keyForm);
  return toCursorPage(name, await read({ after, limit: limit + 1 }), limit, keyOf);
}

function encodeCursor(list: string, key: string): string {
  return Buffer.from(`${list} ${key}`, 'utf8').toString('base64url');
}

/**
 * The key inside a cursor of this list. `keyForm` is the form of its keys; anything else is refused and never
 * reaches SQL.
 */
export function decodeCursor(list: string, cursor: string | undefined, keyForm: RegExp): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const key = text.slice(list.length + 1);
  if (!text.startsWith(`${list} `) || !keyForm.test(key)) {
    throw commonErrors.invalidRequest({
      message: 'cursor is not from this list',
      details: [{ field: 'cursor', message: 'use nextCursor of the previous page' }],
    });
  }
  return key;
}

export type CursorInput = { [K in keyof typeof cursorInput]?: Static<(typeof cursorInput)[K]> };

/** A page of a counted list by its number, from 0. */
export interface NumberedPage {
  currentPage: number;
  pageSize: number;
}

/** The fields of `describePage`. */
export const pagePosition = {
  hasNextPage: Type.Boolean(),
  currentPage: Type.Integer({ description: 'From 0' }),
  pageSize: Type.Integer(),
  numberOfPages: Type.Integer(),
  totalCount: Type.Integer({ description: 'Exact number of items on all pages' }),
};

/** Position of a page; `totalCount` is the number of items on all pages. */
export function describePage(totalCount: number, { currentPage, pageSize }: NumberedPage) {
  const numberOfPages = Math.ceil(totalCount / pageSize);
  return { hasNextPage: currentPage + 1 < numberOfPages, currentPage, pageSize, numberOfPages, totalCount };
}
