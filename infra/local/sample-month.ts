import type { Registration } from '../../shared/accounts/account.ts';
import { firstDay, lastDay, toDay, toMonth } from '../../shared/base/calendar.ts';

const places = [
  ['MI', 'Detroit', '48226'],
  ['OH', 'Columbus', '43215'],
  ['NY', 'New York', '10001'],
  ['TX', 'Austin', '78701'],
  ['WA', 'Seattle', '98101'],
  ['FL', 'Miami', '33101'],
  ['CA', 'Los Angeles', '90012'],
  ['CO', 'Denver', '80202'],
  ['MI', 'Lansing', '48933'],
  ['OH', 'Cleveland', '44114'],
  ['NY', 'Buffalo', '14202'],
  ['TX', 'Dallas', '75201'],
  ['WA', 'Spokane', '99201'],
  ['FL', 'Orlando', '32801'],
  ['CA', 'San Diego', '92101'],
  ['CO', 'Boulder', '80302'],
] as const;

const products = [
  ['Desk lamp', 'GENERAL', '49.00'],
  ['Rain jacket', 'CLOTHING.APPAREL', '129.00'],
  ['Granola', 'FOOD.GROCERY', '8.50'],
  ['Oak chair', 'HOME.FURNITURE', '240.00'],
  ['Laptop', 'ELECTRONICS.COMPUTERS', '1199.00'],
  ['Cookbook', 'PRINT.BOOKS', '32.00'],
  ['Planner, monthly plan', 'SOFTWARE.SAAS', '19.00'],
] as const;

const addressOf = ([state, city, postal_code]: readonly [string, string, string]) => ({
  ...{ city, state, postal_code, country: 'US' },
});

const lineOf = ([description, product_tax_code, unit_price]: readonly [string, string | null, string], count = 1) => ({
  ...{ id: 'item', description, quantity: String(count), unit_price },
  ...(product_tax_code !== null && { product_tax_code }),
});

const saleCount = 55;

const ordinarySales = Array.from({ length: saleCount }, (_, at) => ({
  customer: { address: addressOf(places[at % places.length] ?? places[0]) },
  line_items: [lineOf(products[at % products.length] ?? products[0], 1 + (at % 3))],
  // The first product is shipped.
  ...(at % products.length === 0 && { shipping: { amount: '9.00' } }),
}));

const [lamp] = products;
const exempt = (id: string, at: number) => ({
  customer: { id, address: addressOf(places[at] ?? places[0]) },
  line_items: [lineOf(lamp, 10)],
});

const specialSales = [
  // The certificates apply in MI and TX, and in FL.
  ...[exempt('sample_reseller', 0), exempt('sample_reseller', 3), exempt('sample_school', 5)],
  // To review: an expired certificate, an address that contradicts itself, and a product without a code.
  exempt('sample_lapsed', 0),
  { customer: { address: addressOf(['WA', 'Seattle', '98402']) }, line_items: [lineOf(lamp)] },
  { customer: { address: addressOf(places[1]) }, line_items: [lineOf(['Gift box', null, '25.00'])] },
  // Michigan taxes 6 %, so 2.00 too much was collected.
  {
    customer: { address: addressOf(places[0]) },
    line_items: [lineOf(['Bookshelf', 'HOME.FURNITURE', '100.00'])],
    tax_amount: '8.00',
  },
];

/** The sales that are credited whole, and in part. */
const creditedWhole = [2, 9];
const creditedInPart = [5, 20];

const certificate = (reason: string, states: readonly string[], valid_to: string | null) => ({
  ...{ reason, states, certificate_number: `SAMPLE-${reason}`, valid_from: '2020-01-01', valid_to },
});

/**
 * Returns the requests that record a month of sales for trying the console: the previous month of the service's clock,
 * in eight states. They are the same in every call of a month. A credit names its sale by reference.
 */
export const sampleMonth = (nowMs: number) => {
  const month = toMonth(toDay(nowMs)) - 1;
  const [first, days] = [firstDay(month), Number(lastDay(month).slice(8))];
  const dayAt = (at: number) => `${first.slice(0, 8)}${String(1 + (at % days)).padStart(2, '0')}`;
  const referenceOf = (at: number) => `sample-${first.slice(0, 7)}-${String(at + 1).padStart(3, '0')}`;
  const shared = (at: number, day: number) => ({
    ...{ status: 'finalized', reference_id: referenceOf(at), tax_date: dayAt(day) },
  });
  const sales = [...ordinarySales, ...specialSales].map((sale, at) => ({
    ...shared(at, at * 7),
    ship_from: { address: addressOf(places[0]) },
    ...sale,
  }));
  const credits = [...creditedWhole, ...creditedInPart].map((sale, at) => ({
    ...shared(sales.length + at, days - 1),
    ...{ type: 'credit', credit_of: referenceOf(sale) },
    ...(creditedInPart.includes(sale) && { line_items: [{ id: 'item', quantity: '1' }] }),
  }));
  const registrations: Registration[] = [...new Set(places.map(([state]) => state))].map((state) => ({
    ...{ state, from: first, to: null, frequency: 'month' },
  }));
  return {
    month: first.slice(0, 7),
    registrations,
    customers: [
      { id: 'sample_reseller', name: 'Sample reseller', exemptions: [certificate('resale', ['MI', 'TX'], null)] },
      { id: 'sample_school', name: 'Sample school', exemptions: [certificate('nonprofit', ['FL'], null)] },
      { id: 'sample_lapsed', name: 'Sample buyer', exemptions: [certificate('resale', ['MI'], '2021-12-31')] },
    ],
    transactions: [...sales, ...credits],
  };
};
