// Written by `npm run client` from the API reference. Do not edit.

import { CausewayError } from '../causeway-error.ts';

/** 403: `The operator added this address: ask the operator to remove it` */
export class AddedByOperatorError extends CausewayError {
  declare readonly code: 'added_by_operator';
}

/** 409: `The address book has this address already` */
export class AddressKnownError extends CausewayError {
  declare readonly code: 'address_known';
}

/** 403: `Forbidden: caller address is not on the allowlist of the key` */
export class AddressNotAllowedError extends CausewayError {
  declare readonly code: 'address_not_allowed';
}

/** 404: `The address book has no such entry` */
export class AddressNotFoundError extends CausewayError {
  declare readonly code: 'address_not_found';
}

/** 403: `A key names only its own user: a developer or owner sets userId or allUsers by session` */
export class AdminsChooseError extends CausewayError {
  declare readonly code: 'admins_choose';
}

/** 413: `Request body is too large` */
export class BodyTooLargeError extends CausewayError {
  declare readonly code: 'body_too_large';
}

/** 400: `Some of the withdrawals cannot be created: nothing was stored` */
export class BulkRefusedError extends CausewayError {
  declare readonly code: 'bulk_refused';
}

/** 410: `Consent has expired` */
export class ConsentExpiredError extends CausewayError {
  declare readonly code: 'consent_expired';
}

/** 404: `Consent not found` */
export class ConsentNotFoundError extends CausewayError {
  declare readonly code: 'consent_not_found';
}

/** 404: `Consent not found: the user has not granted it` */
export class ConsentNotGrantedError extends CausewayError {
  declare readonly code: 'consent_not_granted';
}

/** 410: `Consent was revoked` */
export class ConsentRevokedError extends CausewayError {
  declare readonly code: 'consent_revoked';
}

/** 404: `Delivery not found` */
export class DeliveryNotFoundError extends CausewayError {
  declare readonly code: 'delivery_not_found';
}

/** 403: `Forbidden: the rules for withdrawals deny it` */
export class DeniedByRuleError extends CausewayError {
  declare readonly code: 'denied_by_rule';
}

/** 409: `The endpoint is disabled: enable it first` */
export class EndpointDisabledError extends CausewayError {
  declare readonly code: 'endpoint_disabled';
}

/** 404: `Webhook endpoint not found` */
export class EndpointNotFoundError extends CausewayError {
  declare readonly code: 'endpoint_not_found';
}

/** 404: `Event not found, or not for this endpoint` */
export class EventNotFoundError extends CausewayError {
  declare readonly code: 'event_not_found';
}

/** 410: `Events after 7 were deleted: the oldest event that is kept has the sequence 120` */
export class EventsExpiredError extends CausewayError {
  declare readonly code: 'events_expired';
}

/** 400: `expiresAt must be in the future` */
export class ExpiryInThePastError extends CausewayError {
  declare readonly code: 'expiry_in_the_past';
}

/** 403: `Consent belongs to a different integration` */
export class ForeignConsentError extends CausewayError {
  declare readonly code: 'foreign_consent';
}

/** 431: `Request headers are too large` */
export class HeadersTooLargeError extends CausewayError {
  declare readonly code: 'headers_too_large';
}

/** 422: `This Idempotency-Key was used for another request` */
export class IdempotencyKeyReusedError extends CausewayError {
  declare readonly code: 'idempotency_key_reused';
}

/** 500: `Internal error` */
export class InternalError extends CausewayError {
  declare readonly code: 'internal_error';
}

/** 400: `ipAllowlist must contain IPv4 or IPv6 addresses or CIDR blocks` */
export class InvalidAddressBlockError extends CausewayError {
  declare readonly code: 'invalid_address_block';
}

/** 401: `Unauthorized: x-api-key is invalid` */
export class InvalidApiKeyError extends CausewayError {
  declare readonly code: 'invalid_api_key';
}

/** 400: `Invalid feature` */
export class InvalidFeatureError extends CausewayError {
  declare readonly code: 'invalid_feature';
}

/** 401: `Unauthorized: Invalid API key` */
export class InvalidKeyError extends CausewayError {
  declare readonly code: 'invalid_key';
}

/** 400: with a message that names the fault */
export class InvalidRequestError extends CausewayError {
  declare readonly code: 'invalid_request';
}

