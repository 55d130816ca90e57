import { type Api, requireCaller } from './api.ts';
import { type CursorList, listByCursor } from './resources.ts';
import type { CallOptions } from './transport.ts';
import type { LoggedRequest, RequestListParams } from './types.ts';

/** The request log of the partner, by a key with the scope `partner:admin`. */
export class Requests {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Newest first, of the last seven days. */
  list(params: RequestListParams = {}, options?: CallOptions): CursorList<LoggedRequest> {
    requireCaller(this.#api, 'partner');
    return listByCursor(this.#api, '/api/requests', params, options);
  }
}
