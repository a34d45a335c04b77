"""Start ministack with the stubs. Its settings are environment variables; see emulator.ts."""

import json
import os
from urllib.parse import parse_qs

from ministack import app as ministack

from stubs import add_stubs, credentials_of, stubs

serve = ministack.app


async def app(scope, receive, send):
    """The emulator, with two addresses for the test: the list of stubs, and credentials of a role."""
    path = scope.get("path", "")
    if scope["type"] != "http" or not path.startswith("/_levy/"):
        return await serve(scope, receive, send)
    role = parse_qs(scope["query_string"].decode()).get("role", [None])[0]
    body = json.dumps(stubs if path == "/_levy/stubs" else credentials_of(role)).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": body})


add_stubs(f"http://127.0.0.1:{os.environ['GATEWAY_PORT']}")
ministack.app = app
ministack.main()
