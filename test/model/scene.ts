import { instant, type Model, type World } from './book.ts';
import { type Side, write } from './requests.ts';

const address = (state: string, city: string, postal_code: string) => ({ country: 'US', state, city, postal_code });
const line = (id: string, quantity: string, unit_price: string, more: object = {}) => ({
  ...{ id, product_tax_code: 'GENERAL', quantity, unit_price },
  ...more,
});

const sale = (more: object) => ({
  type: 'sale',
  status: 'finalized',
  customer: { address: address('MI', 'Detroit', '48226') },
  ...more,
});

const elsewhere = { customer: { address: address('IN', 'Indianapolis', '46204') } };

/** The initial state of a run, created by requests, so that every command can apply. */
export const newScene = async (model: Model, real: World): Promise<{ model: Model; real: World }> => {
  // Sales of a month that is over, so that it can be filed.
  const tax_date = instant(model.nowMs - 40 * 86_400_000).slice(0, 10);
  const create = (side: Side, body: object) => write(model, real, side, { path: '/transactions', body, headers: {} });
  const lines = [line('item_0', '3', '9.99', { discount_amount: '1.00' }), line('item_1', '1', '33.35', elsewhere)];
  await create(0, sale({ tax_date, line_items: lines, shipping: { amount: '7.95' } }));
  await create(1, sale({ tax_date, line_items: [line('item_0', '2', '50.00')], reference_id: 'r1' }));
  return { model, real };
};
