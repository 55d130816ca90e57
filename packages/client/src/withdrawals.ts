import { address, segment } from './address.ts';
import { type Api, requireCaller } from './api.ts';
import { ApiPromise } from './api-promise.ts';
import type { components } from './generated/types.ts';
import { type CreateNames, keyOf } from './idempotency.ts';
import { ListPromise, requireList } from './page.ts';
import { type CursorList, listByCursor } from './resources.ts';
import type { CallOptions } from './transport.ts';
import type {
  Asset,
  Limits,
  NewBulk,
  NewWithdrawal,
  PartnerWithdrawal,
  PartnerWithdrawalListParams,
  Withdrawal,
  WithdrawalListParams,
  WithdrawalPageInfo,
} from './types.ts';
import { type FinalWithdrawal, type WaitOptions, waitUntilFinal } from './wait-until-final.ts';

type Schemas = components['schemas'];

/** A withdrawal that was accepted; `waitFor` follows it. */
export interface CreatedWithdrawal {
  userId: string;
  bulkId: string;
  externalId?: string;
  idempotencyKey: string;
  /** Whether it had been created before, by an earlier call with the same key. */
  isReplay: boolean;
}

/** Withdrawals that were accepted together. */
export interface CreatedBulk {
  userId: string;
  bulkId: string;
  count: number;
  idempotencyKey: string;
  isReplay: boolean;
}

export class Withdrawals {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Pays tokens. It is sent again after a lost answer, always under the same idempotency key, so that nobody
   * is paid twice. If it throws an error with `isOutcomeUnknown`, repeat it with `error.idempotencyKey`.
   *
   * @example
   * const created = await causeway.withdrawals.create(
   *   { userId, amount: '12.5', to: 'bruno.costa@example.com' },
   *   { idempotencyKey: 'invoice-7' },
   * );
   */
  create(withdrawal: NewWithdrawal, options: CreateNames & CallOptions = {}): ApiPromise<CreatedWithdrawal> {
    const { userId, ...body } = withdrawal;
    return this.#post(
      userId,
      'withdraw',
      body,
      options,
      (answer: Schemas['CreateWithdrawalAnswer']) => answer,
    );
  }

  /**
   * Pays up to 1,000 at once, all or none, under one `bulkId`: list them by it. If some cannot be created,
   * the error's `details` name each of them. It is repeated as `create` is.
   *
   * @example
   * await causeway.withdrawals.createBulk(
   *   { userId, withdrawals: [{ amount: '12.5', to: 'bruno.costa@example.com' }] },
   *   { idempotencyKey: 'salaries-07' },
   * );
   */
  createBulk(bulk: NewBulk, options: CreateNames & CallOptions = {}): ApiPromise<CreatedBulk> {
    const { userId, ...body } = bulk;
    return this.#post(
      userId,
      'withdrawals/bulk',
      body,
      options,
      (answer: Schemas['CreateBulkAnswer']) => answer,
    );
  }

  #post<Data extends { bulkId: string }>(
    userId: string,
    place: string,
    body: object,
    options: CreateNames & CallOptions,
    read: (answer: never) => { data: Data },
  ): ApiPromise<Data & { userId: string; idempotencyKey: string; isReplay: boolean }> {
    requireCaller(this.#api, 'partner');
    const path = `/api/crypto/${segment('userId', userId)}/${place}`;
    const send = async () => {
      const idempotencyKey = await keyOf(options, this.#api.store);
      const { data, response } = await this.#api.transport
        .json(
          {
            method: 'POST',
            url: address(this.#api.baseUrl, path),
            body,
            idempotencyKey,
            changes: true,
            isRepeatable: true,
          },
          options,
          (answer: never) => {
            const { data } = read(answer);
            if (typeof data.bulkId !== 'string') throw new TypeError('no bulkId');
            return data;
          },
        )
        .withResponse();
      const isReplay = response.headers.get('idempotency-replayed') === 'true';
      return { data: { userId, ...data, idempotencyKey, isReplay }, response };
    };
    return new ApiPromise(send());
  }

  /** Withdrawals of all users, newest first, by cursor. */
  listAll(params: PartnerWithdrawalListParams = {}, options?: CallOptions): CursorList<PartnerWithdrawal> {
    requireCaller(this.#api, 'partner');
    return listByCursor(this.#api, '/api/withdrawals', params, options);
  }

  /** Withdrawals of a user, newest first. */
  list(
    { userId, page = 1, perPage = 100, ...filters }: WithdrawalListParams,
    options?: CallOptions,
  ): ListPromise<Withdrawal, WithdrawalPageInfo> {
    requireCaller(this.#api, 'partner');
    const path = `/api/crypto/${segment('userId', userId)}/withdraws`;
    const read = (number: number) =>
      this.#api.transport
        .json(
          {
            method: 'GET',
            url: address(this.#api.baseUrl, path, { page: number, perPage, ...filters }),
            isRepeatable: true,
          },
          options,
          ({ data }: Schemas['ListWithdrawalsAnswer']) => ({
            items: requireList(data.withdraws),
            info: data.pageInfo,
          }),
        )
        .withResponse();
    return new ListPromise(
      {
        read,
        // The API does not say whether more follow: a full page may be the last one, then the next is empty.
        nextAt: (number, { limit }, items) => (items.length >= limit ? number + 1 : undefined),
        keyOf: ({ id }) => id,
      },
      page,
    );
  }

  /**
   * One withdrawal by the `bulkId` of its creation; undefined if the user has no such withdrawal. Throws for
   * that of `createBulk` with several.
   */
  async retrieve(
    { userId, bulkId }: { userId: string; bulkId: string },
    options?: CallOptions,
  ): Promise<Withdrawal | undefined> {
    const { items } = await this.list({ userId, bulkId, perPage: 2 }, options);
    if (items.length > 1) throw new RangeError('several withdrawals have this bulkId: list them');
    return items[0];
  }

  /** Resolves when the withdrawal is `completed` or `failed`: look at `status`. */
  waitFor(
    withdrawal: { userId: string; bulkId: string },
    options: WaitOptions = {},
  ): Promise<FinalWithdrawal> {
    return waitUntilFinal((call) => this.retrieve(withdrawal, call), options);
  }

  /** What can be paid, with limits and finality. */
  assets(options?: CallOptions): ApiPromise<Asset[]> {
    requireCaller(this.#api, 'partner');
    return this.#api.transport.json(
      { method: 'GET', url: address(this.#api.baseUrl, '/api/crypto/assets'), isRepeatable: true },
      options,
      ({ data }: Schemas['ListAssetsAnswer']) => requireList(data.assets),
    );
  }

  /** What the limits of your account leave, and when more may be paid; of the key's user unless given. */
  limits({ userId }: { userId?: string } = {}, options?: CallOptions): ApiPromise<Limits> {
    requireCaller(this.#api, 'partner');
    return this.#api.transport.json(
      { method: 'GET', url: address(this.#api.baseUrl, '/api/limits', { userId }), isRepeatable: true },
      options,
      ({ data }: Schemas['ReadLimitsAnswer']) => {
        requireList(data.limits);
        return data;
      },
    );
  }
}
