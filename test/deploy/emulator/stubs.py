"""Add only what the emulator lacks for this stack. `stubs` lists each addition with its reason; the test prints the list.

Everything here works inside of the emulator's process. The stack, its functions and their permissions are unmodified.
"""

import json
import re
from uuid import uuid4

from ministack import app
from ministack.core import iam_actions, iam_evaluator, lambda_runtime
from ministack.services import apigateway_v1, backup, dynamodb, eventbridge, lambda_svc, pipes
from ministack.services.cloudformation.provisioners import _RESOURCE_HANDLERS as handlers

stubs = {
    "AWS::CodeDeploy::Application": "The type is unknown. A name without a function: the emulator moves aliases at once.",
    "AWS::CodeDeploy::DeploymentGroup": "As above.",
    "AWS::Backup::BackupSelection": "The type is unknown, its API is not: the stub calls the API.",
    "Metrics of AWS::CloudWatch::Alarm": "Metric math is refused. Such an alarm exists with its name and actions, and never changes its state.",
    "DeletionProtectionEnabled of AWS::DynamoDB::GlobalTable": "Ignored in replicas. The stub gives it to the table.",
    "Asynchronous invocation of an alias": "The emulator ignores the retries and the failure destination of an alias. The stub sets them on the function.",
    "EventBridge Pipes to an event bus": "The emulator reads the stream, but delivers to SNS and Step Functions only. The stub "
    "applies the pipe's filters with the emulator's matcher, and calls enrichment and bus over HTTP as the pipe's role.",
    "dynamodb:LeadingKeys": "The emulator has no value for this condition key, so every partition condition would hold.",
    "Schedules with cron": "Held: the updates of tax content would fetch files from publishers, and the test stays on loopback.",
    "x-amazon-apigateway-any-method, and updates of a definition": "The import skips the method ANY, and an update makes another API. The stub adds the "
    "method, and imports a changed definition into the existing API.",
    "Log streams": "The emulator leaves the name of the function out of the names of its streams. The stub begins them with it, as AWS does in a shared log group.",
    "aws:SecureTransport": "The test uses HTTP on loopback, and the bucket of the bootstrap refuses HTTP. The stub says that TLS was used.",
}


# --- Resource types ---


def _named(prefix):
    """A resource that is only a name."""
    return {
        "create": lambda logical_id, props, stack: (f"{stack}-{logical_id}-{uuid4().hex[:12]}", {}),
        "update": lambda physical_id, old, new, stack: (physical_id, {}),
        "delete": lambda physical_id, props: None,
    }


def _create_selection(logical_id, props, stack):
    status, _, body = backup._create_selection(props["BackupPlanId"], {"BackupSelection": props["BackupSelection"]})
    answer = json.loads(body)
    if status >= 400:
        raise ValueError(answer)
    return f"{answer['SelectionId']}_{answer['BackupPlanId']}", {"SelectionId": answer["SelectionId"], "BackupPlanId": answer["BackupPlanId"]}


def _update_selection(physical_id, old, new, stack):
    # Every property of a selection requires a replacement.
    created = _create_selection("", new, stack)
    _delete_selection(physical_id, old)
    return created


def _delete_selection(physical_id, props):
    selection, plan = physical_id.split("_")
    backup._delete_selection(plan, selection)


def _add_types():
    handlers["AWS::CodeDeploy::Application"] = _named("application")
    handlers["AWS::CodeDeploy::DeploymentGroup"] = _named("group")
    handlers["AWS::Backup::BackupSelection"] = {
        "create": _create_selection,
        "update": _update_selection,
        "delete": _delete_selection,
    }


def _translate(name, change):
    """Create and update a resource type with changed properties."""
    types = handlers[name]
    create, update = types["create"], types["update"]
    types["create"] = lambda logical_id, props, stack: create(logical_id, change(props), stack)
    types["update"] = lambda physical_id, old, new, *others: update(physical_id, change(old), change(new), *others)


def _without_math(props):
    if "Metrics" not in props:
        return props
    kept = {name: value for name, value in props.items() if name != "Metrics"}
    return {**kept, "Namespace": "Stub", "MetricName": "MetricMath", "Period": 60, "Statistic": "Sum"}


def _with_protection(props):
    return {**props, "DeletionProtectionEnabled": props["Replicas"][0].get("DeletionProtectionEnabled", False)}


# --- Definitions of REST APIs ---


