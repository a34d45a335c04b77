"""The real local service, and a proxy on loopback that breaks the connection to it."""

import os
import re
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[3]
API_KEY = "levy_python_tests"


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    environment = {**os.environ, "PORT": "0", "DYNAMODB_PORT": "0", "DATA_DIR": "", "API_KEY": API_KEY}
    command = [str(ROOT / "node_modules/.bin/node"), "infra/local/start.ts"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    output = ""
    while not (started := re.search(r"Levy\s+(http://\S+)", output)):
        line = process.stdout.readline()
        assert line, f"npm start ended: {output}"
        output += line
    yield started[1]
    process.terminate()
    process.wait()


# What happens to one request: "pass", "hang up", "hang", "lose reply", "cut reply", "page", or a status such as "503"
# or "429 60" with its Retry-After.
Faults = list[str]


class Proxy:
    """Breaks the first requests, one fault each, and passes the others."""

    def __init__(self, service: str) -> None:
        self.faults: Faults = []
        self.passed = 0
        self.keys: list[str | None] = []
        self._released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(service))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(proxy, service: str) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                proxy._serve(self, service)

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler

    def _serve(self, handler: BaseHTTPRequestHandler, service: str) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        self.keys.append(handler.headers.get("Idempotency-Key"))
        fault = self.faults.pop(0) if self.faults else "pass"
        if fault == "hang":
            self._released.wait()
        if fault in ("hang", "hang up"):
            return
        if fault == "page":
            return self._answer(handler, 200, {"Content-Type": "text/html"}, b"<html>")
        if match := re.fullmatch(r"(\d+) ?(\d*)", fault):
            errors = f'{{"errors":[{{"status":"{match[1]}","code":"x","detail":"Wait."}}]}}'.encode()
            pause = {"Content-Type": "application/json", "Retry-After": match[2] or "0"}
            return self._answer(handler, int(match[1]), pause, errors)
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in ("host", "connection")}
        reply = httpx.request(handler.command, service + handler.path, headers=headers, content=body)
        self.passed += 1
        if fault == "lose reply":
            return
        cut = len(reply.content) // 2 if fault == "cut reply" else None
        names = ("content-type", "idempotent-replayed", "retry-after", "x-request-id")
        kept = {name: reply.headers[name] for name in names if name in reply.headers}
        self._answer(handler, reply.status_code, kept, reply.content[:cut])

    @staticmethod
    def _answer(handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


@pytest.fixture
def proxy(service: str) -> Iterator[Proxy]:
    proxy = Proxy(service)
    yield proxy
    proxy.close()
