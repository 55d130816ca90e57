"""The main flows against the server that the environment names (test/client/python.test.ts)."""

import os
import time
import unittest
import uuid
from datetime import datetime, timedelta, timezone

from causeway import Causeway, errors
from causeway.withdrawals import Withdrawals

url = os.environ["CAUSEWAY_URL"]
user_id = os.environ["CAUSEWAY_USER"]
address = os.environ["CAUSEWAY_ADDRESS"]


class Flows(unittest.TestCase):
    def setUp(self) -> None:
        self.causeway = Causeway(url, api_key=os.environ["CAUSEWAY_KEY"])
        self.app = Causeway(url, integration_key=os.environ["CAUSEWAY_INTEGRATION_KEY"])

    def create(self, withdrawals: Withdrawals, label: str, key: str | None = None, amount: str = "1"):
        return withdrawals.create(
            user_id=user_id, amount=amount, to=address, external_id=label, idempotency_key=key
        )

    def test_withdrawals(self) -> None:
        withdrawals = self.causeway.withdrawals
        key = str(uuid.uuid4())
        first = self.create(withdrawals, "py-0", key)
        again = self.create(withdrawals, "py-0", key)
        self.assertEqual((again.bulk_id, first.is_replay, again.is_replay), (first.bulk_id, False, True))
        for at in range(1, 5):
            self.create(withdrawals, f"py-{at}")
        labels = [one["externalId"] for one in withdrawals.list(user_id, per_page=2)]
        self.assertEqual(labels, ["py-4", "py-3", "py-2", "py-1", "py-0"])
        page = withdrawals.list(user_id, per_page=2, status="queued").page(3)
        self.assertEqual((len(page.items), page.has_next_page), (1, False))
        found = withdrawals.retrieve(user_id, first.bulk_id)
        assert found is not None
        self.assertEqual((found["externalId"], found["status"]), ("py-0", "queued"))
        self.assertIsNone(withdrawals.retrieve(user_id, str(uuid.uuid4())))
        self.assertIn("USDC", [asset["currency"] for asset in withdrawals.assets()])
        with self.assertRaises(errors.IdempotencyKeyReusedError):
            self.create(withdrawals, "py-0", key, "2")
        with self.assertRaises(errors.InvalidRequestError) as caught:
            self.create(withdrawals, "py-9", None, "much")
        self.assertEqual(caught.exception.details[0]["field"], "amount")
        with self.assertRaises(errors.UserNotFoundError):
            withdrawals.list("nobody").page()
        with self.assertRaises(errors.UnauthorizedError):
            Causeway(url, api_key="wrong").withdrawals.assets()
        with self.assertRaises(TypeError):
            self.app.withdrawals.assets()

    def test_events(self) -> None:
        events = self.causeway.events
        first = events.list(limit=1)
        self.assertEqual([event["sequence"] for event in first["events"]], [1])
        stored: list[int] = []
        for event in events.follow(after=0):
            stored.append(event["sequence"])
            if len(stored) == 2:
                break
        # A program that starts again continues after what it stored.
        for event in events.follow(after=stored[-1], types=["ledger.line_posted", "deposit.posted"]):
            stored.append(event["sequence"])
            break
        self.assertEqual(stored, [1, 2, 3])
        started_at = time.monotonic()
        last = events.list(limit=1000)["next"]
        self.assertEqual(events.list(after=last, wait=2), {"events": [], "next": last})
        self.assertGreaterEqual(time.monotonic() - started_at, 1.9)
        with self.assertRaises(errors.SequenceAheadError):
            next(events.follow(after=last + 1_000))
        self.assertEqual(self.app.events.list(types=["key.revoked"])["events"], [])

    def test_webhook_endpoints(self) -> None:
        hooks = "http://127.0.0.1:9/hooks"
        for client in (self.causeway, self.app):
            endpoints = client.webhook_endpoints
            created = endpoints.create(url=hooks, types=["key.rotated"])
            endpoints.create(url=hooks, description="second", ordered=True)
            listed = list(endpoints.list(limit=1))
            self.assertEqual([one["description"] for one in listed], ["", "second"])
            page = endpoints.list(limit=1).page()
            self.assertTrue(page.has_next_page)
            self.assertFalse(endpoints.list(limit=1).page(page.info["nextCursor"]).has_next_page)
            endpoint_id = created["id"]
            self.assertNotEqual(endpoints.rotate_secret(endpoint_id)["secret"], created["secret"])
            self.assertIsNone(endpoints.update(endpoint_id, types=None)["types"])
            self.assertEqual(endpoints.send_test(endpoint_id)["id"], endpoint_id)
            with self.assertRaises(errors.EventNotFoundError):
                endpoints.replay(endpoint_id, event_id="evt_0")
            self.assertFalse(endpoints.update(endpoint_id, enabled=False)["enabled"])
            with self.assertRaises(errors.EndpointDisabledError):
                endpoints.replay(endpoint_id, start_date=datetime.now(timezone.utc))
            enabled = endpoints.update(endpoint_id, enabled=True, replay_missed=True)
            self.assertTrue(enabled["enabled"])
            self.assertEqual(endpoints.delete(endpoint_id)["id"], endpoint_id)
            with self.assertRaises(errors.EndpointNotFoundError):
                endpoints.retrieve(endpoint_id)

    def test_webhook_deliveries(self) -> None:
        endpoints = self.causeway.webhook_endpoints
        endpoint_id = endpoints.create(url="http://127.0.0.1:9/hooks", types=["ledger.line_posted"])["id"]
        hour_ago = datetime.now(timezone.utc) - timedelta(hours=1)
        self.assertEqual(endpoints.replay(endpoint_id, start_date=hour_ago)["queued"], 3)
        found = list(endpoints.list_deliveries(endpoint_id, limit=1))
        self.assertEqual([one["type"] for one in found], ["ledger.line_posted"] * 3)
        self.assertEqual([one["sequence"] for one in found], sorted((one["sequence"] for one in found), reverse=True))
        self.assertEqual(len(list(endpoints.list_deliveries(endpoint_id, status="due"))), 3)
        self.assertEqual(list(endpoints.list_deliveries(endpoint_id, status="delivered")), [])
        details = endpoints.retrieve_delivery(endpoint_id, found[0]["id"])
        self.assertIn(details["eventId"], details["body"])
        self.assertEqual(details["attemptList"], [])
        endpoints.delete(endpoint_id)

    def test_history_and_cards(self) -> None:
        history = self.causeway.history
        tomorrow = datetime.now(timezone.utc) + timedelta(days=1)
        lines = list(history.account(page_size=1, start_date="2020", end_date=tomorrow))
        self.assertEqual(len({line["uniqueHashId"] for line in lines}), 3)
        self.assertEqual([line["transactionType"] for line in history.deposits()], ["buy"])
        self.assertEqual(len(list(history.transfers())), 1)
        self.assertEqual(history.unsettled().page().info["currentPage"], 0)
        self.assertEqual(len(history.statement("csv").decode().rstrip().split("\r\n")), 4)
        self.assertEqual(list(self.causeway.cards.list(status="all")), [])
        self.assertEqual(list(self.causeway.cards.transactions(filter_by_text="x")), [])
        self.assertEqual(self.causeway.cards.balance_movements().page().info["totalCount"], 0)

    def test_consents(self) -> None:
        consents = self.app.consents
        requested = consents.request(
            {
                "scopes": ["email"],
                "redirect_uri": "https://app.example.com/back",
                "purpose": "Open an account",
                "duration": {"type": "days", "days": 30},
            }
        )
        self.assertEqual(consents.retrieve(requested["consent_id"])["status"], "awaiting")
        with self.assertRaises(errors.ConsentNotGrantedError):
            consents.data(requested["consent_id"])
        consent_id = os.environ["CAUSEWAY_CONSENT"]
        email = consents.data(consent_id)["user"].get("email")
        assert email is not None
        self.assertTrue(email["verified"])
        self.assertEqual(consents.reduce(consent_id, ["email"])["scopes"], ["email"])
        self.assertEqual(consents.revoke(consent_id)["status"], "revoked")
        with self.assertRaises(errors.ConsentRevokedError) as caught:
            consents.data(consent_id)
        self.assertIn("revoked_at", caught.exception.body)
