"""A client of one partner or one integration."""

from .api import Api
from .consents import Consents
from .events import Events
from .history import Cards, History
from .idempotency import IdempotencyStore
from .transport import Limits, Transport
from .webhook_endpoints import WebhookEndpoints
from .withdrawals import Withdrawals


class Causeway:
    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        integration_key: str | None = None,
        history_url: str | None = None,
        store: IdempotencyStore | None = None,
        limits: Limits = Limits(),
    ) -> None:
        """`api_key` is of a partner (`cwk_…`), `integration_key` of an integration (`cwi_…`).

        `history_url` is for a server whose history has another address. `store` keeps idempotency
        keys over restarts of the process.
        """
        if (api_key is None) == (integration_key is None):
            raise TypeError("Pass api_key or integration_key: a client has one of them")
        headers = {"x-api-key": str(integration_key)}
        if api_key is not None:
            headers = {"authorization": f"Bearer {api_key}"}
        api = Api(
            Transport(headers, limits),
            base_url.rstrip("/"),
            (history_url or base_url).rstrip("/"),
            "integration" if api_key is None else "partner",
            store,
        )
        self.withdrawals = Withdrawals(api)
        self.history = History(api)
        self.cards = Cards(api)
        self.consents = Consents(api)
        self.events = Events(api)
        self.webhook_endpoints = WebhookEndpoints(api)
