import { newAccount, type Registration } from '../../shared/accounts/account.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { firstDay, lastDay, toDay, toMonth } from '../../shared/base/calendar.ts';
import { now } from '../../shared/config/clock.ts';
import { findAccount, provisionAccount } from '../../shared/store/accounts/account-store.ts';
import { provisionKey } from '../../shared/store/accounts/api-key-store.ts';
import data from './sample-month.json' with { type: 'json' };

const demoId = 'acct_demo';

/** Creates the demo account if it is missing, and a key with all scopes. Returns the key. */
export const createDemo = async (apiKey: string | null): Promise<string> => {
  // With DATA_DIR, the account exists from the previous run.
  if (!(await findAccount(demoId)))
    await provisionAccount(
      newAccount({
        id: demoId,
        name: 'Demo',
        serviceVersion: currentVersion,
        createdMs: now(),
        // Otherwise each calculation would warn that registrations are not set.
        settings: { registrations: 'all' },
      }),
    );
  const secret = apiKey ?? newApiKey();
  await provisionKey({
    account: demoId,
    secret,
    scopes: ['read', 'write', 'settings'],
    expires_at: null,
    label: 'npm start',
  });
  return secret;
};

const { places, products, customers } = data;
type Place = (typeof places)[number];
type Product = (typeof products)[number];
const placeAt = (at: number) => places[at % places.length] as Place;

const buildAddress = (place: Place) => ({ ...place, country: 'US' });

const buildLine = (product: Partial<Product>, count = 1) => ({ id: 'item', quantity: String(count), ...product });

const saleCount = 55;

const ordinarySales = Array.from({ length: saleCount }, (_, at) => ({
  customer: { address: buildAddress(placeAt(at)) },
  line_items: [buildLine(products[at % products.length] as Product, 1 + (at % 3))],
  // The first product is shipped.
  ...(at % products.length === 0 && { shipping: { amount: '9.00' } }),
}));

const [lamp] = products as [Product];
const exempt = (id: string, at: number) => ({
  customer: { id, address: buildAddress(placeAt(at)) },
  line_items: [buildLine(lamp, 10)],
});

const specialSales = [
  // The certificates apply in MI and TX, and in FL.
  ...[exempt('sample_reseller', 0), exempt('sample_reseller', 3), exempt('sample_school', 5)],
  // These sales have warnings: an expired certificate, an address that contradicts itself, and a product without a
  // code.
  exempt('sample_lapsed', 0),
  {
    customer: { address: buildAddress({ state: 'WA', city: 'Seattle', postal_code: '98402' }) },
    line_items: [buildLine(lamp)],
  },
  {
    customer: { address: buildAddress(placeAt(1)) },
    line_items: [buildLine({ description: 'Gift box', unit_price: '25.00' })],
  },
  // Michigan taxes 6 %, so 2.00 too much was collected.
  {
    customer: { address: buildAddress(placeAt(0)) },
    line_items: [buildLine({ description: 'Bookshelf', product_tax_code: 'HOME.FURNITURE', unit_price: '100.00' })],
    tax_amount: '8.00',
  },
];

/** The sales that are credited whole, and in part. */
const creditedWhole = [2, 9];
const creditedInPart = [5, 20];

/**
 * Returns the requests that record a month of sales for trying the console: the previous month of the service's clock,
 * in eight states. All calls within a month return the same requests. A credit names its sale by reference.
 */
export const sampleMonth = (nowMs: number) => {
  const month = toMonth(toDay(nowMs)) - 1;
  const [first, days] = [firstDay(month), Number(lastDay(month).slice(8))];
  const dayAt = (at: number) => `${first.slice(0, 8)}${String(1 + (at % days)).padStart(2, '0')}`;
  const getReference = (at: number) => `sample-${first.slice(0, 7)}-${String(at + 1).padStart(3, '0')}`;
  const shared = (at: number, day: number) => ({
    status: 'finalized',
    reference_id: getReference(at),
    tax_date: dayAt(day),
  });
  const sales = [...ordinarySales, ...specialSales].map((sale, at) => ({
    ...shared(at, at * 7),
    ship_from: { address: buildAddress(placeAt(0)) },
    ...sale,
  }));
  const credits = [...creditedWhole, ...creditedInPart].map((sale, at) => ({
    ...shared(sales.length + at, days - 1),
    type: 'credit',
    credit_of: getReference(sale),
    ...(creditedInPart.includes(sale) && { line_items: [{ id: 'item', quantity: '1' }] }),
  }));
  const registrations: Registration[] = [...new Set(places.map(({ state }) => state))].map((state) => ({
    state,
    from: first,
    to: null,
    frequency: 'month',
  }));
  return {
    month: first.slice(0, 7),
    registrations,
    customers,
    transactions: [...sales, ...credits],
  };
};