def _import_any_method(api_id, path, path_item, scheme_map=None, default_security=None):
    _import_path_item(api_id, path, path_item, scheme_map, default_security)
    operation = path_item.get("x-amazon-apigateway-any-method")
    if operation:
        resource = next(key for key, one in apigateway_v1._resources[api_id].items() if one["path"] == path)
        apigateway_v1._import_operation(api_id, resource, "ANY", operation)


def _update_rest_api(update):
    def updated(physical_id, old, new, *others):
        resources = apigateway_v1._resources[physical_id]
        for key in [key for key, one in resources.items() if one["path"] != "/"]:
            del resources[key]
        for path, item in new["Body"]["paths"].items():
            apigateway_v1._import_path_item(physical_id, path, item)
        return update(physical_id, {**old, "Body": new["Body"]}, new, *others)

    return updated


_import_path_item = apigateway_v1._import_path_item


def _add_definitions():
    apigateway_v1._import_path_item = _import_any_method
    api = handlers["AWS::ApiGateway::RestApi"]
    api["update"] = _update_rest_api(api["update"])


# --- Asynchronous invocations ---


def _add_alias_destinations():
    invoke = lambda_svc.invoke_async_with_retry

    def with_destination(function, event):
        name = (function.get("config") or function)["FunctionName"]
        # A function of this stack has at most one such configuration.
        configs = (lambda_svc._functions.get(name) or {}).get("event_invoke_configs") or {}
        return invoke({**function, "event_invoke_config": next(iter(configs.values()), None)}, event)

    lambda_svc.invoke_async_with_retry = with_destination


def _name_log_streams():
    emit = lambda_svc._emit_lambda_logs

    def named(function, *others, **options):
        config = function.get("config") or function
        version = f"{config['FunctionName']}[{config.get('Version', '$LATEST')}"
        return emit({**function, "config": {**config, "Version": version}}, *others, **options)

    lambda_svc._emit_lambda_logs = named


# --- The pipe ---

_pipe_properties = {}


def credentials_of(role):
    """Return credentials of a role session, as a function with this role would have them."""
    account = role.split(":")[4]
    return lambda_runtime.execution_credentials({
        "FunctionArn": f"arn:aws:lambda:us-east-1:{account}:function:as-{role.rsplit('/', 1)[-1]}"[:140],
        "FunctionName": "deployment-test",
        "Role": role,
    })


