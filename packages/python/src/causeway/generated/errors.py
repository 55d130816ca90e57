# Written by `npm run client` from the API reference. Do not edit.

from ..base_error import CausewayError


class AddedByOperatorError(CausewayError):
    """403: `The operator added this address: ask the operator to remove it`"""


class AddressKnownError(CausewayError):
    """409: `The address book has this address already`"""


class AddressNotAllowedError(CausewayError):
    """403: `Forbidden: caller address is not on the allowlist of the key`"""


class AddressNotFoundError(CausewayError):
    """404: `The address book has no such entry`"""


class AdminsChooseError(CausewayError):
    """403: `A key names only its own user: a developer or owner sets userId or allUsers by session`"""


class BodyTooLargeError(CausewayError):
    """413: `Request body is too large`"""


class BulkRefusedError(CausewayError):
    """400: `Some of the withdrawals cannot be created: nothing was stored`"""


class ConsentExpiredError(CausewayError):
    """410: `Consent has expired`"""


class ConsentNotFoundError(CausewayError):
    """404: `Consent not found`"""


class ConsentNotGrantedError(CausewayError):
    """404: `Consent not found: the user has not granted it`"""


class ConsentRevokedError(CausewayError):
    """410: `Consent was revoked`"""


class DeliveryNotFoundError(CausewayError):
    """404: `Delivery not found`"""


class DeniedByRuleError(CausewayError):
    """403: `Forbidden: the rules for withdrawals deny it`"""


class EndpointDisabledError(CausewayError):
    """409: `The endpoint is disabled: enable it first`"""


class EndpointNotFoundError(CausewayError):
    """404: `Webhook endpoint not found`"""


class EventNotFoundError(CausewayError):
    """404: `Event not found, or not for this endpoint`"""


class EventsExpiredError(CausewayError):
    """410: `Events after 7 were deleted: the oldest event that is kept has the sequence 120`"""


class ExpiryInThePastError(CausewayError):
    """400: `expiresAt must be in the future`"""


class ForeignConsentError(CausewayError):
    """403: `Consent belongs to a different integration`"""


class HeadersTooLargeError(CausewayError):
    """431: `Request headers are too large`"""


class IdempotencyKeyReusedError(CausewayError):
    """422: `This Idempotency-Key was used for another request`"""


class InternalError(CausewayError):
    """500: `Internal error`"""


class InvalidAddressBlockError(CausewayError):
    """400: `ipAllowlist must contain IPv4 or IPv6 addresses or CIDR blocks`"""


class InvalidApiKeyError(CausewayError):
    """401: `Unauthorized: x-api-key is invalid`"""


class InvalidFeatureError(CausewayError):
    """400: `Invalid feature`"""


class InvalidKeyError(CausewayError):
    """401: `Unauthorized: Invalid API key`"""


class InvalidRequestError(CausewayError):
    """400: with a message that names the fault"""


class KeyEndedError(CausewayError):
    """409: `Key is revoked, expired or already rotated`"""


class KeyNotFoundError(CausewayError):
    """404: `Key not found`"""


class KeyRequiredError(CausewayError):
    """401: `Unauthorized: API key is required`"""


class KeySuspendedError(CausewayError):
    """409: `Key is suspended: resume it first`"""


class KeyValidationFailedError(CausewayError):
    """500: `API key validation failed: the key store does not answer`"""


class ManagedByOperatorError(CausewayError):
    """403: `The endpoint receives events of all users: use a key with partner:admin`"""


class MethodNotAllowedError(CausewayError):
    """405: `Method not allowed`"""


class MissingApiKeyError(CausewayError):
    """401: `Unauthorized: x-api-key is required`"""


class NotFoundError(CausewayError):
    """404: `Not found`"""


class NotYourUserError(CausewayError):
    """403: `The user is not on your list: ask the operator to allow it`"""


class NotYoursToGiveError(CausewayError):
    """403: `You may not give the scope partner:admin`"""


class NothingRequiredError(CausewayError):
    """400: `optional_scopes must be a subset of scopes and leave at least one required scope`"""


class PeopleDecideError(CausewayError):
    """403: `The endpoint receives events of other users: a developer or owner changes it by session`"""


class PurposeNotRegisteredError(CausewayError):
    """400: `purpose must be registered for the integration`"""


class RateLimitExceededError(CausewayError):
    """429: `Rate limit exceeded`"""


class ReceiverNotEligibleError(CausewayError):
    """403: `Receiver is not eligible to receive tokens`"""


class RecipientNotFoundError(CausewayError):
    """404: `Error finding user verified wallet`"""


class RedirectNotRegisteredError(CausewayError):
    """400: `redirect_uri must exactly match one of the registered redirect URIs`"""


class RequestInFlightError(CausewayError):
    """409: `A request with this Idempotency-Key is still in flight`"""


