"""Pay tokens and follow what becomes of it."""

import builtins
import random
import time
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict, Unpack

from .api import Api
from .base_error import CausewayError
from .generated.types import Asset, ReadLimitsAnswerData, Withdrawal
from .idempotency import key_of
from .pages import Listing, Page
from .retry import is_worth_repeating
from .transport import Answer, Call, Limits, address, segment


class WaitTimeoutError(CausewayError):
    """The withdrawal was not final in time. It continues on the server: wait for it again."""

    def __init__(self, timeout: float, withdrawal: Withdrawal | None) -> None:
        super().__init__(f"The withdrawal was not final within {timeout:g} s", code="wait_timeout")
        #: As it was last read; None if it could not be read.
        self.withdrawal = withdrawal


@dataclass(frozen=True)
class CreatedWithdrawal:
    """A withdrawal that was accepted; `wait_for` follows it."""

    user_id: str
    bulk_id: str
    external_id: str | None
    idempotency_key: str
    #: Whether it had been created before, by an earlier call with the same key.
    is_replay: bool


class Filters(TypedDict, total=False):
    bulk_id: str
    transaction_hash: str
    status: Literal["queued", "pending", "processing", "completed", "failed"]
    external_id: str


_spellings = {"bulk_id": "bulkId", "transaction_hash": "transactionHash", "external_id": "externalId"}


class Withdrawals:
    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        *,
        user_id: str,
        amount: str,
        to: str,
        currency: str | None = None,
        network: str | None = None,
        external_id: str | None = None,
        idempotency_key: str | None = None,
        operation: str | None = None,
        limits: Limits | None = None,
    ) -> CreatedWithdrawal:
        """Pays tokens.

        It is sent again after a lost answer, always under the same idempotency key, so that nobody
        is paid twice. If it raises an error with `is_outcome_unknown`, repeat it with
        `error.idempotency_key`.
        """
        self._api.require("partner")
        given = {"amount": amount, "to": to, "currency": currency, "network": network, "externalId": external_id}
        url = address(self._api.base_url, f"/api/crypto/{segment('user_id', user_id)}/withdraw")
        key = key_of(idempotency_key, operation, self._api.store)

        def read(body: Any, answer: Answer) -> CreatedWithdrawal:
            data = body["data"]
            if not isinstance(data["bulkId"], str):
                raise TypeError("no bulkId")
            is_replay = answer.headers.get("idempotency-replayed") == "true"
            return CreatedWithdrawal(user_id, data["bulkId"], data.get("externalId"), key, is_replay)

        body = {name: value for name, value in given.items() if value is not None}
        return self._api.transport.json(Call("POST", url, body, key, changes=True), read, limits)

    def list(
        self,
        user_id: str,
        *,
        page: int = 1,
        per_page: int = 100,
        limits: Limits | None = None,
        **filters: Unpack[Filters],
    ) -> Listing[Withdrawal]:
        """Withdrawals of a user, newest first."""
        self._api.require("partner")
        path = f"/api/crypto/{segment('user_id', user_id)}/withdraws"
        named = {_spellings.get(name, name): value for name, value in filters.items()}

        def read(body: Any, _answer: Answer) -> Page[Withdrawal]:
            items, info = body["data"]["withdraws"], body["data"]["pageInfo"]
            if not isinstance(items, builtins.list):
                raise TypeError("no list")
            # The API does not say whether more follow: after a full last page, the next is empty.
            return Page(items, info, len(items) >= info["limit"])

        def read_page(number: int) -> Page[Withdrawal]:
            url = address(self._api.base_url, path, {"page": number, "perPage": per_page, **named})
            return self._api.transport.json(Call("GET", url), read, limits)

        return Listing(read_page, page, lambda withdrawal: withdrawal["id"])

    def retrieve(self, user_id: str, bulk_id: str, *, limits: Limits | None = None) -> Withdrawal | None:
        """One withdrawal by the bulk id of its creation; None if the user has no such withdrawal."""
        items = self.list(user_id, bulk_id=bulk_id, limits=limits).page().items
        if len(items) > 1:
            raise ValueError("several withdrawals have this bulk id: list them")
        return items[0] if items else None

    def wait_for(self, created: CreatedWithdrawal, *, timeout: float = 600.0) -> Withdrawal:
        """Returns the withdrawal when it is `completed` or `failed`: look at `status`.

        An outage of the server does not end the wait; the timeout does.
        """
        deadline = time.monotonic() + timeout
        last: Withdrawal | None = None
        delay = 0.5
        while True:
            limits = replace(self._api.transport.limits, total_timeout=max(0.001, deadline - time.monotonic()))
            try:
                last = self.retrieve(created.user_id, created.bulk_id, limits=limits) or last
            except CausewayError as error:
                if not is_worth_repeating(error, True):
                    raise
            if last is not None and last["status"] in ("completed", "failed"):
                return last
            wait = delay * (0.75 + random.random() / 2)
            left = deadline - time.monotonic()
            time.sleep(max(0.0, min(wait, left)))
            if left <= wait:
                raise WaitTimeoutError(timeout, last)
            delay = min(delay * 1.5, 10.0)

    def assets(self, *, limits: Limits | None = None) -> builtins.list[Asset]:
        """What can be paid, with limits and finality."""
        self._api.require("partner")
        url = address(self._api.base_url, "/api/crypto/assets")

        def read(body: Any, _answer: Answer) -> builtins.list[Asset]:
            return builtins.list(body["data"]["assets"])

        return self._api.transport.json(Call("GET", url), read, limits)

    def remaining(
        self, user_id: str | None = None, *, limits: Limits | None = None
    ) -> ReadLimitsAnswerData:
        """What the limits of your account leave, and when more may be paid."""
        self._api.require("partner")
        url = address(self._api.base_url, "/api/limits", {"userId": user_id})

        def read(body: Any, _answer: Answer) -> ReadLimitsAnswerData:
            builtins.list(body["data"]["limits"])
            return body["data"]  # type: ignore[no-any-return]

        return self._api.transport.json(Call("GET", url), read, limits)
