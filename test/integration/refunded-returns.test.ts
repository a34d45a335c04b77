/**
 * Sales with another tax than the calculated one, refunded part by part over several months: in the end nothing of them is
 * left in the returns. The expected shares come from calculations and from what was requested, not from recorded credits.
 */
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { closedFiling, everyEntry, type Filer, type Filing, filerOf, settled } from '../support/filings.ts';
import type { Schema } from '../support/http.ts';
import { drawFrom } from '../support/random-orders.ts';
import { runInProcess } from '../support/run-command.ts';
import { creditOf, made } from '../support/sales.ts';
import { shippingCharges } from '../support/shipping.ts';

type Transaction = Schema<'Transaction'>;
type Entry = Schema<'FilingEntry'>;

/** Four jurisdictions, three, one, no tax, and no content. */
const places = {
  MN: { city: 'Minneapolis', state: 'MN', postal_code: '55401' },
  VA: { city: 'Arlington', state: 'VA', postal_code: '22201' },
  HI: { city: 'Honolulu', state: 'HI', postal_code: '96813' },
  OR: { city: 'Portland', state: 'OR', postal_code: '97201' },
  GU: { city: 'Hagatna', state: 'GU', postal_code: '96910' },
} as const;
type State = keyof typeof places;
const months = ['2026-08', '2026-09', '2026-10'] as const;
const ends = ['2026-08-31', '2026-09-30', '2026-10-31'] as const;

const draw = drawFrom(20_262);
const dollars = (cents: number) => new Decimal(cents).div(100).toFixed(2);
const sum = (values: readonly Decimal.Value[]) => values.reduce<Decimal>((all, one) => all.plus(one), new Decimal(0));

/** A sale, its calculated tax, and its live credits with the part of each charge's net that was credited up to then. */
type Case = {
  readonly state: State;
  readonly sale: Transaction;
  readonly calculated: Schema<'Calculation'>;
  readonly credits: { readonly id: string; readonly shares: readonly Decimal[] }[];
};

const bodyOf = (state: State, at: number) => ({
  customer: { address: places[state] },
  line_items: Array.from({ length: 1 + (at % 3) }, (_, line) => ({
    id: `item_${line}`,
    product_tax_code: 'GENERAL',
    quantity: String(1 + draw.below(5)),
    unit_price: dollars(1 + draw.below(draw.oneIn(3) ? 200 : 9_000)),
  })),
  ...(draw.oneIn(2) && { shipping: { amount: dollars(100 + draw.below(1_500)) } }),
  ...(draw.oneIn(3) && { third_party_discount_amount: '0.01' }),
});

const record = async (filer: Filer, at: number): Promise<Case> => {
  const state = draw.of(Object.keys(places) as State[]);
  const body = bodyOf(state, at);
  const calculated = await made(filer.calculate({ ...body, tax_date: `${months[0]}-03` }));
  const factor = draw.of(['0', '0.4', '0.97', '1.03', '1.5', '3']);
  const tax = new Decimal(calculated.tax_amount).times(factor).plus(draw.below(4) / 100);
  const sale = await made(
    filer.create({ ...body, status: 'finalized', tax_date: `${months[0]}-03`, tax_amount: tax.toFixed(2) }),
  );
  return { state, sale, calculated, credits: [] };
};

const isDone = ({ refund_status }: Transaction) => refund_status === 'full';

/** The credited part of the net of each line, and of the shipping. */
const sharesOf = (sale: Transaction, live: readonly Transaction[]): Decimal[] => {
  const shareOf = (net: Decimal.Value, credited: Decimal) =>
    new Decimal(net).isZero() ? new Decimal(0) : credited.div(net);
  const ofLine = (id: string) =>
    sum(
      live.flatMap(({ line_items }) =>
        line_items.filter((line) => line.parent_line_item_id === id).map((line) => line.net_amount),
      ),
    );
  return [
    ...sale.line_items.map((line) => shareOf(line.net_amount, ofLine(line.id))),
    shareOf(sale.shipping_amount, sum(live.map(({ shipping_amount }) => shipping_amount))),
  ];
};

