"""As pay-orders.ts, with the Python client: pays orders, may be killed at any moment, and continues."""

import json
import os
import sys
import threading
from collections import deque

from causeway import Causeway, CausewayError, FileStore, Limits

plan = json.loads(sys.argv[1])
causeway = Causeway(
    plan["url"],
    api_key=plan["token"],
    store=FileStore(plan["folder"]),
    limits=Limits(timeout=1),
)

lines: list[str] = []
if os.path.exists(plan["paidFile"]):
    with open(plan["paidFile"], encoding="utf-8") as file:
        # A kill may have cut off the last line.
        lines = file.read().split("\n")[:-1]
paid = {line.split(" ")[0] for line in lines}
paid_file = os.open(plan["paidFile"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.write(paid_file, b"\n")
waiting = deque(name for at in range(plan["orders"]) if (name := f"order-{at}") not in paid)


def work() -> None:
    """An order that failed is taken again later, under the same name."""
    while True:
        try:
            operation = waiting.popleft()
        except IndexError:
            return
        try:
            created = causeway.withdrawals.create(
                user_id=plan["userId"],
                to=plan["to"],
                amount="1",
                external_id=operation,
                operation=operation,
            )
            os.write(paid_file, f"{operation} {created.bulk_id}\n".encode())
        except CausewayError:
            waiting.append(operation)


threads = [threading.Thread(target=work) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
