"""Data that users share with an integration."""

from collections.abc import Mapping
from typing import Any, TypeVar

from .api import Api
from .generated.types import Consent, ConsentedData, RequestConsentRequest, RequestedConsent
from .transport import Answer, Call, Limits, address, segment

T = TypeVar("T")


class Consents:
    def __init__(self, api: Api) -> None:
        self._api = api

    def request(self, request: RequestConsentRequest, *, limits: Limits | None = None) -> RequestedConsent:
        """Asks a user for data: redirect the user to `link`.

        After a lost answer it is not sent again. Asking once more is harmless, because a link that
        nobody opens expires.
        """
        call = self._call("POST", "requests", body=request, changes=True, is_repeatable=False)
        result: RequestedConsent = self._send(call, limits)
        return result

    def retrieve(self, consent_id: str, *, limits: Limits | None = None) -> Consent:
        """The state of a consent, without data of the user."""
        result: Consent = self._send(self._call("GET", segment("consent_id", consent_id)), limits)
        return result

    def data(self, consent_id: str, *, limits: Limits | None = None) -> ConsentedData:
        """The data that the user shares. Of a one-time consent it can be read once."""
        path = f"{segment('consent_id', consent_id)}/user"
        result: ConsentedData = self._send(self._call("GET", path, changes=True), limits)
        return result

    def reduce(self, consent_id: str, scopes: list[str], *, limits: Limits | None = None) -> Consent:
        """Keeps some of the granted scopes."""
        path = segment("consent_id", consent_id)
        result: Consent = self._send(self._call("PATCH", path, body={"scopes": scopes}, changes=True), limits)
        return result

    def revoke(self, consent_id: str, *, limits: Limits | None = None) -> Consent:
        """Ends a consent at once."""
        path = segment("consent_id", consent_id)
        result: Consent = self._send(self._call("DELETE", path, changes=True), limits)
        return result

    def _call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        changes: bool = False,
        is_repeatable: bool = True,
    ) -> Call:
        self._api.require("integration")
        url = address(self._api.base_url, f"/api/v1/consent/{path}")
        return Call(method, url, body, changes=changes, is_repeatable=is_repeatable)

    def _send(self, call: Call, limits: Limits | None) -> Any:
        def read(body: Any, _answer: Answer) -> Any:
            if not isinstance(body["consent_id"], str):
                raise TypeError("no consent_id")
            return body

        return self._api.transport.json(call, read, limits)
