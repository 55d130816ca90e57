import { segment } from './address.ts';
import { type Api, requireCaller } from './api.ts';
import type { ApiPromise } from './api-promise.ts';
import { type CursorList, listByCursor, sendForOne } from './resources.ts';
import type { Call, CallOptions } from './transport.ts';
import type { BookAddress, CursorParams, NewBookAddress } from './types.ts';

/** The address book of the partner, by a key with the scope `partner:admin`. */
export class Addresses {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Oldest first. */
  list(params: CursorParams = {}, options?: CallOptions): CursorList<BookAddress> {
    requireCaller(this.#api, 'partner');
    return listByCursor(this.#api, '/api/addresses', params, options);
  }

  /** A person confirms it with a passkey. */
  propose(entry: NewBookAddress, options?: CallOptions): ApiPromise<BookAddress> {
    return this.#send({ method: 'POST', body: entry, changes: true, isRepeatable: false }, '', options);
  }

  remove(addressId: string, options?: CallOptions): ApiPromise<BookAddress> {
    const call = { method: 'DELETE', changes: true, isRepeatable: true } as const;
    return this.#send(call, `/${segment('addressId', addressId)}`, options);
  }

  #send(call: Omit<Call, 'url'>, path: string, options?: CallOptions): ApiPromise<BookAddress> {
    requireCaller(this.#api, 'partner');
    return sendForOne(this.#api, `/api/addresses${path}`, call, options);
  }
}
