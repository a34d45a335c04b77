import { createClient, LevyUnavailable, orThrow } from 'levy-client';

const url = process.env['LEVY_URL'] ?? 'http://127.0.0.1:3000';
const levy = createClient({ url, apiKey: process.env['LEVY_API_KEY'] ?? 'levy_demo' });
const order = `order_${Date.now()}`;
const customer = { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } };
const line_items = [{ id: 'mug', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' }];
// In the cart: get an estimate within a second. Decide what your shop does if there is none.
const limits = { timeoutMs: 1000, maxTries: 1 };
const estimate = await levy.post('/calculations', { body: { customer, line_items }, ...limits }).catch((error) => {
  if (error instanceof LevyUnavailable) return null;
  throw error;
});
console.log('Estimate:', estimate?.ok ? estimate.data.tax_amount : 'not available');
// At checkout: record a draft. The idempotency key prevents a second draft, even if your process crashed.
const cart = { status: 'draft', customer, line_items } as const;
const draft = orThrow(await levy.post('/transactions', { body: cart, idempotencyKey: `${order}-placed` }));
// After payment: finalize the draft with your invoice number.
const paid = { status: 'finalized', reference_id: order } as const;
const path = { id: draft.id };
const sale = orThrow(await levy.post('/transactions/{id}', { path, body: paid, idempotencyKey: `${order}-paid` }));
// The customer returns one of two mugs: refund part of the recorded tax. `orThrow` throws if Levy refuses the request.
const returned = { parent_transaction_id: sale.id, line_items: [{ id: 'mug', quantity: '1' }] };
const body = { type: 'credit', status: 'finalized', ...returned } as const;
const refund = orThrow(await levy.post('/transactions', { body, idempotencyKey: `${order}-refund-1` }));
console.log('Sale:', sale.tax_amount, 'refund:', refund.tax_amount);
