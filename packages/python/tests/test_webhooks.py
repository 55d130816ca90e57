"""Signatures of Standard Webhooks."""

import base64
import hashlib
import hmac
import json
import secrets
import time
import unittest

from causeway import WebhookVerificationError, webhooks


def make_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(24)).decode()


def headers_for(body: str, *keys: str, at: int | None = None) -> dict[str, str]:
    stamp = int(time.time()) if at is None else at
    signed = f"msg_1.{stamp}.{body}".encode()
    signatures = [
        base64.b64encode(hmac.new(base64.b64decode(key[6:]), signed, hashlib.sha256).digest()).decode()
        for key in keys
    ]
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(stamp),
        "Webhook-Signature": " ".join(["v1a,AAAA", *(f"v1,{one}" for one in signatures)]),
    }


class Webhooks(unittest.TestCase):
    def test_the_vector_of_the_specification(self) -> None:
        headers = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        event = webhooks.unwrap('{"test": 2432232314}', headers, secret, tolerance=float("inf"))
        self.assertEqual(event, {"test": 2432232314})

    def test_either_of_two_secrets(self) -> None:
        one, other = make_secret(), make_secret()
        body = json.dumps({"id": "evt_1", "note": "ação"}, ensure_ascii=False)
        for sent in (body, body.encode()):
            for given in (one, [other, one]):
                self.assertEqual(webhooks.unwrap(sent, headers_for(body, one), given)["id"], "evt_1")

    def test_refused(self) -> None:
        secret, body = make_secret(), '{"id":"evt_1"}'
        good = headers_for(body, secret)
        now = int(time.time())
        cases = {
            "a changed byte": (body.replace("1", "2"), good, secret),
            "another secret": (body, good, make_secret()),
            "another id": (body, {**good, "Webhook-Id": "msg_2"}, secret),
            "a moved time": (body, {**good, "Webhook-Timestamp": str(now - 1)}, secret),
            "6 minutes ago": (body, headers_for(body, secret, at=now - 360), secret),
            "6 minutes ahead": (body, headers_for(body, secret, at=now + 360), secret),
            "no number": (body, {**good, "Webhook-Timestamp": "now"}, secret),
            "no signature": (body, {**good, "Webhook-Signature": ""}, secret),
            "a signature in other letters": (body, {**good, "Webhook-Signature": "v1,§"}, secret),
            "only another version": (body, {**good, "Webhook-Signature": "v1a,AAAA"}, secret),
            "no header": (body, {}, secret),
        }
        for what, (sent, headers, given) in cases.items():
            with self.subTest(what), self.assertRaises(WebhookVerificationError):
                webhooks.unwrap(sent, headers, given)
        with self.assertRaisesRegex(WebhookVerificationError, "only signatures v1a"):
            webhooks.unwrap(body, {**good, "Webhook-Signature": "v1a,AAAA v2,AAAA"}, secret)
        with self.assertRaisesRegex(TypeError, "public key"):
            webhooks.unwrap(body, good, "whpk_AAAA")
        for wrong in ([], "", "whpk_AAAA", "whsec_", "whsec_§"):
            with self.subTest(wrong), self.assertRaises(TypeError):
                webhooks.unwrap(body, good, wrong)
