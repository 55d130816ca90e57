"""Verify webhooks (Standard Webhooks)."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from .events import Event


class WebhookVerificationError(Exception):
    """The message is not from your Causeway, was changed on the way, or is too old. Answer 400."""


#: A sender needs two or three while it rotates; more would only cost time.
_signatures_max = 20


def unwrap(
    body: bytes | str,
    headers: Mapping[str, Any],
    secrets: str | Sequence[str],
    *,
    tolerance: float = 300.0,
) -> Event:
    """Verifies a webhook and returns its event.

    `body` must be the bytes or the text as they arrived: JSON that was parsed and written again has
    another signature. `secrets` are `whsec_…`; during a rotation pass both.

    Only `v1` (HMAC-SHA-256) is verified, and always. Python's standard library has no Ed25519, so
    `v1a` is ignored and public keys (`whpk_…`) are refused.
    """
    if not isinstance(body, (bytes, str)):
        raise TypeError("body must be the text or the bytes of the request, not parsed JSON")
    content = body.encode() if isinstance(body, str) else body
    keys = [_read_secret(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise TypeError("Pass at least one secret")
    message_id = _require_header(headers, "webhook-id")
    timestamp = _require_header(headers, "webhook-timestamp")
    _require_recent(timestamp, tolerance)
    signed = f"{message_id}.{timestamp}.".encode() + content
    parts = _require_header(headers, "webhook-signature").split(" ")[:_signatures_max]
    signatures = [part.removeprefix("v1,").encode() for part in parts if part.startswith("v1,")]
    if not signatures and any(part.startswith("v1a,") for part in parts):
        raise WebhookVerificationError(
            "The message has only signatures v1a (Ed25519), which this client cannot verify: it needs v1"
        )
    for key in keys:
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        for signature in signatures:
            if hmac.compare_digest(signature, expected):
                return cast(Event, json.loads(content))
    raise WebhookVerificationError("No signature of the message fits a secret")


def _require_header(headers: Mapping[str, Any], name: str) -> str:
    for one, value in headers.items():
        if one.lower() == name and isinstance(value, str) and value != "":
            return value
    raise WebhookVerificationError(f"The header {name} is missing")


def _require_recent(timestamp: str, tolerance: float) -> None:
    is_number = timestamp.isascii() and timestamp.isdigit()
    if not is_number or abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookVerificationError("The message is too old, too new, or has no time")


def _read_secret(secret: str) -> bytes:
    if secret.startswith("whpk_"):
        raise TypeError("A public key (whpk_) is for v1a (Ed25519), which this client cannot verify: pass whsec_")
    if not secret.startswith("whsec_"):
        raise TypeError("A secret is whsec_ and base64")
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        raise TypeError("A secret is whsec_ and base64") from None
    if not key:
        raise TypeError("A secret must not be empty")
    return key
