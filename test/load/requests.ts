import { randomUUID } from 'node:crypto';

export type Kind = 'calculation' | 'create';

/** The status that each kind is to be answered with. */
export const success = { calculation: 200, create: 201 } as const satisfies Record<Kind, number>;

const places = [
  { line1: '124 W Michigan Ave', city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' },
  { line1: '300 W 15th St', city: 'Austin', state: 'TX', postal_code: '78701', country: 'US' },
  { line1: '1 Beacon St', city: 'Boston', state: 'MA', postal_code: '02108', country: 'US' },
  { line1: '501 N 3rd St', city: 'Harrisburg', state: 'PA', postal_code: '17120', country: 'US' },
];
const products = ['GENERAL', 'CLOTHING.APPAREL', 'FOOD.GROCERY'];

/** A cart of three lines, as a checkout asks for it; the number varies place and prices. */
const cartOf = (number: number) => ({
  customer: { id: `cus_${number % 1000}`, address: places[number % places.length] },
  line_items: products.map((product_tax_code, index) => ({
    id: `sku-${index}`,
    product_tax_code,
    quantity: String(1 + ((number + index) % 4)),
    unit_price: ((500 + ((number * 7919 + index * 104_729) % 20_000)) / 100).toFixed(2),
  })),
});

/** A whole HTTP request, ready to be sent. */
const rawRequest = (path: string, apiKey: string, body: unknown): Buffer => {
  const text = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `X-API-Key: ${apiKey}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
};

const carts = 200;

/** Makes the requests of a run. Carts repeat after a while; what is created is new each time, as its reference says. */
export const requestsFor = (apiKey: string): ((kind: Kind, number: number) => Buffer) => {
  const calculations = Array.from({ length: carts }, (_, number) =>
    rawRequest('/calculations', apiKey, cartOf(number)),
  );
  return (kind, number) =>
    kind === 'calculation'
      ? (calculations[number % carts] as Buffer)
      : rawRequest('/transactions', apiKey, { ...cartOf(number), status: 'finalized', reference_id: randomUUID() });
};
