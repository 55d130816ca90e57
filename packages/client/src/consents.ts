import { address, segment } from './address.ts';
import { type Api, requireCaller } from './api.ts';
import type { ApiPromise } from './api-promise.ts';
import type { Call, CallOptions } from './transport.ts';
import type { Consent, ConsentedData, ConsentRequest, ConsentScope, RequestedConsent } from './types.ts';

/** Data that users share with an integration. */
export class Consents {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Asks a user for data: redirect the user to `link`. After a lost answer it is not sent again. Asking once
   * more is harmless, because a link that nobody opens expires.
   */
  request(request: ConsentRequest, options?: CallOptions): ApiPromise<RequestedConsent> {
    return this.#send(
      { method: 'POST', body: request, changes: true, isRepeatable: false },
      'requests',
      options,
    );
  }

  /** The state of a consent, without data of the user. */
  retrieve(consentId: string, options?: CallOptions): ApiPromise<Consent> {
    return this.#send({ method: 'GET', isRepeatable: true }, segment('consentId', consentId), options);
  }

  /** The data that the user shares. Of a one-time consent it can be read once. */
  data(consentId: string, options?: CallOptions): ApiPromise<ConsentedData> {
    const path = `${segment('consentId', consentId)}/user`;
    return this.#send({ method: 'GET', changes: true, isRepeatable: true }, path, options);
  }

  /** Keeps some of the granted scopes. */
  reduce(
    consentId: string,
    { scopes }: { scopes: ConsentScope[] },
    options?: CallOptions,
  ): ApiPromise<Consent> {
    const path = segment('consentId', consentId);
    return this.#send(
      { method: 'PATCH', body: { scopes }, changes: true, isRepeatable: true },
      path,
      options,
    );
  }

  /** Ends a consent at once. */
  revoke(consentId: string, options?: CallOptions): ApiPromise<Consent> {
    const path = segment('consentId', consentId);
    return this.#send({ method: 'DELETE', changes: true, isRepeatable: true }, path, options);
  }

  #send<T extends { consent_id: string }>(
    call: Omit<Call, 'url'>,
    path: string,
    options?: CallOptions,
  ): ApiPromise<T> {
    requireCaller(this.#api, 'integration');
    const url = address(this.#api.baseUrl, `/api/v1/consent/${path}`);
    return this.#api.transport.json({ ...call, url }, options, (answer: T) => {
      if (typeof answer.consent_id !== 'string') throw new TypeError('no consent_id');
      return answer;
    });
  }
}
