import html
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import API_KEY, Proxy

from levy_client import LevyRefused, LevyUnavailable, connect, items, or_raise
from levy_client.generated.api.calculations import create_calculation
from levy_client.generated.api.product_tax_codes import list_product_tax_codes
from levy_client.generated.api.transactions import create_transaction, list_transactions
from levy_client.generated.client import Client
from levy_client.generated.models import CalculationRequest, ErrorResponse, Transaction, TransactionRequest, TransactionStatus
from levy_client.generated.types import Response

CART = {
    "customer": {"address": {"city": "Lansing", "state": "MI", "postal_code": "48933", "country": "US"}},
    "line_items": [{"id": "mug", "product_tax_code": "GENERAL", "quantity": "2", "unit_price": "50.00"}],
}


def client(url: str, **options: Any) -> Client:
    return connect(url, api_key=API_KEY, **options)


def record(levy: Client, reference: str, **others: Any) -> Response[ErrorResponse | Transaction]:
    body = TransactionRequest.from_dict({**CART, "status": "finalized", "reference_id": reference})
    return create_transaction.sync_detailed(client=levy, body=body, **others)


def unique() -> str:
    return f"order_{uuid.uuid4()}"


@pytest.mark.parametrize("fault", ["hang up", "hang", "429", "500", "503", "lose reply", "cut reply"])
def test_records_one_sale_after(fault: str, service: str, proxy: Proxy) -> None:
    proxy.faults = [fault, fault]
    reference = unique()
    created = record(client(proxy.url, timeout=1), reference)
    sale = or_raise(created)
    assert created.status_code == 201
    assert (len(proxy.keys), len(set(proxy.keys))) == (3, 1)
    was_lost = fault in ("lose reply", "cut reply")
    assert proxy.passed == (3 if was_lost else 1)
    assert created.headers.get("Idempotent-Replayed") == ("true" if was_lost else None)
    found = items(list_transactions.sync_detailed, client=client(service), reference_id=reference)
    assert [each.id for each in found] == [sale.id]


@pytest.mark.parametrize("fault, status", [("hang up", None), ("hang", None), ("429", 429), ("503", 503)])
def test_raises_after_one_try_with_max_tries_1(fault: str, status: int | None, proxy: Proxy) -> None:
    proxy.faults = [fault]
    with pytest.raises(LevyUnavailable) as raised:
        create_calculation.sync(
            client=client(proxy.url, timeout=0.5, max_tries=1), body=CalculationRequest.from_dict(CART)
        )
    assert (raised.value.status, len(proxy.keys)) == (status, 1)


@pytest.mark.parametrize("fault, status", [("page", 200), ("429 60", 429)])
def test_raises_without_a_retry(fault: str, status: int, proxy: Proxy) -> None:
    proxy.faults = [fault]
    with pytest.raises(LevyUnavailable) as raised:
        create_calculation.sync(client=client(proxy.url), body=CalculationRequest.from_dict(CART))
    assert (raised.value.status, len(proxy.keys)) == (status, 1)


def test_finds_a_write_with_a_lost_response_by_its_key(proxy: Proxy) -> None:
    proxy.faults = ["lose reply"]
    reference = unique()
    with pytest.raises(LevyUnavailable) as raised:
        record(client(proxy.url, max_tries=1), reference, idempotency_key=reference)
    assert raised.value.idempotency_key == reference
    again = record(client(proxy.url), reference, idempotency_key=reference)
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")


def test_returns_a_refusal_with_its_code(service: str, proxy: Proxy) -> None:
    levy = client(proxy.url)
    reference = unique()
    first = or_raise(record(levy, reference))
    second = record(levy, reference)
    assert isinstance(second.parsed, ErrorResponse)
    with pytest.raises(LevyRefused) as raised:
        or_raise(second)
    assert (raised.value.status, raised.value.code) == (409, "conflict_duplicate_reference_id")
    assert raised.value.errors[0].to_dict()["meta"]["transaction_id"] == first.id
    assert len(proxy.keys) == 2


