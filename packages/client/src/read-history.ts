import { address } from './address.ts';
import { type Api, requireCaller } from './api.ts';
import { ListPromise } from './page.ts';
import type { CallOptions } from './transport.ts';
import type { CardListParams, CardTransactionParams } from './types.ts';

interface Query extends CardTransactionParams, CardListParams {
  resource: 'account' | 'cards';
  feature: string;
}

interface Shape<A, T, Info> {
  items(answer: A): T[];
  info(answer: A): Info;
  keyOf(item: T): string;
}

/** Pages of `/api/history`, counted from 0. Features differ in the names of their fields. */
export function readHistory<A, T, Info extends { hasNextPage: boolean }>(
  api: Api,
  { currentPage = 0, pageSize = 100, ...query }: Query,
  options: CallOptions | undefined,
  { items, info, keyOf }: Shape<A, T, Info>,
): ListPromise<T, Info> {
  requireCaller(api, 'partner');
  const read = (number: number) =>
    api.transport
      .json(
        {
          method: 'GET',
          url: address(api.historyUrl, '/api/history', { ...query, currentPage: number, pageSize }),
          isRepeatable: true,
        },
        options,
        (answer: A & { message?: string }) => {
          if (!Array.isArray(items(answer)) || typeof info(answer).hasNextPage !== 'boolean')
            throw new TypeError('no page');
          return { items: items(answer), info: info(answer), message: answer.message };
        },
      )
      .withResponse();
  const nextAt = (number: number, { hasNextPage }: Info) => (hasNextPage ? number + 1 : undefined);
  return new ListPromise({ read, nextAt, keyOf }, currentPage);
}
