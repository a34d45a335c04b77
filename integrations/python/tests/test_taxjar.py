"""TaxJar's own client for Python, unmodified, against the service's TaxJar-compatible API."""

from collections.abc import Callable
from typing import Any

import pytest
import taxjar
from conftest import API_KEY
from taxjar.exceptions import TaxJarResponseError

TO = {"to_country": "US", "to_zip": "48933", "to_state": "MI", "to_city": "Lansing"}
ORDER = {**TO, "transaction_date": "2026/10/14", "amount": 16.5, "shipping": 1.5, "sales_tax": 0.99}
CUSTOMER = {"customer_id": "py-1", "exemption_type": "wholesale", "name": "Acme", "exempt_regions": [{"country": "US", "state": "MI"}]}


@pytest.fixture
def client(service: str) -> taxjar.Client:
    return taxjar.Client(api_key=API_KEY, api_url=f"{service}/taxjar")


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(TaxJarResponseError) as raised:
        call()
    return str(raised.value)


def test_calculates_tax_and_reads_rates(client: taxjar.Client) -> None:
    tax = client.tax_for_order({**TO, "amount": 15, "shipping": 1.5})
    assert (tax.amount_to_collect, tax.rate, tax.has_nexus) == (0.9, 0.06, True)  # Michigan does not tax shipping that is stated separately.
    assert tax.breakdown.state_tax_collectable == 0.9
    assert client.rates_for_location("48933", {"state": "MI"}).combined_rate == 0.06
    assert "20010" in [category.product_tax_code for category in client.categories()]
    assert "MI" in [region.region_code for region in client.nexus_regions()]
    assert "MI" in [rate.region_code for rate in client.summary_rates()]
    address = {"country": "US", "state": "MI", "zip": "48933", "city": "Lansing"}
    assert [found.city for found in client.validate_address(address)] == ["Lansing"]


def test_records_orders_and_refunds(client: taxjar.Client) -> None:
    line = {"id": 1, "quantity": 2.0, "unit_price": 7.5}  # ERPNext sends whole quantities with decimals.
    assert client.create_order({**ORDER, "transaction_id": "py-0", "line_items": [line]}).line_items[0].quantity == 2
    client.delete_order("py-0")
    order = {**ORDER, "transaction_id": "py-1"}
    assert client.create_order(order).sales_tax == 0.99
    assert client.create_order(order).amount == 16.5
    assert client.update_order("py-1", {**order, "sales_tax": 1}).sales_tax == 1.0
    assert client.show_order("py-1").transaction_id == "py-1"
    day = {"from_transaction_date": "2026/10/14", "to_transaction_date": "2026/10/14"}
    assert list(client.list_orders(day)) == ["py-1"]
    refund = {**ORDER, "transaction_id": "py-2", "transaction_reference_id": "py-1", "amount": -5, "shipping": 0, "sales_tax": -0.3}
    assert client.create_refund(refund).sales_tax == -0.3
    assert client.update_refund("py-2", {**refund, "amount": -6}).amount == -6.0
    assert client.show_refund("py-2").transaction_reference_id == "py-1"
    assert list(client.list_refunds(day)) == ["py-2"]
    assert refusal(lambda: client.delete_order("py-1")).startswith("422")
    client.delete_refund("py-2")
    client.delete_order("py-1")
    assert refusal(lambda: client.show_order("py-1")).startswith("404")


def test_stores_customers(client: taxjar.Client) -> None:
    assert client.create_customer(CUSTOMER).exempt_regions[0].state == "MI"
    assert client.tax_for_order({**TO, "customer_id": "py-1", "amount": 15, "shipping": 0}).amount_to_collect == 0
    assert client.update_customer("py-1", {**CUSTOMER, "exemption_type": "other"}).exemption_type == "other"
    assert client.show_customer("py-1").name == "Acme"
    # The samples of the documentation record a customer of the same account.
    assert "py-1" in client.list_customers()
    client.delete_customer("py-1")
    assert refusal(lambda: client.show_customer("py-1")).startswith("404")


def test_raises_the_errors_of_the_service(client: taxjar.Client, service: str) -> None:
    assert refusal(lambda: client.tax_for_order({**TO, "amount": 15})) == "406 Not Acceptable"
    assert refusal(lambda: client.create_order({**ORDER, "transaction_id": "py-3", "amount": 16.505})) == "406 Not Acceptable"
    assert refusal(lambda: client.validate({"vat": "FR40303265045"})) == "404 Not Found"
    stranger = taxjar.Client(api_key="levy_unknown", api_url=f"{service}/taxjar")
    assert refusal(stranger.categories) == "401 Unauthorized"
