import { address } from './address.ts';
import type { Api } from './api.ts';
import { ListPromise, requireList } from './page.ts';
import type { CallOptions } from './transport.ts';
import type { CursorPageInfo } from './types.ts';

export type CursorList<T> = ListPromise<T, CursorPageInfo, string | undefined>;

/** A list whose answers have `items` and `nextCursor`. */
export function listByCursor<T extends { id: string }>(
  api: Api,
  path: string,
  { cursor, limit = 100, ...filters }: { cursor?: string; limit?: number },
  options?: CallOptions,
): CursorList<T> {
  const read = (at: string | undefined) => {
    const url = address(api.baseUrl, path, { cursor: at, limit, ...filters });
    return api.transport
      .json(
        { method: 'GET', url, isRepeatable: true },
        options,
        ({ items, nextCursor }: CursorPageInfo & { items: T[] }) => ({
          items: requireList(items),
          info: { nextCursor },
        }),
      )
      .withResponse();
  };
  return new ListPromise(
    { read, nextAt: (_at, { nextCursor }) => nextCursor ?? undefined, keyOf: ({ id }) => id },
    cursor,
  );
}