const requestOf = (sale: Transaction) => {
  const line = draw.of(sale.line_items);
  const part = { parent_line_item_id: line.id, quantity: '1' };
  const share = dollars(Math.floor(Number(line.net_amount) * draw.below(60)));
  return draw.of([
    { line_items: [{ ...part, unit_price: share }] },
    { line_items: [{ ...part, unit_price: share }] },
    { line_items: [{ ...part, unit_price: share }], tax_amount: dollars(draw.below(40)) },
    { line_items: [{ ...part, unit_price: '0.00' }], tax_amount: dollars(1 + draw.below(60)) },
    { line_items: [part] },
    { line_items: [], shipping: { amount: dollars(1 + draw.below(200)) } },
  ]);
};

/** Credit a sale in random parts, void and change some of them, and then credit what is left. */
const refund = async (filer: Filer, { sale, credits }: Case) => {
  const live: Transaction[] = [];
  const take = async (body: object, month: string) => {
    const answer = await filer.create(creditOf(sale, { ...body, tax_date: `${month}-15` }));
    if (answer.status !== 201) return;
    live.push(answer.body);
    credits.push({ id: answer.body.id, shares: sharesOf(sale, live) });
  };
  for (let step = draw.below(9); step > 0; step -= 1) {
    const month = draw.of(months);
    const last = live.at(-1);
    const kind = draw.of(['credit', 'credit', 'credit', 'void', 'tax', 'tax'] as const);
    if (last && kind === 'void') {
      await made(filer.update(last.id, { status: 'void' }));
      live.pop();
      credits.pop();
    } else if (last && kind === 'tax') {
      const lower = new Decimal(last.tax_amount).times('0.5').toFixed(2);
      live.splice(-1, 1, await made(filer.update(last.id, { tax_amount: lower })));
    } else await take(requestOf(sale), month);
  }
  if (live.length > 1 && draw.oneIn(3)) {
    // Not the last credit, because the shares after it are not known.
    await made(filer.update((live.shift() as Transaction).id, { status: 'void' }));
    credits.splice(0, 1, { id: '', shares: [] });
  }
  if (!isDone(await made(filer.get(sale.id)))) await take({ credit_remaining: true }, months[2]);
  expect(isDone(await made(filer.get(sale.id)))).toBe(true);
};

const figures = [
  'gross_amount',
  'taxable_amount',
  'exempt_amount',
  'calculated_tax_amount',
  'tax_amount',
  'over_collected_amount',
] as const;

let caller: Caller;
let filer: Filer;
const cases: Case[] = [];
const filings: Filing[] = [];
const entries = new Map<string, Entry>();

beforeAll(async () => {
  caller = await newCaller();
  filer = filerOf(caller);
  for (let at = 0; at < 70; at += 1) {
    const one = await record(filer, at);
    cases.push(one);
    await refund(filer, one);
  }
  for (const state of Object.keys(places))
    for (const end of ends) {
      const filing = await closedFiling(filer, state, end);
      filings.push(filing);
      for (const entry of await everyEntry(filer, filing.id)) entries.set(entry.transaction_id, entry);
    }
});

/** Whether the credited parts after each credit are known. */
const isKnown = (credits: Case['credits']) => credits.every(({ id }) => id !== '');

const entryOf = (id: string) => entries.get(id) ?? { amounts: [] };

