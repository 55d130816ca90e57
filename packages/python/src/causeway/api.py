"""What the methods of a client share."""

from dataclasses import dataclass
from typing import Literal

from .idempotency import IdempotencyStore
from .transport import Transport

Caller = Literal["partner", "integration"]


@dataclass(frozen=True)
class Api:
    transport: Transport
    base_url: str
    history_url: str
    #: Whose key the client has.
    caller: Caller
    store: IdempotencyStore | None

    def require(self, wanted: Caller) -> None:
        """Methods of the other kind of key would only be answered with 401."""
        if self.caller == wanted:
            return
        key = "api_key, the key of a partner (cwk_…)"
        if wanted == "integration":
            key = "integration_key, the key of an integration (cwi_…)"
        raise TypeError(f"This call needs a client with {key}")
