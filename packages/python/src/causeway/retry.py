"""When a call is sent again, and how long the client waits before."""

import random

from .base_error import CallTimeoutError, CausewayError, ConnectionFailedError


def leaves_outcome_unknown(error: CausewayError) -> bool:
    """Whether the server may have carried out the request of a failed attempt.

    A gateway may lose the answer of a server that did, so every 5xx counts, as do a request that
    is still in flight and any lost connection.
    """
    if error.status is None or error.status >= 500 or error.status == 408:
        return True
    return error.code == "request_in_flight"


def is_worth_repeating(error: CausewayError, is_repeatable: bool) -> bool:
    """Whether another attempt may succeed and is safe. 429 says that nothing was done."""
    if error.status == 429:
        return True
    if not is_repeatable:
        return False
    if isinstance(error, (ConnectionFailedError, CallTimeoutError)):
        return True
    return error.status is not None and leaves_outcome_unknown(error)


def delay_before(retry: int, retry_after: float | None = None) -> float:
    """Grows with each attempt, with jitter so that clients do not return together."""
    if retry_after is not None:
        return retry_after + random.random() * 0.25
    return float(min(0.4 * 2 ** min(retry, 10), 8.0) * (0.5 + random.random() / 2))
