"""The feed of events of the partner or integration that has the key: every one, in order."""

import builtins
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NotRequired, TypedDict

from .api import Api
from .base_error import CausewayError
from .retry import delay_before, is_worth_repeating
from .transport import Answer, Call, Limits, address


class EventData(TypedDict):
    object: dict[str, Any]
    previousStatus: NotRequired[str]


class Event(TypedDict):
    id: str
    #: Such as `withdrawal.completed`. A newer server may send more types: ignore those.
    type: str
    timestamp: str
    #: Without gaps for each subscriber.
    sequence: int
    apiVersion: str
    data: EventData


class EventPage(TypedDict):
    events: list[Event]
    #: What to pass as `after` next time.
    next: int


class Events:
    def __init__(self, api: Api) -> None:
        self._api = api

    def list(
        self,
        *,
        after: int = 0,
        limit: int | None = None,
        types: Sequence[str] | None = None,
        wait: int | None = None,
        limits: Limits | None = None,
    ) -> EventPage:
        """One page of the feed. With `wait`, the server waits so many seconds for the next event."""
        path = "/api/events" if self._api.caller == "partner" else "/api/v1/events"
        query = {"after": after, "limit": limit, "types": builtins.list(types) if types else None, "wait": wait}
        bounds = limits or self._api.transport.limits
        # A long poll may take all of its time.
        bounds = replace(bounds, timeout=bounds.timeout + (wait or 0))

        def read(body: Any, _answer: Answer) -> EventPage:
            if not isinstance(body["events"], builtins.list) or not isinstance(body["next"], int):
                raise TypeError("no page")
            return {"events": body["events"], "next": body["next"]}

        return self._api.transport.json(Call("GET", address(self._api.base_url, path, query)), read, bounds)

    def follow(
        self,
        *,
        after: int,
        types: Sequence[str] | None = None,
        on_error: Callable[[CausewayError], object] | None = None,
    ) -> Iterator[Event]:
        """Every event after a sequence, in order, without end; break out of the loop to stop.

        Store `event["sequence"]` with what you do, and pass it as `after` when your program starts
        again: an event is then handled at least once. Outages are waited out, and `on_error`
        receives them. A refusal, such as after the key was revoked, is raised.
        """
        failures = 0
        while True:
            started_at = time.monotonic()
            try:
                page = self.list(after=after, types=types, wait=25, limit=100)
            except CausewayError as error:
                if not is_worth_repeating(error, True):
                    raise
                if on_error:
                    on_error(error)
                time.sleep(delay_before(failures))
                failures += 1
                continue
            failures = 0
            is_idle = page["next"] <= after and time.monotonic() - started_at < 1
            for event in page["events"]:
                if event["sequence"] > after:
                    yield event
                    after = event["sequence"]
            after = max(after, page["next"])
            if is_idle and not page["events"]:
                # A server that does not wait must not be asked in a tight loop.
                time.sleep(1)
