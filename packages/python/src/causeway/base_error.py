"""The errors that do not come from the server's tables."""

from typing import Any


class CausewayError(Exception):
    """The base of every error about a call."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        request_id: str | None = None,
        body: Any = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        #: Stable, for programs: a code of the server, or one of this client.
        self.code = code
        #: Of the answer; None if none arrived.
        self.status = status
        #: Names the call in the server's log: report it.
        self.request_id = request_id
        #: The answer as it arrived: parsed if it is JSON, else text.
        self.body = body
        #: From Retry-After, in seconds.
        self.retry_after = retry_after
        #: The key that a create was sent with. Repeat the create with this key and no other.
        self.idempotency_key: str | None = None
        #: Whether the call may have taken effect although it failed. Such a create may only be
        #: repeated with `idempotency_key`: under a new key it could pay twice.
        self.is_outcome_unknown = False

    @property
    def details(self) -> list[dict[str, str]]:
        """The invalid fields of the request, if the server named some."""
        details = self.body.get("details") if isinstance(self.body, dict) else None
        return details if isinstance(details, list) else []


class ConnectionFailedError(CausewayError):
    """No whole answer arrived: refused, reset, cut off, or not JSON."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="connection_error")


class CallTimeoutError(CausewayError):
    """No answer within `timeout`."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="timeout")
