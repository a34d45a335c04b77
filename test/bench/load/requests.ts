import { randomUUID } from 'node:crypto';

export type Kind = 'calculation' | 'create';
export type Request = { readonly path: string; readonly body: string };

/** The status of a successful response. */
export const success = { calculation: 200, create: 201 } as const satisfies Record<Kind, number>;

const places = [
  { line1: '124 W Michigan Ave', city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' },
  { line1: '300 W 15th St', city: 'Austin', state: 'TX', postal_code: '78701', country: 'US' },
  { line1: '1 Beacon St', city: 'Boston', state: 'MA', postal_code: '02108', country: 'US' },
  { line1: '501 N 3rd St', city: 'Harrisburg', state: 'PA', postal_code: '17120', country: 'US' },
];
const products = ['GENERAL', 'CLOTHING.APPAREL', 'FOOD.GROCERY'];

/** A cart of three lines. The number varies place and prices. */
const cartOf = (number: number) => ({
  customer: { id: `cus_${number % 1000}`, address: places[number % places.length] },
  line_items: products.map((product_tax_code, index) => ({
    id: `sku-${index}`,
    product_tax_code,
    quantity: String(1 + ((number + index) % 4)),
    unit_price: ((500 + ((number * 7919 + index * 104_729) % 20_000)) / 100).toFixed(2),
  })),
});

const calculations = Array.from({ length: 200 }, (_, number) => JSON.stringify(cartOf(number)));

/** The n-th request. The carts of calculations repeat; each create has a new reference. */
export const requestOf = (kind: Kind, number: number): Request => {
  if (kind === 'calculation')
    return { path: '/calculations', body: calculations[number % calculations.length] as string };
  const transaction = { ...cartOf(number), status: 'finalized', reference_id: randomUUID() };
  return { path: '/transactions', body: JSON.stringify(transaction) };
};
