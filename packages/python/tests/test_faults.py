"""What the client does when the network or the server fails."""

import tempfile
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path

from causeway import (
    CallTimeoutError,
    Causeway,
    CausewayError,
    ConnectionFailedError,
    FileStore,
    Limits,
    WaitTimeoutError,
    errors,
)
from causeway.transport import read_retry_after
from causeway.withdrawals import CreatedWithdrawal
from scripted_server import ScriptedServer, Step, answer, cut_off, hang, reset

created = answer(200, {"message": "ok", "data": {"bulkId": "bulk-1"}})
unavailable = answer(503, {"error": "Service unavailable", "code": "unavailable", "requestId": "r-1"})
order = {"user_id": "ana", "amount": "1", "to": "bruno@example.com"}


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        self.server = ScriptedServer()
        self.addCleanup(self.server.stop)
        self.causeway = Causeway(self.server.url, api_key="cwk_test")

    def keys_sent(self) -> list[str | None]:
        return [one.headers.get("idempotency-key") for one in self.server.received]

    def failure_of(self, *steps: Step, limits: Limits = Limits(max_retries=1, timeout=0.5)) -> CausewayError:
        self.server.play(*steps)
        with self.assertRaises(CausewayError) as caught:
            self.causeway.withdrawals.create(**order, idempotency_key="invoice-7", limits=limits)
        return caught.exception

    def test_a_create_has_one_key_through_all_faults(self) -> None:
        for steps in [(reset, cut_off, unavailable), (answer(200, "<html>"), answer(200, {"data": {}}))]:
            self.server.play(*steps, created)
            result = self.causeway.withdrawals.create(**order)
            self.assertEqual(result.bulk_id, "bulk-1")
            self.assertEqual(self.keys_sent(), [result.idempotency_key] * (len(steps) + 1))

    def test_an_endpoint_is_not_created_twice_after_a_lost_answer(self) -> None:
        endpoints = self.causeway.webhook_endpoints
        for call in (lambda: endpoints.create(url="https://a.example"), lambda: endpoints.rotate_secret("e-1")):
            self.server.play(cut_off, answer(200, {"id": "e-1", "secret": "whsec_AAAA"}))
            self.server.received.clear()
            with self.assertRaises(ConnectionFailedError) as caught:
                call()
            self.assertTrue(caught.exception.is_outcome_unknown)
            self.assertEqual(len(self.server.received), 1)

    def test_the_outcome_is_unknown_after_a_lost_answer(self) -> None:
        for step, kind in [
            (reset, ConnectionFailedError),
            (cut_off, ConnectionFailedError),
            (hang, CallTimeoutError),
            (unavailable, errors.UnavailableError),
        ]:
            error = self.failure_of(step)
            self.assertIsInstance(error, kind)
            self.assertTrue(error.is_outcome_unknown)
            self.assertEqual(error.idempotency_key, "invoice-7")
            self.assertEqual(len(self.server.received), 2)

    def test_a_refusal_is_final_unless_an_answer_was_lost_before(self) -> None:
        refusal = answer(404, {"error": "Error finding…", "code": "recipient_not_found"})
        error = self.failure_of(refusal)
        self.assertIsInstance(error, errors.RecipientNotFoundError)
        self.assertFalse(error.is_outcome_unknown)
        self.assertEqual(len(self.server.received), 1)
        error = self.failure_of(reset, answer(401, {"error": "Unauthorized", "code": "unauthorized"}))
        self.assertIsInstance(error, errors.UnauthorizedError)
        self.assertTrue(error.is_outcome_unknown)

    def test_a_store_keeps_the_key_over_restarts(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = FileStore(Path(folder) / "new" / "keys")
            careful = Causeway(self.server.url, api_key="k", store=store, limits=Limits(max_retries=0))
            self.server.play(reset, created)
            with self.assertRaises(ConnectionFailedError):
                careful.withdrawals.create(**order, operation="payout 1")
            careful.withdrawals.create(**order, operation="payout 1")
            careful.withdrawals.create(**order, operation="payout 2")
            keys = self.keys_sent()
            self.assertEqual(keys[0], keys[1])
            self.assertNotEqual(keys[1], keys[2])
            self.server.play(created)
            for names in [{}, {"operation": ""}, {"operation": "p", "idempotency_key": "k"}]:
                with self.assertRaises(TypeError):
                    careful.withdrawals.create(**order, **names)
            for names in [{"operation": "p"}, {"idempotency_key": "a b"}, {"idempotency_key": ""}]:
                with self.assertRaises(TypeError):
                    self.causeway.withdrawals.create(**order, **names)
            self.assertEqual(self.server.received, [])

    def test_retry_after_is_honoured_and_bounded(self) -> None:
        limited = {"error": "Rate limit exceeded", "code": "rate_limit_exceeded"}
        self.server.play(answer(429, limited, {"retry-after": "1"}), answer(200, {"data": {"assets": []}}))
        started_at = time.monotonic()
        self.assertEqual(self.causeway.withdrawals.assets(), [])
        self.assertGreaterEqual(time.monotonic() - started_at, 1)
        self.server.play(answer(429, limited, {"retry-after": "3600"}))
        with self.assertRaises(errors.RateLimitExceededError):
            self.causeway.withdrawals.assets()
        self.assertEqual(len(self.server.received), 1)
        noon = datetime(2026, 11, 17, 12, tzinfo=timezone.utc).timestamp()
        self.assertEqual(read_retry_after("Tue, 17 Nov 2026 12:00:05 GMT", noon), 5)
        for header in (None, "", "soon", "inf"):
            self.assertIsNone(read_retry_after(header))

    def test_a_post_without_a_key_and_a_redirect_are_not_repeated(self) -> None:
        app = Causeway(self.server.url, integration_key="cwi_test")
        self.server.play(reset)
        with self.assertRaises(ConnectionFailedError):
            app.consents.request(
                {"scopes": ["email"], "redirect_uri": "x", "purpose": "x", "duration": {"type": "one-time"}}
            )
        self.assertEqual(len(self.server.received), 1)
        self.assertEqual(self.server.received[0].headers["x-api-key"], "cwi_test")
        self.server.play(answer(307, "", {"location": f"{self.server.url}/elsewhere"}))
        with self.assertRaises(CausewayError):
            self.causeway.withdrawals.assets()
        self.assertEqual([one.path for one in self.server.received], ["/api/crypto/assets"])

    def test_wait_for_survives_outages_and_ends_in_time(self) -> None:
        def in_status(status: str) -> Step:
            page = {"withdraws": [{"id": "w", "status": status}], "pageInfo": {"limit": 100, "offset": 0}}
            return answer(200, {"data": page})

        withdrawal = CreatedWithdrawal("ana", "bulk-1", None, "k", False)
        self.server.play(reset, in_status("queued"), in_status("failed"))
        self.assertEqual(self.causeway.withdrawals.wait_for(withdrawal)["status"], "failed")
        self.server.play(in_status("processing"))
        with self.assertRaises(WaitTimeoutError) as caught:
            self.causeway.withdrawals.wait_for(withdrawal, timeout=0.3)
        assert caught.exception.withdrawal is not None
        self.assertEqual(caught.exception.withdrawal["status"], "processing")

    def test_events_come_in_order_through_outages(self) -> None:
        def page(*sequences: int) -> Step:
            events = [{"id": f"evt_{one}", "type": "x.y", "sequence": one, "data": {}} for one in sequences]
            return answer(200, {"events": events, "next": sequences[-1]})

        self.server.play(reset, page(2, 3), unavailable, page(3, 4), page(5))
        seen = []
        for event in self.causeway.events.follow(after=1, types=["x.y", "z"]):
            seen.append(event["sequence"])
            if seen[-1] == 5:
                break
        self.assertEqual(seen, [2, 3, 4, 5])
        self.assertIn("after=1&limit=100&types=x.y%2Cz&wait=25", self.server.received[0].path)
        self.server.play(answer(401, {"error": "Unauthorized", "code": "unauthorized"}))
        with self.assertRaises(errors.UnauthorizedError):
            next(self.causeway.events.follow(after=1))
