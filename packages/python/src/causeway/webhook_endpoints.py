"""Where events are sent: of the partner or integration that has the key."""

import builtins
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict, Unpack

from .api import Api
from .generated.types import (
    CreatedWebhookEndpoint,
    WebhookDelivery,
    WebhookDeliveryDetails,
    WebhookEndpoint,
    WebhookReplay,
)
from .pages import CursorListing, Page
from .transport import Answer, Call, Limits, address, segment


class EndpointTerms(TypedDict, total=False):
    #: Only these types of events; None: all types.
    types: Sequence[str] | None
    #: Whether events of one resource are sent one after another.
    ordered: bool
    description: str


class EndpointChange(EndpointTerms, total=False):
    url: str
    enabled: bool
    #: With `enabled`: also send what was missed, first and in order.
    replay_missed: bool


class WebhookEndpoints:
    def __init__(self, api: Api) -> None:
        self._api = api
        is_partner = api.caller == "partner"
        self._path = "/api/webhooks/endpoints" if is_partner else "/api/v1/webhooks/endpoints"

    def create(
        self, *, url: str, limits: Limits | None = None, **terms: Unpack[EndpointTerms]
    ) -> CreatedWebhookEndpoint:
        """Store `secret`: only this answer has it.

        After a lost answer it is not sent again, because that could create two endpoints: look for it
        in `list`, and rotate its secret.
        """
        result: CreatedWebhookEndpoint = self._post("", {"url": url, **terms}, limits)
        return result

    def list(self, *, limit: int = 100, limits: Limits | None = None) -> CursorListing[WebhookEndpoint]:
        """Those that the key sees, oldest first."""
        return self._list("", {"limit": limit}, limits)

    def retrieve(self, endpoint_id: str, *, limits: Limits | None = None) -> WebhookEndpoint:
        result: WebhookEndpoint = self._send("GET", _path_of(endpoint_id), None, limits)
        return result

    def update(
        self, endpoint_id: str, *, limits: Limits | None = None, **change: Unpack[EndpointChange]
    ) -> WebhookEndpoint:
        """What is left out stays as it is."""
        body = {"replayMissed" if name == "replay_missed" else name: value for name, value in change.items()}
        result: WebhookEndpoint = self._send("PATCH", _path_of(endpoint_id), body, limits, changes=True)
        return result

    def delete(self, endpoint_id: str, *, limits: Limits | None = None) -> WebhookEndpoint:
        """Deletes an endpoint; the answer shows it as it was.

        An `EndpointNotFoundError` with `is_outcome_unknown` comes after a lost answer: it is deleted.
        """
        result: WebhookEndpoint = self._send("DELETE", _path_of(endpoint_id), None, limits, changes=True)
        return result

    def rotate_secret(self, endpoint_id: str, *, limits: Limits | None = None) -> CreatedWebhookEndpoint:
        """Replaces the secret; the old one signs as well for 24 hours.

        After a lost answer it is not sent again, because a second rotation ends the secret that you
        have.
        """
        result: CreatedWebhookEndpoint = self._post(f"{_path_of(endpoint_id)}/rotate-secret", None, limits)
        return result

    def send_test(self, endpoint_id: str, *, limits: Limits | None = None) -> WebhookEndpoint:
        """Sends the event `webhook_endpoint.tested` to this endpoint."""
        result: WebhookEndpoint = self._post(f"{_path_of(endpoint_id)}/test", None, limits)
        return result

    def replay(
        self,
        endpoint_id: str,
        *,
        event_id: str | None = None,
        start_date: datetime | None = None,
        end_date: datetime | None = None,
        missed: bool | None = None,
        after: int | None = None,
        limits: Limits | None = None,
    ) -> WebhookReplay:
        """Sends events again: one, those of a period, or what was missed.

        For the rest of a period, call it again with `nextAfter` as `after`.
        """
        given = {
            "eventId": event_id,
            "startDate": start_date.isoformat() if start_date else None,
            "endDate": end_date.isoformat() if end_date else None,
            "missed": missed,
            "after": after,
        }
        body = {name: value for name, value in given.items() if value is not None}
        result: WebhookReplay = self._post(f"{_path_of(endpoint_id)}/replay", body, limits, "queued")
        return result

    def list_deliveries(
        self,
        endpoint_id: str,
        *,
        status: Literal["due", "delivered", "failed", "canceled"] | None = None,
        limit: int = 100,
        limits: Limits | None = None,
    ) -> CursorListing[WebhookDelivery]:
        """What was sent to an endpoint in the last 30 days, newest first."""
        return self._list(f"{_path_of(endpoint_id)}/deliveries", {"status": status, "limit": limit}, limits)

    def retrieve_delivery(
        self, endpoint_id: str, delivery_id: str, *, limits: Limits | None = None
    ) -> WebhookDeliveryDetails:
        """One delivery, with its body and the answer to each attempt."""
        path = f"{_path_of(endpoint_id)}/deliveries/{segment('delivery_id', delivery_id)}"
        result: WebhookDeliveryDetails = self._send("GET", path, None, limits)
        return result

    def _list(self, path: str, query: Mapping[str, Any], limits: Limits | None) -> CursorListing[Any]:
        def read(body: Any, _answer: Answer) -> Page[Any]:
            if not isinstance(body["items"], builtins.list):
                raise TypeError("no list")
            following = body["nextCursor"]
            return Page(body["items"], {"nextCursor": following}, following is not None)

        def read_page(cursor: str | None) -> Page[Any]:
            url = address(self._api.base_url, self._path + path, {"cursor": cursor, **query})
            return self._api.transport.json(Call("GET", url), read, limits)

        return CursorListing(read_page)

    def _post(self, path: str, body: Mapping[str, Any] | None, limits: Limits | None, proof: str = "id") -> Any:
        return self._send("POST", path, body, limits, changes=True, is_repeatable=False, proof=proof)

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        limits: Limits | None,
        *,
        changes: bool = False,
        is_repeatable: bool = True,
        proof: str = "id",
    ) -> Any:
        """`proof` is a field without which the answer is not the documented one."""

        def read(answer: Any, _answer: Answer) -> Any:
            if answer[proof] is None:
                raise TypeError(f"no {proof}")
            return answer

        url = address(self._api.base_url, self._path + path)
        call = Call(method, url, body, changes=changes, is_repeatable=is_repeatable)
        return self._api.transport.json(call, read, limits)


def _path_of(endpoint_id: str) -> str:
    return "/" + segment("endpoint_id", endpoint_id)