class RequestTimeoutError(CausewayError):
    """408: `Request timeout`"""


class ScopeMissingError(CausewayError):
    """403: with a message that names the fault"""


class ScopeNotGrantedError(CausewayError):
    """400: `scopes cannot be added: request a new consent`"""


class ScopeNotRegisteredError(CausewayError):
    """400: `scopes must be registered for the integration`"""


class SequenceAheadError(CausewayError):
    """409: `after is ahead of the feed: the newest event has the sequence 41`"""


class TooManyEndpointsError(CausewayError):
    """409: `A subscriber has at most 20 webhook endpoints: delete one first`"""


class TooManyKeysError(CausewayError):
    """409: `A partner has at most 100 keys that work: revoke one first`"""


class TooManyProposalsError(CausewayError):
    """409: `100 addresses wait for a confirmation: confirm or remove some first`"""


class TooManyWaitingError(CausewayError):
    """429: `Too many requests wait for events`"""


class UnauthorizedError(CausewayError):
    """401: `Unauthorized`"""


class UnavailableError(CausewayError):
    """503: `Service unavailable`"""


class UnsupportedCharsetError(CausewayError):
    """415: `The charset of Content-Type must be UTF-8`"""


class UnsupportedEncodingError(CausewayError):
    """415: `Content-Encoding must be identity`"""


class UnsupportedMediaTypeError(CausewayError):
    """415: `Content-Type must be application/json`"""


class UserNotAllowedError(CausewayError):
    """401: `User not allowed`"""


class UserNotFoundError(CausewayError):
    """404: `User not found`"""


class WalletNotFoundError(CausewayError):
    """404: `Wallet not found`"""


ERROR_CLASSES: dict[str, type[CausewayError]] = {
    "added_by_operator": AddedByOperatorError,
    "address_known": AddressKnownError,
    "address_not_allowed": AddressNotAllowedError,
    "address_not_found": AddressNotFoundError,
    "admins_choose": AdminsChooseError,
    "body_too_large": BodyTooLargeError,
    "bulk_refused": BulkRefusedError,
    "consent_expired": ConsentExpiredError,
    "consent_not_found": ConsentNotFoundError,
    "consent_not_granted": ConsentNotGrantedError,
    "consent_revoked": ConsentRevokedError,
    "delivery_not_found": DeliveryNotFoundError,
    "denied_by_rule": DeniedByRuleError,
    "endpoint_disabled": EndpointDisabledError,
    "endpoint_not_found": EndpointNotFoundError,
    "event_not_found": EventNotFoundError,
    "events_expired": EventsExpiredError,
    "expiry_in_the_past": ExpiryInThePastError,
    "foreign_consent": ForeignConsentError,
    "headers_too_large": HeadersTooLargeError,
    "idempotency_key_reused": IdempotencyKeyReusedError,
    "internal_error": InternalError,
    "invalid_address_block": InvalidAddressBlockError,
    "invalid_api_key": InvalidApiKeyError,
    "invalid_feature": InvalidFeatureError,
    "invalid_key": InvalidKeyError,
    "invalid_request": InvalidRequestError,
    "key_ended": KeyEndedError,
    "key_not_found": KeyNotFoundError,
    "key_required": KeyRequiredError,
    "key_suspended": KeySuspendedError,
    "key_validation_failed": KeyValidationFailedError,
    "managed_by_operator": ManagedByOperatorError,
    "method_not_allowed": MethodNotAllowedError,
    "missing_api_key": MissingApiKeyError,
    "not_found": NotFoundError,
    "not_your_user": NotYourUserError,
    "not_yours_to_give": NotYoursToGiveError,
    "nothing_required": NothingRequiredError,
    "people_decide": PeopleDecideError,
    "purpose_not_registered": PurposeNotRegisteredError,
    "rate_limit_exceeded": RateLimitExceededError,
    "receiver_not_eligible": ReceiverNotEligibleError,
    "recipient_not_found": RecipientNotFoundError,
    "redirect_not_registered": RedirectNotRegisteredError,
    "request_in_flight": RequestInFlightError,
    "request_timeout": RequestTimeoutError,
    "scope_missing": ScopeMissingError,
    "scope_not_granted": ScopeNotGrantedError,
    "scope_not_registered": ScopeNotRegisteredError,
    "sequence_ahead": SequenceAheadError,
    "too_many_endpoints": TooManyEndpointsError,
    "too_many_keys": TooManyKeysError,
    "too_many_proposals": TooManyProposalsError,
    "too_many_waiting": TooManyWaitingError,
    "unauthorized": UnauthorizedError,
    "unavailable": UnavailableError,
    "unsupported_charset": UnsupportedCharsetError,
    "unsupported_encoding": UnsupportedEncodingError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "user_not_allowed": UserNotAllowedError,
    "user_not_found": UserNotFoundError,
    "wallet_not_found": WalletNotFoundError,
}
