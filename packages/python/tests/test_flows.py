"""The main flows against the server that the environment names (test/client/python.test.ts)."""

import os
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