def test_yields_every_item_of_every_page(service: str) -> None:
    levy = client(service)
    sales = {or_raise(record(levy, unique())).id for _ in range(5)}
    assert sales <= {each.id for each in items(list_transactions.sync_detailed, client=levy, limit=2)}
    whole = or_raise(list_product_tax_codes.sync_detailed(client=levy)).data
    paged = [each.code for each in items(list_product_tax_codes.sync_detailed, client=levy, limit=7)]
    assert paged == [each.code for each in whole]
    with pytest.raises(LevyRefused, match="validation_invalid_cursor"):
        list(items(list_transactions.sync_detailed, client=levy, starting_after="x"))


def test_requests_a_token_before_each_try(proxy: Proxy) -> None:
    proxy.faults = ["503"]
    tokens = iter(["one", "two"])
    result = create_calculation.sync(client=connect(proxy.url, token=lambda: next(tokens)), body=CalculationRequest.from_dict(CART))
    assert isinstance(result, ErrorResponse) and result.errors[0].code == "auth_token_invalid"
    assert list(tokens) == []
    with pytest.raises(ValueError, match="api_key"):
        connect(proxy.url)
    with pytest.raises(ValueError, match="http://"):
        connect("127.0.0.1:3000", api_key=API_KEY)


def test_lists_each_error_with_its_field(service: str) -> None:
    lines = [{"quantity": "one", "unit_price": "50.00"}, {"quantity": "1", "unit_price": "1,000.00"}]
    body = CalculationRequest.from_dict({**CART, "line_items": lines})
    with pytest.raises(LevyRefused) as raised:
        or_raise(create_calculation.sync_detailed(client=client(service), body=body))
    first, second = str(raised.value).split("\n")
    assert first.startswith("validation_invalid_format: /line_items/0/quantity: ")
    assert second.startswith("/line_items/1/unit_price: ")


def test_names_the_cause_of_an_outage() -> None:
    with pytest.raises(LevyUnavailable, match="ConnectError"):
        create_calculation.sync(client=client("http://127.0.0.1:9", max_tries=1), body=CalculationRequest.from_dict(CART))


def test_filters_a_list_by_an_enum(service: str) -> None:
    levy = client(service)
    sale = or_raise(record(levy, unique()))
    found = or_raise(list_transactions.sync_detailed(client=levy, status=TransactionStatus(sale.status), limit=1))
    assert [each.status for each in found.data] == [sale.status]


def test_reads_a_file_of_a_list_and_an_electronic_return(service: str) -> None:
    http = client(service).get_httpx_client()
    listed = http.get("/transactions", headers={"Accept": "text/csv"})
    assert listed.text.splitlines()[0].startswith("id,")
    identity = {"legal_name": "A shop", "tin": {"type": "FEIN", "number": "123456789"}, "sst_id": "S12345678", "state_ids": {}}
    http.post("/account", json={"return_identity": identity}).raise_for_status()
    body = {"state": "MI", "period_end": "2026-10-31", "dry_run": True}
    returned = http.post("/filings", json=body, headers={"Accept": "application/xml"})
    assert (returned.status_code, "SSTPID" in returned.text) == (200, True)


def test_runs_the_checkout_example(service: str) -> None:
    example = Path(__file__).parents[1] / "examples/checkout.py"
    environment = {**os.environ, "LEVY_URL": service, "LEVY_API_KEY": API_KEY}
    ran = subprocess.run([sys.executable, str(example)], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == "Estimate: 6.00\nSale: 6.00 refund: 3.00\n"


def test_runs_the_samples_of_the_documentation_page(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVY", service)
    monkeypatch.setenv("LEVY_KEY", API_KEY)
    blocks = re.findall(r'<code class="py">(.*?)</code>', httpx.get(f"{service}/docs").text, re.S)
    samples = [html.unescape(re.sub(r"</?[a-z]+>", "", block)) for block in blocks]
    assert len(samples) > 20
    refused = set()
    for sample in samples:
        try:
            exec(compile(sample, "sample", "exec"), {})
        except LevyRefused as refusal:
            refused.add(refusal.code)
    # The ids of transactions and filings in the samples do not exist here.
    assert refused <= {"not_found", "validation_parent_not_found"}