/** 409: `Key is revoked, expired or already rotated` */
export class KeyEndedError extends CausewayError {
  declare readonly code: 'key_ended';
}

/** 404: `Key not found` */
export class KeyNotFoundError extends CausewayError {
  declare readonly code: 'key_not_found';
}

/** 401: `Unauthorized: API key is required` */
export class KeyRequiredError extends CausewayError {
  declare readonly code: 'key_required';
}

/** 409: `Key is suspended: resume it first` */
export class KeySuspendedError extends CausewayError {
  declare readonly code: 'key_suspended';
}

/** 500: `API key validation failed: the key store does not answer` */
export class KeyValidationFailedError extends CausewayError {
  declare readonly code: 'key_validation_failed';
}

/** 403: `The endpoint receives events of all users: use a key with partner:admin` */
export class ManagedByOperatorError extends CausewayError {
  declare readonly code: 'managed_by_operator';
}

/** 405: `Method not allowed` */
export class MethodNotAllowedError extends CausewayError {
  declare readonly code: 'method_not_allowed';
}

/** 401: `Unauthorized: x-api-key is required` */
export class MissingApiKeyError extends CausewayError {
  declare readonly code: 'missing_api_key';
}

/** 404: `Not found` */
export class NotFoundError extends CausewayError {
  declare readonly code: 'not_found';
}

/** 403: `The user is not on your list: ask the operator to allow it` */
export class NotYourUserError extends CausewayError {
  declare readonly code: 'not_your_user';
}

/** 403: `You may not give the scope partner:admin` */
export class NotYoursToGiveError extends CausewayError {
  declare readonly code: 'not_yours_to_give';
}

/** 400: `optional_scopes must be a subset of scopes and leave at least one required scope` */
export class NothingRequiredError extends CausewayError {
  declare readonly code: 'nothing_required';
}

/** 403: `The endpoint receives events of other users: a developer or owner changes it by session` */
export class PeopleDecideError extends CausewayError {
  declare readonly code: 'people_decide';
}

/** 400: `purpose must be registered for the integration` */
export class PurposeNotRegisteredError extends CausewayError {
  declare readonly code: 'purpose_not_registered';
}

/** 429: `Rate limit exceeded` */
export class RateLimitExceededError extends CausewayError {
  declare readonly code: 'rate_limit_exceeded';
}

/** 403: `Receiver is not eligible to receive tokens` */
export class ReceiverNotEligibleError extends CausewayError {
  declare readonly code: 'receiver_not_eligible';
}

/** 404: `Error finding user verified wallet` */
export class RecipientNotFoundError extends CausewayError {
  declare readonly code: 'recipient_not_found';
}

/** 400: `redirect_uri must exactly match one of the registered redirect URIs` */
export class RedirectNotRegisteredError extends CausewayError {
  declare readonly code: 'redirect_not_registered';
}

/** 409: `A request with this Idempotency-Key is still in flight` */
export class RequestInFlightError extends CausewayError {
  declare readonly code: 'request_in_flight';
}

/** 408: `Request timeout` */
export class RequestTimeoutError extends CausewayError {
  declare readonly code: 'request_timeout';
}

/** 403: with a message that names the fault */
export class ScopeMissingError extends CausewayError {
  declare readonly code: 'scope_missing';
}

/** 400: `scopes cannot be added: request a new consent` */
export class ScopeNotGrantedError extends CausewayError {
  declare readonly code: 'scope_not_granted';
}

/** 400: `scopes must be registered for the integration` */
export class ScopeNotRegisteredError extends CausewayError {
  declare readonly code: 'scope_not_registered';
}

/** 409: `after is ahead of the feed: the newest event has the sequence 41` */
export class SequenceAheadError extends CausewayError {
  declare readonly code: 'sequence_ahead';
}

/** 409: `A subscriber has at most 20 webhook endpoints: delete one first` */
export class TooManyEndpointsError extends CausewayError {
  declare readonly code: 'too_many_endpoints';
}

/** 409: `A partner has at most 100 keys that work: revoke one first` */
export class TooManyKeysError extends CausewayError {
  declare readonly code: 'too_many_keys';
}

/** 409: `100 addresses wait for a confirmation: confirm or remove some first` */
export class TooManyProposalsError extends CausewayError {
  declare readonly code: 'too_many_proposals';
}