def _client(service, role, endpoint):
    from botocore.session import Session

    keys = credentials_of(role)
    return Session().create_client(
        service, region_name="us-east-1", endpoint_url=endpoint, aws_access_key_id=keys["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=keys["AWS_SECRET_ACCESS_KEY"], aws_session_token=keys["AWS_SESSION_TOKEN"],
    )


def _deliver(pipe, records, endpoint):
    """Filter records, enrich them, and put the events on the bus. Returns False to keep the batch for the next poll."""
    props = _pipe_properties[pipe["Name"]]
    source, target = props["SourceParameters"], props["TargetParameters"]["EventBridgeEventBusParameters"]
    kept = lambda_svc._apply_filter_criteria(records, {"FilterCriteria": source["FilterCriteria"]})
    size = source["DynamoDBStreamParameters"]["BatchSize"]
    for batch in (kept[start:start + size] for start in range(0, len(kept), size)):
        answer = _client("lambda", props["RoleArn"], endpoint).invoke(
            FunctionName=props["Enrichment"], Payload=json.dumps(batch).encode())
        payload = answer["Payload"].read()
        if "FunctionError" in answer:
            pipes.logger.error("Pipe: the enrichment failed: %s", payload)
            return False
        events = json.loads(payload)
        field = target["DetailType"].removeprefix("$.")
        entries = [{"EventBusName": props["Target"], "Source": target["Source"], "DetailType": event[field],
                    "Detail": json.dumps(event)} for event in events]
        if entries and _client("events", props["RoleArn"], endpoint).put_events(Entries=entries)["FailedEntryCount"]:
            return False
    return True


def _add_pipe(endpoint):
    types = handlers["AWS::Pipes::Pipe"]
    create, update = types["create"], types["update"]

    def created(logical_id, props, stack):
        name, attributes = create(logical_id, props, stack)
        _pipe_properties[name] = props
        return name, attributes

    def updated(physical_id, old, new, stack, logical_id=None):
        name, attributes = update(physical_id, old, new, stack, logical_id)
        _pipe_properties[name] = new
        return name, attributes

    types["create"], types["update"] = created, updated

    def deliver(pipe, batch):
        try:
            return _deliver(pipe, batch, endpoint)
        except Exception:
            pipes.logger.exception("Pipe: held a batch of %d records", len(batch))
            return False

    pipes._deliver_batch = deliver


# --- The condition key dynamodb:LeadingKeys ---


class _ItemAction(str):
    """The action of a transaction item, with the partition of the item."""

    leading_keys = ()


def _table(name):
    name = name.rsplit("/", 1)[-1] if name.startswith("arn:") else name
    return dynamodb._tables.get(name) or {}


def _partition_attribute(request):
    table = _table(request.get("TableName", ""))
    indexes = table.get("GlobalSecondaryIndexes") or []
    keyed = next((one for one in indexes if one["IndexName"] == request.get("IndexName")), table)
    return next((key["AttributeName"] for key in keyed.get("KeySchema", []) if key["KeyType"] == "HASH"), "pk")


def _text(value):
    return next(iter(value.values())) if isinstance(value, dict) and value else None


def _queried(request):
    """The partition of a query: the value that its key condition compares with the partition attribute."""
    names, values = request.get("ExpressionAttributeNames") or {}, request.get("ExpressionAttributeValues") or {}
    attribute = _partition_attribute(request)
    found = re.findall(r"(#?\w+)\s*=\s*(:\w+)", request.get("KeyConditionExpression", ""))
    return [_text(values.get(value)) for name, value in found if names.get(name, name) == attribute]


def _keys_of(request):
    """The partitions that a request for one table reads or writes."""
    attribute = _partition_attribute(request)
    items = [request.get("Key"), request.get("Item")]
    items += request.get("Keys") or []
    found = [_text(item.get(attribute)) for item in items if isinstance(item, dict)]
    return [key for key in found + _queried(request) if key is not None]


def _batch_keys(table, request):
    """The partitions of one table in a BatchGetItem or a BatchWriteItem."""
    if isinstance(request, dict):
        return _keys_of({"TableName": table, **request})
    return [key for one in request for part in one.values() for key in _keys_of({"TableName": table, **part})]


def _add_leading_keys():
    context_of, checks_of, enforce = (
        iam_actions.dynamodb_service_context, iam_actions.dynamodb_transaction_checks, iam_evaluator.enforce)

    def context(body):
        request = json.loads(body or b"{}")
        found = {table: _batch_keys(table, part) for table, part in (request.get("RequestItems") or {}).items()}
        if "TableName" in request:
            found[request["TableName"].rsplit("/", 1)[-1]] = _keys_of(request)
        return {**context_of(body), "keys by table": found}

    def checks(action, body, region, account):
        found = checks_of(action, body, region, account)
        parts = [part for item in json.loads(body or b"{}").get("TransactItems") or [] for part in item.values()]
        result = []
        for (name, arn), part in zip(found, parts, strict=True):
            item_action = _ItemAction(name)
            item_action.leading_keys = _keys_of(part)
            result.append((item_action, arn))
        return result

    def enforced(access_key, action, service, region, resource_arn="*", service_context=None):
        given = dict(service_context or {})
        by_table = given.pop("keys by table", None)
        if by_table is not None:
            table = resource_arn.split(":table/")[-1].split("/")[0]
            keys = action.leading_keys if isinstance(action, _ItemAction) else by_table.get(table)
            # AWS omits the key when a request names no partition, such as a scan.
            if keys:
                given["dynamodb:LeadingKeys"] = keys
        return enforce(access_key, action, service, region, resource_arn=resource_arn, service_context=given)

    iam_actions.dynamodb_service_context = context
    iam_actions.dynamodb_transaction_checks = checks
    iam_evaluator.enforce = enforced


def _add_secure_transport():
    app.pin_request_origin = lambda source_ip, _: iam_evaluator.pin_request_origin(source_ip, True)


def _hold_cron():
    # A schedule whose expression the emulator cannot read does not fire.
    eventbridge._parse_cron_fields = lambda expression: None


def add_stubs(endpoint):
    _add_types()
    _translate("AWS::CloudWatch::Alarm", _without_math)
    _translate("AWS::DynamoDB::GlobalTable", _with_protection)
    _add_definitions()
    _add_alias_destinations()
    _name_log_streams()
    _add_pipe(endpoint)
    _add_leading_keys()
    _add_secure_transport()
    _hold_cron()
