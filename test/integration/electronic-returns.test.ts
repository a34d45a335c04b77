import { describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import { figuresIn, getText, identity, memberPlaces, readReturn, xml } from '../support/electronic-return.ts';
import { cancel, closedFiling, dryRun, type Filer, file, monthly, newFiler } from '../support/filings.ts';
import type { ApiResponse } from '../support/http.ts';
import { buildCreditRequest, made, sale } from '../support/sales.ts';

// The returns of several months and states are compared with their sales in worksheets.test.ts.

type State = keyof typeof memberPlaces;

const listRefusals = ({ status, body }: ApiResponse): string[] => [
  `${status}`,
  ...body.errors.map(({ code, detail }) => `${code} ${detail}`),
];
/** Returns the electronic return of a period that is not closed. */
const preview = (filer: Filer, state: string, period_end: string) =>
  filer.close({ state, period_end, dry_run: true }, xml);
const buildLine = (id: string, product_tax_code: string, unit_price = '100.00') => {
  return { id, product_tax_code, quantity: '1', unit_price };
};
const newark = { address: { city: 'Newark', state: 'NJ', postal_code: '07102' } };
const quarterly = (state: string, from = '2026-09-01') => ({ state, from, to: null, frequency: 'quarter' }) as const;

describe('electronic returns', () => {
  const kentucky = { address: memberPlaces.KY };
  const soldIn = (filer: Filer, tax_date: string, others: Record<string, unknown> = {}) =>
    made(filer.create(sale({ status: 'finalized', tax_date, customer: kentucky, ...others })));
  const common = { books_open_from: '2026-09-01', return_identity: identity };
  const shop = (settings: Partial<Settings> = {}) =>
    newFiler({ registrations: [monthly('KY', '2026-09-01')], ...common, ...settings });

  it('returns the same bytes before and after it is filed, and a different hash after a change', async () => {
    const filer = await shop();
    await soldIn(filer, '2026-09-05');
    const dry = await preview(filer, 'KY', '2026-09-30');
    const { id } = await closedFiling(filer, 'KY', '2026-09-30');
    const before = await readReturn(filer, id);
    const headers = Object.fromEntries(before.headers);
    expect(headers).toMatchObject({ 'content-type': 'application/xml', vary: 'Accept, Service-Version' });
    const named = /^attachment; filename="US-KY_2026-09-30_return-test_[0-9a-f]{16}\.xml"$/;
    expect(headers['content-disposition']).toMatch(named);
    const figures = { TotalSales: '100.00', StateTaxDueSalesOrigOutOfState: '6.00', TotalTaxDue: '6.00' };
    for (const text of [dry.text, before.text]) {
      expect(figuresIn(text)).toMatchObject(figures);
      const texts = ['ProcessType', 'SSTPID', 'FIPSCode'].map((name) => getText(text, name));
      expect(texts).toEqual(['T', 'S12345678', '21']);
    }
    expect([dry.text, before.text].map((text) => getText(text, 'Timestamp') !== '')).toEqual([false, true]);
    await file(filer, id);
    const after = await readReturn(filer, id);
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
    const production = await readReturn(filer, id, { process_type: 'P', return_type: 'A' });
    expect([getText(production.text, 'ProcessType'), getText(production.text, 'ReturnType')]).toEqual(['P', 'A']);
    expect(production.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(getText(production.text, 'DocumentId')).not.toBe(getText(before.text, 'DocumentId'));
    expect(getText(production.text, 'DocumentId')).toMatch(/^S1234567826\d{3}[0-9A-Z]{6}$/);
  });

  it('returns zero amounts without sales, and negative amounts if credits exceed sales', async () => {
    const filer = await shop();
    const sold = await soldIn(filer, '2026-09-05');
    await closedFiling(filer, 'KY', '2026-09-30');
    await made(filer.create(buildCreditRequest(sold, { tax_date: '2026-10-02' })));
    const october = await closedFiling(filer, 'KY', '2026-10-31');
    const november = await preview(filer, 'KY', '2026-11-30');
    const figures = Object.entries(figuresIn((await readReturn(filer, october.id)).text));
    expect(figures.filter(([, amount]) => amount !== '0.00').map((figure) => figure.join(' '))).toEqual([
      ...['TotalSales -100.00', 'TaxableSales -100.00', 'StateTaxDueSalesOrigOutOfState -6.00'],
      ...['TotalTaxDue -6.00', 'AmountDueOrRefund -6.00'],
    ]);
    const zeros = Object.values(figuresIn(november.text));
    expect([zeros.length, new Set(zeros)]).toEqual([9, new Set(['0.00'])]);
  });

  it('covers only the registered months of a quarter, and identifies the business by its state id', async () => {
    const registrations = [quarterly('SD', '2026-08-15')];
    const filer = await shop({ registrations, books_open_from: '2026-08-01' });
    await soldIn(filer, '2026-08-20', { customer: { address: memberPlaces.SD } });
    const { text } = await preview(filer, 'SD', '2026-09-30');
    const names = ['TaxPeriodStartDate', 'TaxPeriodEndDate', 'StateID', 'SSTPID', 'ETIN'];
    const texts = names.map((name) => getText(text, name)).join();
    expect(texts).toBe('2026-08-01,2026-09-30,1234-5678,,S12345678');
  });

  it('reports tax on food at a reduced rate in its own element', async () => {
    const registrations = [{ state: 'AR', from: '2025-01-01', to: null, frequency: 'year' as const }];
    const filer = await shop({ registrations, books_open_from: '2025-01-01' });
    // The rate on food is 0.125 % until the end of 2025.
    const line_items = [buildLine('food', 'FOOD.GROCERY', '800.00')];
    await soldIn(filer, '2025-06-05', { customer: { address: memberPlaces.AR }, line_items });
    const { text } = await preview(filer, 'AR', '2025-12-31');
    const other = { StateTaxDueSalesInState: '0.00', StateTaxDueSalesOrigOutOfState: '0.00' };
    expect(figuresIn(text)).toMatchObject({ TotalSales: '800.00', StateTaxDueFoodDrug: '1.00', ...other });
  });

  // By hand: 3.3125 % of a boat of 10,000.00 and of its delivery for 100.00. A boat is neither food nor a drug.
  it('does not report the delivery of other goods at a reduced rate as food', async () => {
    const filer = await shop({ registrations: [quarterly('NJ')] });
    const line_items = [buildLine('boat', 'WATERCRAFT.BOATS', '10000.00')];
    await soldIn(filer, '2026-09-05', { customer: newark, line_items, shipping: { amount: '100.00' } });
    const { text } = await preview(filer, 'NJ', '2026-09-30');
    const due = { StateTaxDueFoodDrug: '0.00', StateTaxDueSalesOrigOutOfState: '334.56' };
    expect(figuresIn(text)).toMatchObject({ TotalSales: '10100.00', ...due });
  });

  // A credit of a part of the delivery lacks the boat that determines its rate. By hand: 3.3125 % of 40.00.
  it('reverses the delivery of other goods in the element that the sale used', async () => {
    const filer = await shop({ registrations: [quarterly('NJ')] });
    const line_items = [buildLine('boat', 'WATERCRAFT.BOATS'), buildLine('shirt', 'CLOTHING.APPAREL')];
    const shipping = { amount: '100.00', line_item_ids: ['boat'] };
    const sold = await soldIn(filer, '2026-09-05', { customer: newark, line_items, shipping });
    const part = { shipping: { amount: '40.00' }, line_items: [{ id: 'shirt', quantity: '1' }] };
    await made(filer.create(buildCreditRequest(sold, { tax_date: '2026-10-02', ...part })));
    await closedFiling(filer, 'NJ', '2026-09-30');
    const { text } = await preview(filer, 'NJ', '2026-12-31');
    const due = { StateTaxDueFoodDrug: '0.00', StateTaxDueSalesOrigOutOfState: '-1.33' };
    expect(figuresIn(text)).toMatchObject({ TotalSales: '-140.00', ...due });
  });

  // Line 5 of the ST-1 is for food, drugs and medical appliances at 1 %. By hand: hearing aids 1.00, drugs 1.00 and their
  // delivery 0.10, at 1 %; and 1.5 % of the same 210.00 for Chicago.
  it.each([
    { shipping: { amount: '10.00' } },
    { freight: buildLine('freight', 'SHIPPING.DELIVERY', '10.00') },
    { freight: buildLine('freight', 'DELIVERY', '10.00'), drug: 'DRUGS' },
  ])('reports medical appliances and the delivery of drugs at the reduced rate of Illinois: %j', async (charge) => {
    const filer = await shop({ registrations: [monthly('IL', '2026-09-01')] });
    const customer = { address: { city: 'Chicago', state: 'IL', postal_code: '60601' } };
    const { freight, drug, ...others } = { freight: null, drug: 'HEALTH.DRUGS', ...charge };
    const drugs = [buildLine('drugs', drug), ...(freight ? [freight] : [])];
    await soldIn(filer, '2026-10-05', { customer, line_items: drugs, ...others });
    await soldIn(filer, '2026-10-06', { customer, line_items: [buildLine('aids', 'HEALTH.HEARING_AIDS')] });
    const [state] = (await dryRun(filer, 'IL', '2026-10-31')).totals;
    expect(state).toMatchObject({ calculated_tax_amount: '2.10', tax_due: { food_and_drugs: '2.10' } });
    const month = { state: 'IL', period_end: '2026-10-31', dry_run: true };
    const { worksheet } = await made(filer.close({ ...month, form: 'IL-ST-1' }));
    const lines = new Map(worksheet?.lines.map(({ line, amount }) => [line, amount]));
    expect([lines.get('4b'), lines.get('5b')]).toEqual(['3.00', '2.00']);
  });

  it('reverses the tax on shipping in the element that the sale used, even for a credit of another line', async () => {
    const filer = await shop();
    const line = (id: string, state: State) => {
      return { ...buildLine(id, 'GENERAL'), ship_from: { address: memberPlaces[state] } };
    };
    const line_items = [line('inside', 'KY'), line('outside', 'GA')];
    const sold = await soldIn(filer, '2026-09-05', { line_items, shipping: { amount: '10.00' } });
    const figures = async () => figuresIn((await preview(filer, 'KY', '2026-09-30')).text);
    const due = { StateTaxDueSalesInState: '6.60', StateTaxDueSalesOrigOutOfState: '6.00' };
    expect(await figures()).toMatchObject(due);
    const shippingOnly = { line_items: [{ id: 'outside', quantity: '1', unit_price: '0.00' }] };
    const all = { tax_date: '2026-09-06', shipping: { amount: '10.00' } };
    await made(filer.create(buildCreditRequest(sold, { ...shippingOnly, ...all })));
    expect(await figures()).toMatchObject({ ...due, StateTaxDueSalesInState: '6.00' });
  });

  it('omits fees, with a comment that lists them', async () => {
    const filer = await shop({ registrations: 'all', retail_delivery_fee: 'add' });
    const goods = { line_items: [buildLine('goods', 'GENERAL', '500.00')], shipping: { amount: '5.00' } };
    await soldIn(filer, '2026-09-05', { customer: { address: memberPlaces.MN }, ...goods });
    const { text } = await preview(filer, 'MN', '2026-09-30');
    expect(text).toContain('<!-- Not included: fees of 0.50');
    expect(figuresIn(text)['StateTaxDueSalesOrigOutOfState']).toBe('34.72');
  });

  describe('refused electronic returns', () => {
    // All or part of the state's rate is a tax on meals or alcohol, which is reported elsewhere.
    it.each([
      ['VT', 'Burlington', '05401', 'FOOD.PREPARED_FOOD', '32 V.S.A. 9241'],
      ['RI', 'Providence', '02903', 'FOOD.PREPARED_FOOD', '44-18-18.1'],
      ['MN', 'Minneapolis', '55401', 'BEVERAGES.BEER', '295.75'],
      ['ND', 'Bismarck', '58501', 'BEVERAGES.WINE', '57-39.6-02'],
    ])('refuses a return of %s with another tax of the state', async (state, city, postal_code, code, law) => {
      const filer = await shop({ registrations: [quarterly(state)] });
      const customer = { address: { city, state, postal_code } };
      const sell = (product_tax_code: string) =>
        soldIn(filer, '2026-10-05', { customer, line_items: [buildLine('a', product_tax_code)] });
      await sell('GENERAL');
      expect((await preview(filer, state, '2026-12-31')).text).not.toContain(law);
      await sell(code);
      expect((await preview(filer, state, '2026-12-31')).text).toContain(law);
    });

    it('refuses a production return with exceptions until their number is acknowledged', async () => {
      const filer = await shop();
      await soldIn(filer, '2026-09-05', { tax_amount: '5.00' });
      const { id } = await closedFiling(filer, 'KY', '2026-09-30');
      expect((await readReturn(filer, id)).status).toBe(200);
      for (const wrong of [{}, { acknowledge_exceptions: '2' }])
        expect(listRefusals(await readReturn(filer, id, { process_type: 'P', ...wrong }))).toEqual([
          '409',
          expect.stringContaining('acknowledge_exceptions=1'),
        ]);
      const { status, text } = await readReturn(filer, id, { process_type: 'P', acknowledge_exceptions: '1' });
      // The calculated tax is due, although less was collected.
      expect([status, getText(text, 'TotalTaxDue')]).toEqual([200, '6.00']);
    });

    it('lists every reason at once', async () => {
      const filer = await shop({ registrations: 'all', return_identity: null });
      const bismarck = { address: { city: 'Bismarck', state: 'ND', postal_code: '58501' } };
      await soldIn(filer, '2026-09-05', { customer: bismarck });
      for (const currency of ['EUR', 'KWD']) await soldIn(filer, '2026-09-05', { customer: bismarck, currency });
      expect(listRefusals(await preview(filer, 'ND', '2026-09-30'))).toEqual([
        '409',
        expect.stringContaining('no return_identity'),
        expect.stringContaining('amounts in EUR, KWD'),
        expect.stringMatching(
          /no reporting code for these jurisdictions: Bismarck .*Import the rate and boundary files/,
        ),
      ]);
    });

    it('refuses local tax of a state that uses composite codes', async () => {
      const filer = await shop({ registrations: 'all' });
      const topeka = { address: { city: 'Topeka', state: 'KS', postal_code: '66603' } };
      await soldIn(filer, '2026-09-05', { customer: topeka });
      expect(listRefusals(await preview(filer, 'KS', '2026-09-30'))).toEqual([
        '409',
        expect.stringMatching(/Kansas requires composite codes of places, which Levy does not have: .*Topeka/),
      ]);
    });

    it.each([
      ['without an id for the state', { ...identity, sst_id: null }, 'KY', 'neither an sst_id nor an entry for KY'],
      ['of a state outside the Agreement', identity, 'TX', 'Texas is not a full member'],
      ['of an associate member', identity, 'TN', 'Tennessee is not a full member'],
    ] as const)('refuses a return %s', async (_, return_identity, state, detail) => {
      const filer = await shop({ return_identity });
      const refused = await preview(filer, state, '2026-09-30');
      expect(listRefusals(refused)).toEqual(['409', expect.stringContaining(detail)]);
    });

    it('refuses a canceled filing, whose replacement has a different hash', async () => {
      const filer = await shop();
      await soldIn(filer, '2026-09-05');
      const { id } = await closedFiling(filer, 'KY', '2026-09-30');
      const before = await readReturn(filer, id);
      await cancel(filer, id);
      expect(listRefusals(await readReturn(filer, id))).toEqual(['409', expect.stringContaining('is canceled')]);
      await soldIn(filer, '2026-09-06');
      const after = await readReturn(filer, (await closedFiling(filer, 'KY', '2026-09-30')).id, { return_type: 'A' });
      expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
      expect(getText(after.text, 'DocumentId')).not.toBe(getText(before.text, 'DocumentId'));
    });
  });
});
