import { segment } from './address.ts';
import { type Api, requireCaller } from './api.ts';
import type { ApiPromise } from './api-promise.ts';
import { type CursorList, listByCursor, sendForOne } from './resources.ts';
import type { Call, CallOptions } from './transport.ts';
import type { ApiKey, IssuedApiKey, KeyListParams, KeyRotation, NewApiKey } from './types.ts';

/** The keys of the partner, by a key with the scope `partner:admin`. */
export class Keys {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Store `token`: only this answer has it. If it is lost, revoke the key. */
  issue(key: NewApiKey, options?: CallOptions): ApiPromise<IssuedApiKey> {
    return this.#post('', key, options);
  }

  /** With status and last use. */
  list(params: KeyListParams = {}, options?: CallOptions): CursorList<ApiKey> {
    requireCaller(this.#api, 'partner');
    return listByCursor(this.#api, '/api/keys', params, options);
  }

  retrieve(keyId: string, options?: CallOptions): ApiPromise<ApiKey> {
    return this.#send({ method: 'GET', isRepeatable: true }, pathOf(keyId), options);
  }

  /** Store `token`: only this answer has it. The old key works until the overlap ends. */
  rotate(keyId: string, rotation: KeyRotation = {}, options?: CallOptions): ApiPromise<IssuedApiKey> {
    return this.#post(`${pathOf(keyId)}/rotate`, rotation, options);
  }

  /** Also revokes the keys that it issued. */
  revoke(keyId: string, options?: CallOptions): ApiPromise<ApiKey> {
    const call = { method: 'POST', changes: true, isRepeatable: true } as const;
    return this.#send(call, `${pathOf(keyId)}/revoke`, options);
  }

  #post<T extends { id: string }>(path: string, body: object, options?: CallOptions): ApiPromise<T> {
    return this.#send({ method: 'POST', body, changes: true, isRepeatable: false }, path, options);
  }

  #send<T extends { id: string }>(call: Omit<Call, 'url'>, path: string, options?: CallOptions) {
    requireCaller(this.#api, 'partner');
    return sendForOne<T>(this.#api, `/api/keys${path}`, call, options);
  }
}

const pathOf = (keyId: string) => `/${segment('keyId', keyId)}`;
