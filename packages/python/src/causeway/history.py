"""The account and the cards of the user that owns the key. The server allows 2 requests in 2 seconds."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from .api import Api
from .generated.types import (
    CardBalanceMovement,
    CardSnapshot,
    CardTransaction,
    LedgerNode,
    UnsettledNode,
)
from .pages import Listing, Page
from .transport import Answer, Call, Limits, address

T = TypeVar("T")

#: ISO 8601; a text may be a year, a month or a day, such as `2026-01`. A datetime needs a time zone.
Instant = str | datetime


class PageParams(TypedDict, total=False):
    current_page: int
    page_size: int
    limits: Limits


class UnsettledParams(PageParams, total=False):
    start_date: Instant
    end_date: Instant


class AccountParams(UnsettledParams, total=False):
    as_of: Instant


class TransactionParams(AccountParams, total=False):
    filter_by_text: str


class CardParams(PageParams, total=False):
    as_of: Instant
    status: Literal["all", "active", "inactive", "locked", "canceled"]


class StatementParams(TypedDict, total=False):
    feature: str
    start_date: Instant
    end_date: Instant
    lang: str
    order: Literal["newest", "oldest"]
    bom: bool


_spellings = {
    "start_date": "startDate",
    "end_date": "endDate",
    "as_of": "asOf",
    "filter_by_text": "filterByText",
}


def _spell(params: dict[str, Any]) -> dict[str, Any]:
    for name, value in params.items():
        if isinstance(value, datetime) and value.tzinfo is None:
            raise TypeError(f"{name} must have a time zone")
    return {_spellings.get(name, name): value for name, value in params.items()}


def _read_history(
    api: Api,
    query: dict[str, str],
    params: Any,
    names: tuple[str, str],
    key_of: Callable[[T], str],
) -> Listing[T]:
    """Pages of `/api/history`, counted from 0. Features differ in the names of their fields."""
    api.require("partner")
    others = dict(params)
    first, size = others.pop("current_page", 0), others.pop("page_size", 100)
    limits = others.pop("limits", None)
    items_name, info_name = names
    filters = _spell(others)

    def read(body: Any, _answer: Answer) -> Page[T]:
        items, info = body[items_name], body[info_name]
        if not isinstance(items, list):
            raise TypeError("no list")
        return Page(items, info, info["hasNextPage"], body.get("message"))

    def read_page(number: int) -> Page[T]:
        paged = {**query, **filters, "currentPage": number, "pageSize": size}
        url = address(api.history_url, "/api/history", paged)
        return api.transport.json(Call("GET", url), read, limits)

    return Listing(read_page, first, key_of)


class History:
    def __init__(self, api: Api) -> None:
        self._api = api

    def account(self, **params: Unpack[AccountParams]) -> Listing[LedgerNode]:
        """The settled ledger, all types, newest first."""
        return self._lines("account", params)

    def deposits(self, **params: Unpack[AccountParams]) -> Listing[LedgerNode]:
        return self._lines("account-onramp", params)

    def withdrawals(self, **params: Unpack[AccountParams]) -> Listing[LedgerNode]:
        """Withdrawals that are settled."""
        return self._lines("account-offramp", params)

    def swaps(self, **params: Unpack[AccountParams]) -> Listing[LedgerNode]:
        """Conversions: swaps and bridges."""
        return self._lines("account-swap", params)

    def transfers(self, **params: Unpack[AccountParams]) -> Listing[LedgerNode]:
        return self._lines("account-crypto", params)

    def portfolio(self, **params: Unpack[AccountParams]) -> Listing[LedgerNode]:
        """Transfers, conversions and bridges. The spelling of the feature is the API's."""
        return self._lines("account-portifolio", params)

    def unsettled(self, **params: Unpack[UnsettledParams]) -> Listing[UnsettledNode]:
        """Everything that is not settled yet, rejected or canceled."""
        query = {"resource": "account", "feature": "account-unsettled"}
        names = ("nodes", "pageInfo")
        return _read_history(self._api, query, params, names, lambda one: one["uniqueHashId"] or json.dumps(one))

    def statement(
        self,
        format: Literal["csv", "pdf", "xlsx", "camt053", "ofx"] = "csv",
        *,
        limits: Limits | None = None,
        **params: Unpack[StatementParams],
    ) -> bytes:
        """The ledger as a file."""
        self._api.require("partner")
        query: dict[str, Any] = {"format": format, **_spell(dict(params))}
        if "bom" in query:
            query["bom"] = "true" if query["bom"] else "false"
        url = address(self._api.history_url, "/api/history/statement", query)
        return self._api.transport.file(Call("GET", url), limits)

    def _lines(self, feature: str, params: AccountParams) -> Listing[LedgerNode]:
        query = {"resource": "account", "feature": feature}
        names = ("nodes", "pageInfo")
        return _read_history(self._api, query, params, names, lambda one: one["uniqueHashId"] or json.dumps(one))


class Cards:
    def __init__(self, api: Api) -> None:
        self._api = api

    def list(self, **params: Unpack[CardParams]) -> Listing[CardSnapshot]:
        """The cards, now or as they were at `as_of`. Without `status`, canceled cards are hidden."""
        query = {"resource": "cards", "feature": "cards-summary"}
        names = ("userCardsSnapshot", "pagination")
        return _read_history(self._api, query, params, names, lambda card: card["id"])

    def transactions(self, **params: Unpack[TransactionParams]) -> Listing[CardTransaction]:
        """Payments and refunds, newest first."""
        query = {"resource": "cards", "feature": "cards-transactions"}
        names = ("userCardTransactions", "pagination")
        return _read_history(self._api, query, params, names, lambda one: one["transaction"]["id"])

    def balance_movements(self, **params: Unpack[AccountParams]) -> Listing[CardBalanceMovement]:
        """Movements of the collateral behind the cards, newest first."""
        query = {"resource": "cards", "feature": "cards-balance"}
        names = ("cardIssuerUserCollateralMovement", "pagination")
        # Movements have no id here. Balances before and after tell two of them apart.
        return _read_history(self._api, query, params, names, lambda movement: json.dumps(movement))
