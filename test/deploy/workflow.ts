/** The whole workflow of an account through the deployed API, which calls each endpoint at least once. */
import { createClient, type Levy, orThrow } from '../../shared/client/client.ts';
import { eventually, Failed, holds, same } from './run.ts';
import { monthBefore } from './stack.ts';

const customer = { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } };
const mug = { id: 'mug', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' } as const;
const line_items = [mug];
// Michigan taxes at 6 % and has no local rates.
const tax = '6.00';

export const connectClient = (url: string, apiKey: string): Levy => createClient({ url, apiKey, timeoutMs: 30_000 });

/** Fails the step unless the call is refused with this code. */
const refused = (what: string, result: { ok: boolean; refusal?: { code: string } }, code: string): void =>
  same(what, result.ok ? 'accepted' : result.refusal?.code, code);

/** Tests estimate, draft, finalize, unique reference, full and partial refund, and void. */
export const sell = async (levy: Levy, prefix: string) => {
  const { middle } = monthBefore(1);
  const estimate = orThrow(await levy.post('/calculations', { body: { customer, line_items } }));
  same('the tax of the estimate', estimate.tax_amount, tax);
  const cart = { status: 'draft', customer, line_items, tax_date: middle } as const;
  const draft = orThrow(await levy.post('/transactions', { body: cart }));
  const path = { id: draft.id };
  const reference_id = `${prefix}-1`;
  const paid = { status: 'finalized', reference_id } as const;
  const sale = orThrow(await levy.post('/transactions/{id}', { path, body: paid }));
  same('the tax of the sale', sale.tax_amount, tax);
  const again = await levy.post('/transactions', { body: { ...cart, status: 'finalized', reference_id } });
  refused('a second sale with the reference', again, 'conflict_duplicate_reference_id');

  const part = { type: 'credit', parent_transaction_id: sale.id, line_items: [{ id: 'mug', quantity: '1' }] } as const;
  const refund = { ...part, status: 'finalized', tax_date: middle, reference_id: `${prefix}-1-refund` } as const;
  const credit = orThrow(await levy.post('/transactions', { body: refund }));
  same('the tax of the partial refund', credit.tax_amount, '3.00');

  const wrong = { ...cart, status: 'finalized', reference_id: `${prefix}-2` } as const;
  const mistake = orThrow(await levy.post('/transactions', { body: wrong }));
  const voided = await levy.post('/transactions/{id}', { path: { id: mistake.id }, body: { status: 'void' } });
  same('the status of the mistake', orThrow(voided).status, 'void');
  const reused = orThrow(await levy.post('/transactions', { body: wrong }));
  return { sale, credit, mistake, reused, draftLeft: orThrow(await levy.post('/transactions', { body: cart })) };
};

type Sold = Awaited<ReturnType<typeof sell>>;

/** A sale in Michigan on a day. */
export const sellOn = async (levy: Levy, tax_date: string): Promise<void> => {
  orThrow(await levy.post('/transactions', { body: { status: 'finalized', customer, line_items, tax_date } }));
};

/** Tests reading the recorded transactions, and customers. */
export const readBack = async (levy: Levy, { sale, credit, reused }: Sold): Promise<void> => {
  const path = { id: sale.id };
  const stored = orThrow(await levy.get('/transactions/{id}', { path }));
  same('the refund status', stored.refund_status, 'partial');
  // The transaction was created, finalized and credited.
  same('the changes', orThrow(await levy.get('/transactions/{id}/history', { path })).data.length, 3);
  const listed = orThrow(await levy.get('/transactions', { query: { status: 'finalized' } }));
  const ids = listed.data.map(({ id }) => id).sort();
  same('the finalized transactions', ids, [sale.id, credit.id, reused.id].sort());
  const replayed = orThrow(await levy.post('/transactions/{id}/replay', { path }));
  same('the replay', [replayed.id, replayed.match], [sale.id, true]);
  const billed = { reference_id: sale.reference_id ?? '', total_amount: '106.00', tax_amount: '6.00' };
  const compared = orThrow(await levy.post('/reconciliations', { body: { transactions: [billed] } }));
  same('the matched invoices', [compared.matched_count, compared.missing, compared.different], [1, [], []]);
};

/** Tests that a sale to an exempt customer has no tax. */
export const sellExempt = async (levy: Levy): Promise<void> => {
  const exemptions = [{ reason: 'resale', states: ['MI'] }] as const;
  const body = { id: 'shop-7', name: 'A shop', exemptions: [...exemptions] };
  const made = orThrow(await levy.post('/customers', { body }));
  const calculation = { customer: { ...customer, id: made.id }, line_items };
  same(
    'the tax of an exempt customer',
    orThrow(await levy.post('/calculations', { body: calculation })).tax_amount,
    '0.00',
  );
  const path = { id: made.id };
  orThrow(await levy.post('/customers/{id}', { path, body: { exemptions: [] } }));
  same('the certificates', orThrow(await levy.get('/customers/{id}', { path })).exemptions?.length, 0);
  same('the customers', orThrow(await levy.get('/customers')).data.length, 1);
  const taxed = orThrow(await levy.post('/calculations', { body: calculation }));
  same('the tax without a certificate', taxed.tax_amount, tax);
};

/** Tests a dry run, closing and filing, and a credit of a filed sale. */
export const file = async (levy: Levy): Promise<void> => {
  const month = { state: 'MI', period_end: monthBefore(1).last };
  const dry = orThrow(await levy.post('/filings', { body: { ...month, dry_run: true } }));
  // Two sales of 6.00 less a refund of 3.00. The draft, the voided sale and the exempt estimates do not count.
  same('the tax of the dry run', dry.summary[0]?.tax_amount, '9.00');
  const { id } = orThrow(await levy.post('/filings', { body: month }));
  if (id === null) throw new Failed('the filing has no id');
  const settled = (status: string) =>
    eventually(`the filing is ${status}`, 120, async () => {
      const filing = orThrow(await levy.get('/filings/{id}', { path: { id } }));
      return filing.status === status ? filing : null;
    });
  const closed = await settled('closed');
  same('the tax of the filing', closed.summary[0]?.tax_amount, '9.00');
  const body = { status: 'filed', confirmation_number: 'MI-1' } as const;
  orThrow(await levy.post('/filings/{id}', { path: { id }, body }));
  await settled('filed');
  orThrow(await levy.get('/filings/{id}/exceptions', { path: { id } }));
  const csv = await levy.getCsv('/filings/{id}', { path: { id } });
  holds(csv.ok, 'the filing has no CSV');
  same('the filed filings', orThrow(await levy.get('/filings', { query: { status: 'filed' } })).data.length, 1);
  orThrow(await levy.get('/filing-periods'));
};

/** Tests the sums that the stream's consumer maintains. */
export const report = (levy: Levy): Promise<string> =>
  eventually('the report has two sales and a refund', 90, async () => {
    const month = monthBefore(1).first.slice(0, 7);
    const { data } = orThrow(await levy.get('/reports/by-state', { query: { from: month, to: month } }));
    const [row] = data;
    const figures = [data.length, row?.sales.count, row?.sales.tax_amount, row?.credits.tax_amount];
    return figures.join() === '1,2,12.00,3.00' ? 'sales 12.00, credits 3.00' : null;
  });

/** Tests requests without a sale, and product attributes. */
export const lookUp = async (levy: Levy): Promise<void> => {
  const attributes = orThrow(await levy.get('/product-attributes', { query: { ptc: 'CLOTHING.APPAREL' } }));
  const attribute = attributes.data[0]?.code;
  holds(attribute !== undefined, 'there are no attributes of CLOTHING.APPAREL');
  const described = [{ ...mug, product_tax_code: `CLOTHING.APPAREL.${attribute}` }];
  const body = { customer, line_items: described };
  same('the tax with an attribute', orThrow(await levy.post('/calculations', { body })).tax_amount, tax);
  holds(orThrow(await levy.get('/product-tax-codes', { query: { q: 'book' } })).data.length > 0, 'no code for a book');
  holds(orThrow(await levy.get('/coverage')).states.length > 50, 'coverage has fewer than 51 states');
  const rates = orThrow(await levy.get('/rates', { query: { postal_code: '48933', state: 'MI' } }));
  holds(JSON.stringify(rates).includes('0.06'), `the rates are ${JSON.stringify(rates)}`);
  const { review_days } = orThrow(await levy.post('/account', { body: { review_days: 4 } }));
  same('the changed setting', [review_days, orThrow(await levy.get('/account')).review_days], [4, 4]);
  orThrow(await levy.get('/registrations/advice'));
  orThrow(await levy.post('/session', { body: { action: 'start' } }));
};

/** Tests a request of TaxJar's clients. */
export const taxForOrder = async (url: string, key: string): Promise<void> => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ to_country: 'US', to_state: 'MI', to_zip: '48933', amount: 100, shipping: 0 });
  const sent = { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) };
  const response = await (await fetch(`${url}/taxjar/v2/taxes`, sent)).json();
  same('the tax', (response as { tax?: { amount_to_collect?: number } }).tax?.amount_to_collect, 6);
};

/** Tests unknown paths and methods, and bodies that API Gateway refuses. */
export const refusals = async (url: string, key: string): Promise<void> => {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const status = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(30_000), ...init })).status;
  same('PUT /transactions', await status('/transactions', { method: 'PUT' }), 405);
  same('GET /console', await status('/console'), 200);
  same('a body that is not JSON', await status('/calculations', { method: 'POST', body: '{' }), 400);
  holds([403, 404].includes(await status('/nothing')), 'an unknown path is neither 403 nor 404');
};
