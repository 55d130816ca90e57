import { address, segment } from './address.ts';
import type { Api } from './api.ts';
import type { ApiPromise } from './api-promise.ts';
import { requireList } from './page.ts';
import { type CursorList, listByCursor, requireId } from './resources.ts';
import type { Call, CallOptions } from './transport.ts';
import type {
  CreatedWebhookEndpoint,
  CursorParams,
  NewWebhookEndpoint,
  ReplaySelection,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookDeliveryParams,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookReplay,
} from './types.ts';

/** Where events are sent: of the partner or integration that has the key. */
export class WebhookEndpoints {
  readonly #api: Api;
  readonly #path: string;

  constructor(api: Api) {
    this.#api = api;
    this.#path = api.caller === 'partner' ? '/api/webhooks/endpoints' : '/api/v1/webhooks/endpoints';
  }

  /**
   * Store `secret`: only this answer has it. After a lost answer it is not sent again, because that could
   * create two endpoints: look for it in `list`, and rotate its secret.
   */
  create(endpoint: NewWebhookEndpoint, options?: CallOptions): ApiPromise<CreatedWebhookEndpoint> {
    return this.#post('', endpoint, options);
  }

  /** Those that the key sees, oldest first. */
  list(params: CursorParams = {}, options?: CallOptions): CursorList<WebhookEndpoint> {
    return this.#list('', params, options);
  }

  retrieve(endpointId: string, options?: CallOptions): ApiPromise<WebhookEndpoint> {
    return this.#send({ method: 'GET', isRepeatable: true }, pathOf(endpointId), options);
  }

  /** What is left out stays as it is. */
  update(
    endpointId: string,
    change: WebhookEndpointChange,
    options?: CallOptions,
  ): ApiPromise<WebhookEndpoint> {
    const call = { method: 'PATCH', body: change, changes: true, isRepeatable: true } as const;
    return this.#send(call, pathOf(endpointId), options);
  }

  /**
   * Deletes an endpoint; the answer shows it as it was. An `EndpointNotFoundError` with `isOutcomeUnknown`
   * comes after a lost answer: the endpoint is deleted.
   */
  del(endpointId: string, options?: CallOptions): ApiPromise<WebhookEndpoint> {
    const call = { method: 'DELETE', changes: true, isRepeatable: true } as const;
    return this.#send(call, pathOf(endpointId), options);
  }

  /**
   * Replaces the secret; the old one signs as well for 24 hours. After a lost answer it is not sent again,
   * because a second rotation ends the secret that you have.
   */
  rotateSecret(endpointId: string, options?: CallOptions): ApiPromise<CreatedWebhookEndpoint> {
    return this.#post(`${pathOf(endpointId)}/rotate-secret`, undefined, options);
  }

  /** Sends the event `webhook_endpoint.tested` to this endpoint. */
  sendTest(endpointId: string, options?: CallOptions): ApiPromise<WebhookEndpoint> {
    return this.#post(`${pathOf(endpointId)}/test`, undefined, options);
  }

  /** Sends events again. For the rest of a period, call it again with `nextAfter` as `after`. */
  replay(endpointId: string, events: ReplaySelection, options?: CallOptions): ApiPromise<WebhookReplay> {
    return this.#post(`${pathOf(endpointId)}/replay`, events, options, (answer: WebhookReplay) => {
      if (!Number.isSafeInteger(answer.queued)) throw new TypeError('no count');
      return answer;
    });
  }

  /** What was sent to an endpoint in the last 30 days, newest first. */
  listDeliveries(
    endpointId: string,
    params: WebhookDeliveryParams = {},
    options?: CallOptions,
  ): CursorList<WebhookDelivery> {
    return this.#list(`${pathOf(endpointId)}/deliveries`, params, options);
  }

  /** One delivery, with its body and the answer to each attempt. */
  retrieveDelivery(
    endpointId: string,
    deliveryId: string,
    options?: CallOptions,
  ): ApiPromise<WebhookDeliveryDetails> {
    const path = `${pathOf(endpointId)}/deliveries/${segment('deliveryId', deliveryId)}`;
    return this.#send({ method: 'GET', isRepeatable: true }, path, options);
  }

  /** Public keys (`whpk_…`) for `webhooks.unwrap`; two during a rotation. */
  publicKeys(endpointId: string, options?: CallOptions): ApiPromise<string[]> {
    const url = address(this.#api.baseUrl, `/.well-known/webhook-keys${pathOf(endpointId)}`);
    const call = { method: 'GET', url, isRepeatable: true } as const;
    return this.#api.transport.json(call, options, ({ keys }: { keys: string[] }) => requireList(keys));
  }

  #post<T extends object>(
    path: string,
    body: object | undefined,
    options?: CallOptions,
    read?: (body: T) => T,
  ): ApiPromise<T> {
    return this.#send({ method: 'POST', body, changes: true, isRepeatable: false }, path, options, read);
  }

  #send<T extends object>(
    call: Omit<Call, 'url'>,
    path: string,
    options?: CallOptions,
    read: (body: T) => T = requireId,
  ): ApiPromise<T> {
    const url = address(this.#api.baseUrl, this.#path + path);
    return this.#api.transport.json({ ...call, url }, options, read);
  }

  #list<T extends { id: string }>(path: string, params: WebhookDeliveryParams, options?: CallOptions) {
    return listByCursor<T>(this.#api, this.#path + path, params, options);
  }
}

const pathOf = (endpointId: string) => `/${segment('endpointId', endpointId)}`;