describe('sales with another tax than the calculated one, of which everything is refunded', () => {
  it('have over- and under-collected, taxed and untaxed parts', () => {
    const differences = cases.map(({ sale }) => Number(sale.tax_amount) - Number(sale.calculated_tax_amount));
    expect(differences.filter((difference) => difference > 0).length).toBeGreaterThan(10);
    expect(differences.filter((difference) => difference < 0).length).toBeGreaterThan(5);
    expect(cases.filter(({ credits }) => credits.length > 2).length).toBeGreaterThan(15);
  });

  it('leave nothing in the returns of a state, by jurisdiction and rate', () => {
    for (const state of Object.keys(places)) {
      const sums: Record<string, Decimal> = {};
      const add = (key: string, row: Pick<Filing['summary'][number], (typeof figures)[number]>) => {
        for (const name of figures) sums[`${key} ${name}`] = sum([sums[`${key} ${name}`] ?? 0, row[name]]);
      };
      for (const { totals, summary } of filings.filter(
        (filing) => filing.state === `US-${state}` || filing.state === state,
      )) {
        for (const row of summary) add(state, row);
        for (const { jurisdiction_code, rates } of totals)
          for (const rate of rates) add(`${jurisdiction_code} ${rate.rate}`, rate);
      }
      expect(Object.keys(sums).length).toBeGreaterThan(0);
      expect(Object.entries(sums).filter(([, value]) => !value.isZero())).toEqual([]);
    }
  });

  it('have the tax of the calculation, and its difference to the collected tax, as calculated and over-collected tax', () => {
    for (const { sale, calculated } of cases) {
      const of = (name: (typeof figures)[number]) => sum(entryOf(sale.id).amounts.map((row) => row[name])).toFixed(2);
      const over = Decimal.max(0, new Decimal(sale.tax_amount).minus(calculated.tax_amount)).toFixed(2);
      expect([of('calculated_tax_amount'), of('over_collected_amount')]).toEqual([calculated.tax_amount, over]);
    }
  });

  it('take back the calculated tax by the credited part of each charge, within a cent for each row', () => {
    let checked = 0;
    for (const { calculated, credits, sale } of cases) {
      // Less tax than that does not show how the calculated tax was distributed over the charges.
      if (Number(sale.tax_amount) < 1 || !isKnown(credits)) continue;
      const charges = [...calculated.line_items, ...shippingCharges(calculated.shipping)];
      let given = new Decimal(0);
      for (const { id, shares } of credits) {
        given = given.plus(sum(entryOf(id).amounts.map((row) => row.calculated_tax_amount)));
        // The rows of the shipping are the last ones.
        const shareOf = (at: number) => (at < sale.line_items.length ? shares[at] : shares.at(-1)) as Decimal;
        const due = sum(charges.map(({ taxes }, at) => shareOf(at).times(sum(taxes.map((row) => row.tax_amount)))));
        const rows = charges.reduce((count, { taxes }) => count + taxes.length, 0);
        expect(
          given
            .plus(due)
            .abs()
            .lte(rows / 100),
          `${sale.id} ${given} ${due} ${rows}`,
        ).toBe(true);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(40);
  });

  it('leave as over-collected what is collected beyond the calculated tax, after each credit', () => {
    for (const { sale, credits } of cases) {
      const isOver = Number(sale.tax_amount) >= Number(sale.calculated_tax_amount);
      for (const { id } of credits)
        for (const row of entryOf(id).amounts) {
          const difference = new Decimal(row.tax_amount).minus(row.calculated_tax_amount);
          expect(row.over_collected_amount).toBe((isOver ? difference : new Decimal(0)).toFixed(2));
        }
    }
  });

  it('verify', async () => {
    const { code, out } = await runInProcess(ledgerProgram(), ['verify', '--account', caller.account.id]);
    expect([code, out]).toEqual([0, expect.stringMatching(/No findings\.\n$/)]);
  });
});

it('a credit whose tax is changed takes the same calculated tax as before', async () => {
  const shop = filerOf(await newCaller());
  const line = { id: 'item', product_tax_code: 'GENERAL', quantity: '10', unit_price: '20.00' };
  const body = { status: 'finalized', tax_date: '2026-09-03', tax_amount: '14.00' };
  const sale = await made(shop.create({ ...body, customer: { address: places.VA }, line_items: [line] }));
  const lines = { line_items: [{ parent_line_item_id: 'item', quantity: '6' }] };
  const sixTenths = await made(shop.create(creditOf(sale, { ...lines, tax_date: '2026-09-15' })));
  const figuresNow = async () => {
    const { summary } = await made(shop.close({ state: 'VA', period_end: '2026-09-30', dry_run: true }));
    return [summary[0]?.tax_amount, summary[0]?.calculated_tax_amount, summary[0]?.over_collected_amount];
  };
  expect([await figuresNow(), sixTenths.tax_amount]).toEqual([['5.60', '4.80', '0.80'], '8.40']);
  await made(shop.update(sixTenths.id, { tax_amount: '1.00' }));
  expect(await figuresNow()).toEqual(['13.00', '4.80', '8.20']);
  await made(shop.create(creditOf(sale, { credit_remaining: true, tax_date: '2026-09-16' })));
  expect(await figuresNow()).toEqual(['0.00', '0.00', '0.00']);
});

it('credits without tax of a cent that was collected without registration leave nothing in the return', async () => {
  const registrations = [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'month' as const }];
  const filer = filerOf(await newCaller({ settings: { registrations } }));
  const line = { id: 'a', product_tax_code: 'GENERAL', quantity: '4', unit_price: '50.00' };
  const address = { ...places.HI, country: 'US' };
  const body = {
    status: 'finalized',
    tax_date: '2026-10-08',
    tax_amount: '0.01',
    customer: { address },
    line_items: [line],
  };
  const sale = await made(filer.create(body));
  for (let unit = 0; unit < 4; unit++)
    await made(filer.create(creditOf(sale, { tax_date: '2026-10-09', line_items: [{ id: 'a', quantity: '1' }] })));
  const { summary } = await made(filer.close({ state: 'HI', period_end: '2026-10-31', dry_run: true }));
  expect(summary).toMatchObject([{ gross_amount: '0.00', tax_amount: '0.00', credit_amount: '-200.00', count: 5 }]);
});

describe('documents in several states of an account with few registrations', () => {
  const states = ['MN', 'VA', 'HI', 'TX', 'OR'] as const;
  const addresses = { ...places, TX: { city: 'Houston', state: 'TX', postal_code: '77002' } };
  const cases = Array.from({ length: 24 }, (_, at) => ({
    registered: draw.of([['MN'], ['MN', 'VA'], []] as const),
    tax_amount: draw.of([undefined, '0.00', '0.01', '0.02', '8.25', '31.07']),
    shipping: draw.oneIn(2) ? { amount: '7.50' } : null,
    lines: Array.from({ length: 1 + (at % 4) }, (_, line) => ({
      id: `item_${line}`,
      product_tax_code: 'GENERAL',
      quantity: String(1 + draw.below(3)),
      unit_price: dollars(1 + draw.below(9_000)),
      customer: { address: { ...addresses[draw.of(at % 3 === 0 ? (['TX'] as const) : states)], country: 'US' } },
    })),
  }));

  it('leave nothing in the return of any state after they were credited line by line', async () => {
    const left: string[] = [];
    for (const { registered, tax_amount, shipping, lines } of cases) {
      const registrations = registered.map((state) => {
        return { state, from: '2026-01-01', to: null, frequency: 'month' as const };
      });
      const filer = filerOf(await newCaller({ settings: { registrations } }));
      const body = { status: 'finalized', tax_date: '2026-10-08', line_items: lines, shipping, tax_amount };
      const sale = await made(filer.create({ ...body, customer: lines[0]?.customer }));
      for (const { id, quantity } of lines)
        await made(filer.create(creditOf(sale, { tax_date: '2026-10-09', line_items: [{ id, quantity }] })));
      const refunded = await made(filer.get(sale.id));
      if (refunded.refund_status !== 'full')
        await made(filer.create(creditOf(sale, { tax_date: '2026-10-10', credit_remaining: true })));
      for (const state of states) {
        const { summary } = await made(filer.close({ state, period_end: '2026-10-31', dry_run: true }));
        for (const row of summary)
          for (const name of figures)
            if (!new Decimal(row[name]).isZero()) left.push(`${sale.id} ${state} ${name} ${row[name]}`);
      }
    }
    expect(left).toEqual([]);
  });

  it('wait for the return of a state with recorded tax, as their credits do', async () => {
    const registrations = [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'month' as const }];
    const filer = filerOf(await newCaller({ settings: { registrations } }));
    const line = (id: string, unit_price: string) => ({ id, quantity: '1', unit_price, product_tax_code: 'GENERAL' });
    const sale = await made(
      filer.create({
        ...{ status: 'finalized', tax_date: '2026-10-08', tax_amount: '8.25' },
        customer: { address: { ...addresses.TX, country: 'US' } },
        line_items: [line('a', '100.00'), line('b', '50.00')],
      }),
    );
    const credit = await made(
      filer.create(creditOf(sale, { tax_date: '2026-10-09', line_items: [{ id: 'b', quantity: '1' }] })),
    );
    const filing = await closedFiling(filer, 'TX', '2026-10-31');
    expect(filing.summary).toMatchObject([{ gross_amount: '100.00', credit_amount: '-50.00', tax_amount: '8.25' }]);
    const filed = { status: 'filed', confirmation_number: 'c-1', acknowledge_exceptions: 1 };
    await settled(filer, (await made(filer.change(filing.id, filed))).id);
    expect((await made(filer.get(credit.id))).status).toBe('filed');
  });
});
