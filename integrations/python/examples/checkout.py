import os, time
from levy_client import LevyUnavailable, connect, or_raise
from levy_client.generated.api.calculations import create_calculation
from levy_client.generated.api.transactions import create_transaction, update_transaction
from levy_client.generated.models import CalculationRequest, ErrorResponse, TransactionRequest, TransactionUpdate

url, key = os.environ.get("LEVY_URL", "http://127.0.0.1:3000"), os.environ.get("LEVY_API_KEY", "levy_demo")
levy = connect(url, api_key=key)
order = f"order_{time.time_ns()}"
cart = {"customer": {"address": {"city": "Lansing", "state": "MI", "postal_code": "48933", "country": "US"}},
        "line_items": [{"id": "mug", "product_tax_code": "GENERAL", "quantity": "2", "unit_price": "50.00"}]}
# In the cart: an estimate, in at most a second. Decide what your shop does without one.
try:
    estimate = create_calculation.sync(client=connect(url, api_key=key, timeout=1, max_tries=1), body=CalculationRequest.from_dict(cart))
    print("Estimate:", estimate.errors[0].detail if isinstance(estimate, ErrorResponse) else estimate and estimate.tax_amount)
except LevyUnavailable as error:
    print("No estimate:", error)
# At checkout: a draft. A retry with the same key records no second draft, even after your process crashed.
draft = or_raise(create_transaction.sync_detailed(client=levy, idempotency_key=f"{order}-placed", body=TransactionRequest.from_dict({**cart, "status": "draft"})))
# After the payment: finalize the draft with your invoice number.
sale = or_raise(update_transaction.sync_detailed(draft.id, client=levy, idempotency_key=f"{order}-paid", body=TransactionUpdate.from_dict({"status": "finalized", "reference_id": order})))
# The customer returns one of two mugs: a partial refund of the recorded tax.
refund = or_raise(create_transaction.sync_detailed(client=levy, idempotency_key=f"{order}-refund-1", body=TransactionRequest.from_dict({"type": "credit", "parent_transaction_id": sale.id, "line_items": [{"id": "mug", "quantity": "1"}], "status": "finalized"})))
print("Sale:", sale.tax_amount, "refund:", refund.tax_amount)
