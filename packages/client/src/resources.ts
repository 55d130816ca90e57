import { address } from './address.ts';
import type { Api } from './api.ts';
import type { ApiPromise } from './api-promise.ts';
import { ListPromise, requireList } from './page.ts';
import type { Call, CallOptions } from './transport.ts';
import type { CursorPageInfo } from './types.ts';

export type CursorList<T> = ListPromise<T, CursorPageInfo, string | undefined>;

/** By `nextCursor`. */
export function listByCursor<T extends { id: string } | { requestId: string }>(
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
    { read, nextAt: (_at, { nextCursor }) => nextCursor ?? undefined, keyOf: (item: T) => idOf(item) },
    cursor,
  );
}

const idOf = (item: { id: string } | { requestId: string }) => ('id' in item ? item.id : item.requestId);

export function sendForOne<T extends { id: string }>(
  api: Api,
  path: string,
  call: Omit<Call, 'url'>,
  options?: CallOptions,
): ApiPromise<T> {
  const url = address(api.baseUrl, path);
  return api.transport.json({ ...call, url }, options, requireId);
}

export function requireId<T extends { id?: unknown }>(answer: T): T {
  if (typeof answer.id !== 'string') throw new TypeError('no id');
  return answer;
}
