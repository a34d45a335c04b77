/** The TaxJar-compatible API, called by TaxJar's own client for Node. */
import { Decimal } from 'decimal.js';
import Taxjar from 'taxjar';
import { expect, it } from 'vitest';
import { startEventSource } from '../../infra/local/handlers.ts';
import { environment } from '../../shared/config/environment.ts';
import { newCaller, startApi } from '../support/api.ts';
import { drawFrom } from '../support/random-orders.ts';
import { made } from '../support/sales.ts';
import { to } from '../support/taxjar.ts';

it('reports the same sums by state as the TaxJar-compatible API, for 200 random orders and refunds', async () => {
  await startEventSource(environment.tables.transactions);
  const caller = await newCaller();
  const { url } = await startApi();
  const client = new Taxjar({ apiKey: caller.key, apiUrl: `${url}/taxjar` });
  const draw = drawFrom(50_123);
  const cents = (most: number) => new Decimal(1 + draw.below(most)).div(100);
  const places = [
    to,
    { to_country: 'US', to_zip: '48933', to_state: 'MI' },
    { to_country: 'US', to_zip: '90012', to_state: 'CA' },
  ];
  const sums = new Map<string, { gross: Decimal; tax: Decimal }>();
  const add = (state: string, gross: Decimal.Value, tax: Decimal.Value) => {
    const { gross: g, tax: t } = sums.get(state) ?? { gross: new Decimal(0), tax: new Decimal(0) };
    sums.set(state, { gross: g.plus(gross), tax: t.plus(tax) });
  };
  for (let at = 0; at < 140; at++) {
    const place = draw.of(places);
    const [goods, shipping] = [cents(40_000), cents(2000)];
    const amount = goods.plus(shipping).toNumber();
    const { tax } = await client.taxForOrder({ ...place, amount: goods.toNumber(), shipping: shipping.toNumber() });
    const base = { ...place, transaction_date: '2026-10-05', shipping: shipping.toNumber() };
    const sales_tax = tax.amount_to_collect;
    const { order: sold } = await client.createOrder({ ...base, transaction_id: `o${at}`, amount, sales_tax });
    expect([sold.amount, sold.sales_tax].map(Number)).toEqual([amount, sales_tax]);
    add(place.to_state, amount, sales_tax);
    if (at % 7 > 2) continue;
    const part = goods.times(draw.below(100)).div(100).toDecimalPlaces(2);
    const returned = part.times(-sales_tax).div(amount).toDecimalPlaces(2, Decimal.ROUND_DOWN).toNumber();
    const { refund } = await client.createRefund({
      ...base,
      shipping: 0,
      transaction_id: `r${at}`,
      transaction_reference_id: `o${at}`,
      amount: part.negated().toNumber(),
      sales_tax: returned,
    });
    expect([refund.amount, refund.sales_tax].map(Number)).toEqual([-part.toNumber() + 0, returned + 0]);
    add(place.to_state, part.negated(), returned);
  }
  // The orders fill more than one page of the API.
  const { orders } = await client.listOrders({ transaction_date: '2026-10-05' });
  expect(orders).toEqual(Array.from({ length: 140 }, (_, at) => `o${139 - at}`));
  const read = async () => {
    const { data } = await made(caller.call('GET', '/reports/by-state?from=2026-10&to=2026-10' as '/reports/by-state'));
    const net = (name: 'gross_amount' | 'tax_amount', row: (typeof data)[number]) =>
      new Decimal(row.sales[name]).minus(row.credits[name]).toFixed(2);
    return data.map((row) => [row.state.slice(3), net('gross_amount', row), net('tax_amount', row)]).sort();
  };
  const expected = [...sums].map(([state, { gross, tax }]) => [state, gross.toFixed(2), tax.toFixed(2)]).sort();
  await expect.poll(read).toEqual(expected);
}, 120_000);
