"""Client for the APIs of a Causeway server."""

from . import errors, types, webhooks
from .base_error import CallTimeoutError, CausewayError, ConnectionFailedError
from .client import Causeway
from .events import Event, EventPage
from .idempotency import FileStore, IdempotencyStore
from .pages import CursorListing, Listing, Page
from .transport import Limits
from .webhooks import WebhookVerificationError
from .withdrawals import CreatedWithdrawal, WaitTimeoutError

__all__ = [
    "CallTimeoutError",
    "Causeway",
    "CausewayError",
    "ConnectionFailedError",
    "CreatedWithdrawal",
    "CursorListing",
    "Event",
    "EventPage",
    "FileStore",
    "IdempotencyStore",
    "Limits",
    "Listing",
    "Page",
    "WaitTimeoutError",
    "WebhookVerificationError",
    "errors",
    "types",
    "webhooks",
]