/** 429: `Too many requests wait for events` */
export class TooManyWaitingError extends CausewayError {
  declare readonly code: 'too_many_waiting';
}

/** 401: `Unauthorized` */
export class UnauthorizedError extends CausewayError {
  declare readonly code: 'unauthorized';
}

/** 503: `Service unavailable` */
export class UnavailableError extends CausewayError {
  declare readonly code: 'unavailable';
}

/** 415: `The charset of Content-Type must be UTF-8` */
export class UnsupportedCharsetError extends CausewayError {
  declare readonly code: 'unsupported_charset';
}

/** 415: `Content-Encoding must be identity` */
export class UnsupportedEncodingError extends CausewayError {
  declare readonly code: 'unsupported_encoding';
}

/** 415: `Content-Type must be application/json` */
export class UnsupportedMediaTypeError extends CausewayError {
  declare readonly code: 'unsupported_media_type';
}

/** 401: `User not allowed` */
export class UserNotAllowedError extends CausewayError {
  declare readonly code: 'user_not_allowed';
}

/** 404: `User not found` */
export class UserNotFoundError extends CausewayError {
  declare readonly code: 'user_not_found';
}

/** 404: `Wallet not found` */
export class WalletNotFoundError extends CausewayError {
  declare readonly code: 'wallet_not_found';
}

export const errorClasses = {
  added_by_operator: AddedByOperatorError,
  address_known: AddressKnownError,
  address_not_allowed: AddressNotAllowedError,
  address_not_found: AddressNotFoundError,
  admins_choose: AdminsChooseError,
  body_too_large: BodyTooLargeError,
  bulk_refused: BulkRefusedError,
  consent_expired: ConsentExpiredError,
  consent_not_found: ConsentNotFoundError,
  consent_not_granted: ConsentNotGrantedError,
  consent_revoked: ConsentRevokedError,
  delivery_not_found: DeliveryNotFoundError,
  denied_by_rule: DeniedByRuleError,
  endpoint_disabled: EndpointDisabledError,
  endpoint_not_found: EndpointNotFoundError,
  event_not_found: EventNotFoundError,
  events_expired: EventsExpiredError,
  expiry_in_the_past: ExpiryInThePastError,
  foreign_consent: ForeignConsentError,
  headers_too_large: HeadersTooLargeError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  internal_error: InternalError,
  invalid_address_block: InvalidAddressBlockError,
  invalid_api_key: InvalidApiKeyError,
  invalid_feature: InvalidFeatureError,
  invalid_key: InvalidKeyError,
  invalid_request: InvalidRequestError,
  key_ended: KeyEndedError,
  key_not_found: KeyNotFoundError,
  key_required: KeyRequiredError,
  key_suspended: KeySuspendedError,
  key_validation_failed: KeyValidationFailedError,
  managed_by_operator: ManagedByOperatorError,
  method_not_allowed: MethodNotAllowedError,
  missing_api_key: MissingApiKeyError,
  not_found: NotFoundError,
  not_your_user: NotYourUserError,
  not_yours_to_give: NotYoursToGiveError,
  nothing_required: NothingRequiredError,
  people_decide: PeopleDecideError,
  purpose_not_registered: PurposeNotRegisteredError,
  rate_limit_exceeded: RateLimitExceededError,
  receiver_not_eligible: ReceiverNotEligibleError,
  recipient_not_found: RecipientNotFoundError,
  redirect_not_registered: RedirectNotRegisteredError,
  request_in_flight: RequestInFlightError,
  request_timeout: RequestTimeoutError,
  scope_missing: ScopeMissingError,
  scope_not_granted: ScopeNotGrantedError,
  scope_not_registered: ScopeNotRegisteredError,
  sequence_ahead: SequenceAheadError,
  too_many_endpoints: TooManyEndpointsError,
  too_many_keys: TooManyKeysError,
  too_many_proposals: TooManyProposalsError,
  too_many_waiting: TooManyWaitingError,
  unauthorized: UnauthorizedError,
  unavailable: UnavailableError,
  unsupported_charset: UnsupportedCharsetError,
  unsupported_encoding: UnsupportedEncodingError,
  unsupported_media_type: UnsupportedMediaTypeError,
  user_not_allowed: UserNotAllowedError,
  user_not_found: UserNotFoundError,
  wallet_not_found: WalletNotFoundError,
} as const;
