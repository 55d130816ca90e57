"""A server on loopback that does what a test says, request by request."""

import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


#: What happens to one request; the last step also serves all later ones.
Step = Callable[[BaseHTTPRequestHandler], None]


class ScriptedServer:
    def __init__(self) -> None:
        self.received: list[Received] = []
        self._script: list[Step] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.received.append(Received(self.command, self.path, headers, body))
                script = outer._script
                step = script.pop(0) if len(script) > 1 else script[0]
                step(self)

            do_GET = do_POST = do_PATCH = do_DELETE = _serve

            def log_message(self, *_args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def play(self, *steps: Step) -> None:
        self._script = list(steps)
        self.received.clear()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def answer(status: int, body: Any, headers: dict[str, str] | None = None) -> Step:
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"content-length": str(len(content)), **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return step


def reset(handler: BaseHTTPRequestHandler) -> None:
    """The connection is reset before an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def cut_off(handler: BaseHTTPRequestHandler) -> None:
    """The answer ends in the middle of its body."""
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data":')


def hang(_handler: BaseHTTPRequestHandler) -> None:
    """Never answered in time."""
    threading.Event().wait(5)
