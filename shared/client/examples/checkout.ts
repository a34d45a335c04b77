import { createClient, LevyUnavailable, orThrow } from 'levy-client';

const levy = createClient({
  url: process.env['LEVY_URL'] ?? 'http://127.0.0.1:3000',
  apiKey: process.env['LEVY_API_KEY'] ?? 'levy_demo',
});
const order = `order_${Date.now()}`;
const customer = { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } };
const line_items = [{ id: 'mug', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' }];

// In the cart: an estimate, in at most a second. Decide what your shop does without one.
const estimate = await levy
  .post('/calculations', { body: { customer, line_items }, timeoutMs: 1000, maxTries: 1 })
  .catch((error) => {
    if (error instanceof LevyUnavailable) return null;
    throw error;
  });
if (estimate?.ok) console.log('Estimate:', estimate.data.tax_amount);
else console.log('No estimate:', estimate?.refusal.detail ?? 'Levy is unavailable');

// At checkout: a draft. The same key never records a second one, also after a crash of your own.
const draft = orThrow(
  await levy.post('/transactions', {
    body: { status: 'draft', customer, line_items },
    idempotencyKey: `${order}-placed`,
  }),
);
// After the payment: finalize the draft with your invoice number.
const path = { id: draft.id };
const sale = orThrow(
  await levy.post('/transactions/{id}', {
    path,
    body: { status: 'finalized', reference_id: order },
    idempotencyKey: `${order}-paid`,
  }),
);
// The customer returns one of two mugs: a partial refund of the recorded tax.
const body = {
  type: 'credit',
  parent_transaction_id: sale.id,
  line_items: [{ id: 'mug', quantity: '1' }],
  status: 'finalized',
} as const;
const refund = await levy.post('/transactions', { body, idempotencyKey: `${order}-refund-1` });
if (!refund.ok && refund.refusal.code === 'conflict_over_credit')
  console.log('Refunded before:', refund.refusal.detail);
else console.log('Sale:', sale.tax_amount, 'refund:', orThrow(refund).tax_amount);
