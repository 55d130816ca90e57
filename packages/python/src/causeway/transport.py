"""Sends calls, again where that is safe, within bounds of count and time."""

import email.utils
import http.client
import json
import math
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from .base_error import CallTimeoutError, CausewayError, ConnectionFailedError
from .generated.errors import ERROR_CLASSES
from .retry import delay_before, is_worth_repeating, leaves_outcome_unknown

T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """How long a call may take: one attempt, all of them, and how often it is sent again."""

    timeout: float = 30.0
    total_timeout: float = 120.0
    max_retries: int = 5


@dataclass(frozen=True)
class Call:
    method: str
    url: str
    body: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    #: Whether it changes something, so that a caller must learn that its outcome is unknown.
    changes: bool = False
    #: Whether sending it twice has the effect of sending it once.
    is_repeatable: bool = True


@dataclass(frozen=True)
class Answer:
    headers: http.client.HTTPMessage
    content: bytes


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would turn a create into a read, or carry the key elsewhere."""

    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


class Transport:
    def __init__(self, headers: Mapping[str, str], limits: Limits) -> None:
        self._headers = dict(headers)
        self.limits = limits
        self._opener = urllib.request.build_opener(_NoRedirects)

    def json(
        self,
        call: Call,
        read: Callable[[Any, Answer], T],
        limits: Limits | None = None,
    ) -> T:
        """A call that is answered in JSON. An answer that `read` cannot read counts as lost."""

        def finish(answer: Answer) -> T:
            try:
                return read(json.loads(answer.content), answer)
            except (ValueError, KeyError, TypeError, AttributeError) as cause:
                raise ConnectionFailedError("The answer is not the JSON that the API documents") from cause

        return self._repeat(call, limits or self.limits, finish)

    def file(self, call: Call, limits: Limits | None = None) -> bytes:
        """A call that is answered with a file."""
        return self._repeat(call, limits or self.limits, lambda answer: answer.content)

    def _repeat(self, call: Call, limits: Limits, finish: Callable[[Answer], T]) -> T:
        deadline = time.monotonic() + limits.total_timeout
        is_outcome_unknown = False
        retry = 0
        while True:
            try:
                timeout = min(limits.timeout, max(0.001, deadline - time.monotonic()))
                return finish(self._attempt(call, timeout))
            except CausewayError as error:
                # A later refusal does not undo it: the earlier request may still arrive.
                if call.changes and leaves_outcome_unknown(error):
                    is_outcome_unknown = True
                error.idempotency_key = call.idempotency_key
                error.is_outcome_unknown = is_outcome_unknown
                wait = delay_before(retry, error.retry_after)
                is_last = retry >= limits.max_retries or time.monotonic() + wait >= deadline
                if is_last or not is_worth_repeating(error, call.is_repeatable):
                    raise
            time.sleep(wait)
            retry += 1

    def _attempt(self, call: Call, timeout: float) -> Answer:
        headers = dict(self._headers)
        data = None
        if call.body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(call.body).encode()
        if call.idempotency_key is not None:
            headers["idempotency-key"] = call.idempotency_key
        request = urllib.request.Request(call.url, data, headers, method=call.method)
        deadline = time.monotonic() + timeout
        try:
            with self._opener.open(request, timeout=timeout) as response:
                return Answer(response.headers, _read(response, deadline))
        except urllib.error.HTTPError as error:
            with error:
                raise _error_of(error.code, error.headers, _read_or_nothing(error)) from None
        except (TimeoutError, socket.timeout) as error:
            raise CallTimeoutError(f"No answer within {timeout:.1f} s") from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise CallTimeoutError(f"No answer within {timeout:.1f} s") from error
            raise ConnectionFailedError("The connection failed") from error
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionFailedError("The connection failed") from error


def _read(response: Any, deadline: float) -> bytes:
    """The body. The timeout of a socket is for each read, so a slow answer needs a deadline."""
    chunks = []
    while chunk := response.read1(65_536):
        chunks.append(chunk)
        if time.monotonic() > deadline:
            raise TimeoutError
    content = b"".join(chunks)
    # `read1` ends quietly where the connection was cut off.
    length = response.headers.get("content-length")
    if length is not None and length.isdigit() and len(content) < int(length):
        raise http.client.IncompleteRead(content, int(length) - len(content))
    return content


def _read_or_nothing(error: urllib.error.HTTPError) -> bytes:
    try:
        return error.read()
    except (OSError, http.client.HTTPException):
        return b""


def _error_of(status: int, headers: Any, content: bytes) -> CausewayError:
    """The class of its code, or the base class for an unknown code."""
    text = content.decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except ValueError:
        body = text
    fields = body if isinstance(body, dict) else {}
    code = fields.get("code")
    message = fields.get("error")
    known = ERROR_CLASSES.get(code, CausewayError) if isinstance(code, str) else CausewayError
    return known(
        message if isinstance(message, str) else f"The server answered {status}",
        code=code if isinstance(code, str) else f"http_{status}",
        status=status,
        request_id=fields.get("requestId") or headers.get("x-request-id"),
        body=body,
        retry_after=read_retry_after(headers.get("retry-after")),
    )


def read_retry_after(header: str | None, now: float | None = None) -> float | None:
    """Seconds or a date, as seconds from now."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(header).timestamp() - (now or time.time())
        except ValueError:
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def address(base: str, path: str, query: Mapping[str, Any] | None = None) -> str:
    """A URL of the API. Parameters that are None are left out."""
    given = {name: _spell(value) for name, value in (query or {}).items() if value is not None}
    return base + path + (f"?{urllib.parse.urlencode(given)}" if given else "")


def _spell(value: Any) -> str:
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return ",".join(value) if isinstance(value, (list, tuple)) else str(value)


def segment(name: str, identifier: str) -> str:
    """An id as one segment of a path; what would lead to another path is refused."""
    if not isinstance(identifier, str) or identifier in ("", ".", ".."):
        raise TypeError(f"{name} must be an id")
    return urllib.parse.quote(identifier, safe="")
