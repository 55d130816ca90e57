import { address } from './address.ts';
import { type Api, requireCaller } from './api.ts';
import type { ApiPromise } from './api-promise.ts';
import type { ListPromise } from './page.ts';
import { readHistory } from './read-history.ts';
import type { CallOptions } from './transport.ts';
import type {
  AccountPageInfo,
  AccountParams,
  LedgerLine,
  StatementParams,
  UnsettledParams,
  UnsettledRecord,
} from './types.ts';

/** The account of the user that owns the key, newest first. The server allows 2 requests in 2 seconds. */
export class History {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** The settled ledger, all types. */
  account(params?: AccountParams, options?: CallOptions) {
    return this.#lines<LedgerLine>('account', params, options);
  }

  /** Everything that is not settled yet, rejected or canceled. */
  unsettled(params?: UnsettledParams, options?: CallOptions) {
    return this.#lines<UnsettledRecord>('account-unsettled', params, options);
  }

  /** Deposits. */
  deposits(params?: AccountParams, options?: CallOptions) {
    return this.#lines<LedgerLine>('account-onramp', params, options);
  }

  /** Withdrawals that are settled. */
  withdrawals(params?: AccountParams, options?: CallOptions) {
    return this.#lines<LedgerLine>('account-offramp', params, options);
  }

  /** Conversions: swaps and bridges. */
  swaps(params?: AccountParams, options?: CallOptions) {
    return this.#lines<LedgerLine>('account-swap', params, options);
  }

  /** Transfers of tokens. */
  transfers(params?: AccountParams, options?: CallOptions) {
    return this.#lines<LedgerLine>('account-crypto', params, options);
  }

  /** Transfers, conversions and bridges. The spelling of the feature is the API's. */
  portfolio(params?: AccountParams, options?: CallOptions) {
    return this.#lines<LedgerLine>('account-portifolio', params, options);
  }

  /** The ledger as a file. Read the body of the response, or stream it. */
  statement(params: StatementParams = {}, options?: CallOptions): ApiPromise<Response> {
    requireCaller(this.#api, 'partner');
    const url = address(this.#api.historyUrl, '/api/history/statement', params);
    return this.#api.transport.file({ method: 'GET', url, isRepeatable: true }, options);
  }

  #lines<T extends LedgerLine | UnsettledRecord>(
    feature: string,
    params: AccountParams = {},
    options?: CallOptions,
  ): ListPromise<T, AccountPageInfo> {
    return readHistory(this.#api, { resource: 'account', feature, ...params }, options, {
      items: (answer: { nodes: T[]; pageInfo: AccountPageInfo }) => answer.nodes,
      info: ({ pageInfo }) => pageInfo,
      keyOf: (line) => line.uniqueHashId ?? JSON.stringify(line),
    });
  }
}
