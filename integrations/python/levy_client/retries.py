"""Retries of one request, as a transport of httpx."""

import itertools
import random
import time
import uuid
from collections.abc import Callable

import httpx

MAX_PAUSE = 15.0
# Media types of lists and worksheets, and of electronic returns.
FILE_TYPES = ("text/csv", "application/xml")


class LevyUnavailable(Exception):
    """Raised if every attempt got no response, 429 or 5xx.

    A write may have been recorded or not: to find out, repeat the same call with this `idempotency_key`.
    """

    def __init__(
        self, request: httpx.Request, tries: int, response: httpx.Response | None, failure: Exception | None
    ) -> None:
        cause = f"No response: {type(failure).__name__}: {failure}"
        reason = f"Status {response.status_code}: {response.text[:500]}" if response else cause
        super().__init__(f"{request.method} {request.url.path} failed in try {tries}. {reason}")
        self.status = response.status_code if response else None
        self.idempotency_key: str | None = request.headers.get("Idempotency-Key")


def _is_from_levy(response: httpx.Response) -> bool:
    """A proxy or a captive portal can also respond."""
    content_type = response.headers.get("Content-Type", "")
    if response.status_code < 300 and content_type.startswith(FILE_TYPES) or response.status_code == 304:
        return True
    if "json" not in content_type:
        return False
    body = response.json()
    return isinstance(body, dict) and (response.status_code < 300 or isinstance(body.get("errors"), list))


def _pause(response: httpx.Response | None, tries: int) -> float:
    """Retry-After and up to a second, or exponential backoff with full jitter."""
    retry_after: str = response.headers.get("Retry-After", "") if response else ""
    if retry_after.isdecimal():
        return int(retry_after) + random.random()
    return random.uniform(0, min(MAX_PAUSE, 0.5 * 2**tries))


class RetryTransport(httpx.BaseTransport):
    """Retries network failures, timeouts, 429 and 5xx. Each POST has an Idempotency-Key or changes nothing.

    Raises `LevyUnavailable` after the last try, and at once if Retry-After exceeds 15 s or the response is not from Levy.
    """

    def __init__(self, max_tries: int, timeout: float, token: Callable[[], str] | None) -> None:
        self._inner = httpx.HTTPTransport()
        self._max_tries = max_tries
        self._timeout = timeout
        self._token = token

    def _try(self, request: httpx.Request) -> httpx.Response:
        deadline = time.monotonic() + self._timeout
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token()}"
        response = self._inner.handle_request(request)
        try:
            chunks = []
            for chunk in response.iter_raw():
                chunks.append(chunk)
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("The response takes too long.", request=request)
        finally:
            response.close()
        return httpx.Response(response.status_code, headers=response.headers, content=b"".join(chunks), request=request)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and "Idempotency-Key" not in request.headers:
            request.headers["Idempotency-Key"] = str(uuid.uuid4())
        for tries in itertools.count(1):
            response, failure = None, None
            try:
                response = self._try(request)
                can_retry = response.status_code == 429 or response.status_code >= 500
                if not can_retry and _is_from_levy(response):
                    return response
            # A truncated body raises ValueError.
            except (httpx.TransportError, ValueError) as error:
                can_retry, failure = True, error
            pause = _pause(response, tries)
            if not can_retry or tries >= self._max_tries or pause > MAX_PAUSE + 1:
                raise LevyUnavailable(request, tries, response, failure) from failure
            time.sleep(pause)
        raise AssertionError

    def close(self) -> None:
        self._inner.close()
