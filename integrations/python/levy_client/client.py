"""The client, and helpers for the results of its operations."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import httpx

from .generated.client import Client
from .generated.models.error_object import ErrorObject
from .generated.models.error_response import ErrorResponse
from .generated.models.service_version import ServiceVersion
from .generated.types import Response
from .retries import RetryTransport


def _line(error: ErrorObject) -> str:
    """`/line_items/0/quantity: Send a decimal as a string, such as "1".`"""
    source = error.to_dict().get("source") or {}
    field = source.get("pointer") or source.get("parameter") or source.get("header")
    return f"{field}: {error.detail}" if field else error.detail


class LevyRefused(Exception):
    """Raised by `or_raise` and `items`. `code` is the code of the first error; the message lists all errors with their fields."""

    def __init__(self, status: int, errors: list[ErrorObject]) -> None:
        self.status = status
        self.errors = errors
        self.code = errors[0].code if errors else "not_modified"
        super().__init__(f"{self.code}: " + "\n".join(map(_line, errors)) if errors else self.code)


def connect(
    url: str,
    *,
    api_key: str | None = None,
    token: Callable[[], str] | None = None,
    timeout: float = 30.0,
    max_tries: int = 4,
) -> Client:
    """Return a client for `url`, such as http://127.0.0.1:3000.

    Send an `api_key`, or a function `token` that returns a bearer token and is called before each try. `timeout` is in
    seconds, for each try; `max_tries` includes the first. Clients are cheap: use one with one second and one try in a
    checkout, and another one for writes.
    """
    if not api_key and not token:
        raise ValueError("connect needs an api_key, or a function token that returns a bearer token.")
    if not url.lower().startswith(("http://", "https://")):
        raise ValueError(f"connect needs a url such as http://127.0.0.1:3000, with http:// or https://, not {url!r}.")
    headers = {"Service-Version": str(list(ServiceVersion)[-1])}
    if api_key:
        headers["X-API-Key"] = api_key
    transport = RetryTransport(max_tries, timeout, token)
    return Client(
        base_url=url.rstrip("/"),
        headers=headers,
        timeout=httpx.Timeout(timeout),
        raise_on_unexpected_status=True,
        httpx_args={"transport": transport},
    )


Value = TypeVar("Value")


def or_raise(response: Response[ErrorResponse | Value]) -> Value:
    """Return the data of a success. Raises `LevyRefused` for a refusal, including 304."""
    parsed = response.parsed
    if isinstance(parsed, ErrorResponse):
        raise LevyRefused(response.status_code, parsed.errors)
    if parsed is None:
        raise LevyRefused(response.status_code, [])
    return parsed


def items(operation: Callable[..., Response[Any]], **parameters: Any) -> Iterator[Any]:
    """Yield every item of a list, page by page: `items(list_transactions.sync_detailed, client=levy, limit=100)`."""
    cursor: dict[str, str] = {}
    while True:
        page = or_raise(operation(**parameters, **cursor))
        yield from page.data
        # Product tax codes and attributes have no cursor: the last code is the cursor.
        following = page.next_cursor if hasattr(page, "next_cursor") else page.has_more and page.data[-1].code
        if not following:
            return
        cursor = {"starting_after": following}
