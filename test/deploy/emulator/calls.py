"""Signed calls of AWS APIs for the test: a JSON line in, a JSON line out. Ends with its standard input."""

import json
import os
import sys

from botocore.config import Config
from botocore.exceptions import ClientError
from botocore.session import Session

config = Config(retries={"max_attempts": 0}, connect_timeout=10, read_timeout=120)
clients = {}


def client(service, keys):
    name = (service, keys["AWS_ACCESS_KEY_ID"])
    if name not in clients:
        clients[name] = Session().create_client(
            service, region_name=os.environ["AWS_REGION"], endpoint_url=os.environ["AWS_ENDPOINT_URL"], config=config,
            aws_access_key_id=keys["AWS_ACCESS_KEY_ID"], aws_secret_access_key=keys["AWS_SECRET_ACCESS_KEY"],
            aws_session_token=keys.get("AWS_SESSION_TOKEN"),
        )
    return clients[name]


def answer(request):
    try:
        keys = request.get("credentials") or os.environ
        caller, operation = client(request["service"], keys), request["operation"]
        if request.get("pages"):
            return {"result": caller.get_paginator(operation).paginate(**request["input"]).build_full_result()}
        result = getattr(caller, operation)(**request["input"])
        result.pop("ResponseMetadata", None)
        if "Payload" in result:
            result["Payload"] = result["Payload"].read().decode()
        return {"result": result}
    except ClientError as error:
        return {"error": error.response["Error"]["Code"], "message": str(error)}
    except Exception as error:  # The test reports it with the call.
        return {"error": type(error).__name__, "message": str(error)}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line)), default=str), flush=True)
