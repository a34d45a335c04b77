import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { newCaller } from '../support/api.ts';
import { closedFiling, csv, type Filer, type Filing, filerOf } from '../support/filings.ts';
import type { Schema } from '../support/http.ts';
import { drawFrom } from '../support/random-orders.ts';
import { creditOf, everyPage, made, recorded, refusalOf, sale, startOnTestDay } from '../support/sales.ts';
import { shippingCharges } from '../support/shipping.ts';

startOnTestDay();

type Transaction = Schema<'Transaction'>;
type State = 'CA' | 'FL';

const places = {
  CA: { city: 'Los Angeles', state: 'CA', postal_code: '90012' },
  FL: { city: 'Miami', state: 'FL', postal_code: '33130' },
} as const;
const forms = { CA: 'CA-CDTFA-401', FL: 'FL-DR-15' } as const;
const units = { CA: 100, FL: 1 } as const;
const months = ['2026-07', '2026-08', '2026-09'] as const;
const ends = { '2026-07': '2026-07-31', '2026-08': '2026-08-31', '2026-09': '2026-09-30' } as const;

const draw = drawFrom(70_321);
const cents = () => new Decimal(draw.below(40_000) + 100).div(100).toFixed(2);

const randomSale = (state: State) => {
  const exemption = draw.of([null, null, 'resale', 'government'] as const);
  return sale({
    status: 'finalized',
    tax_date: `2026-07-${String(1 + draw.below(28)).padStart(2, '0')}`,
    customer: { address: places[state], ...(exemption && { exemption: { type: exemption } }) },
    line_items: Array.from({ length: 1 + draw.below(3) }, (_, at) => ({
      ...{ id: `line_${at + 1}`, quantity: '1', unit_price: cents() },
      product_tax_code: draw.of(['GENERAL', 'FOOD.GROCERY', 'CLOTHING.APPAREL']),
    })),
    ...(draw.oneIn(3) && { shipping: { amount: cents() } }),
  });
};

/** Rounds to the unit of the form, halves away from zero. */
const rounded = (amount: Decimal, unit: number) =>
  amount.times(100).div(unit).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).times(unit).div(100);

/** Recomputes the figures of a month from the transactions. */
const figuresOf = (all: readonly Transaction[], state: State, month: string) => {
  let [gross, taxable, stateTax, localTax] = [new Decimal(0), new Decimal(0), new Decimal(0), new Decimal(0)];
  for (const { type, tax_date, line_items, shipping } of all) {
    if (!tax_date.startsWith(month)) continue;
    const sign = type === 'credit' ? -1 : 1;
    for (const row of [...line_items, ...shippingCharges(shipping)].flatMap(({ taxes }) => taxes)) {
      if (!row.jurisdiction_code.startsWith(`US-${state}`)) continue;
      const tax = new Decimal(row.tax_amount).times(sign);
      if (row.jurisdiction_code !== `US-${state}`) {
        localTax = localTax.plus(tax);
        continue;
      }
      stateTax = stateTax.plus(tax);
      taxable = taxable.plus(new Decimal(row.taxable_amount).times(sign));
      gross = gross.plus(new Decimal(row.taxable_amount).plus(row.exempt_amount).times(sign));
    }
  }
  return { gross, taxable, stateTax, localTax, due: stateTax.plus(localTax) };
};

type Figures = ReturnType<typeof figuresOf>;

/** The lines of the forms, written apart from their layouts. Blank lines are left out. */
const expectedLines = {
  CA: ({ gross, taxable, stateTax, localTax }: Figures) => {
    const [sales, exempt, state, district] = [gross, gross.minus(taxable), stateTax, localTax].map((figure) =>
      rounded(figure, 100),
    ) as [Decimal, Decimal, Decimal, Decimal];
    const tax = state.plus(district);
    return {
      ...{ '1': sales, '3': sales, '11': exempt, '12': sales.minus(exempt), '13-15': state, '16': district },
      ...{ '17': tax, '18': new Decimal(0), '19': tax },
    };
  },
  FL: ({ gross, taxable, localTax, due }: Figures) => ({
    ...{ 'A.1': gross, 'A.2': gross.minus(taxable), 'A.3': taxable, 'A.4': due },
    ...{ '5': due, '7': due, '15(d)': localTax },
  }),
};

const sheetOf = async (filer: Filer, { id }: Filing, form: string) => {
  const { worksheet } = await made(filer.filing(id ?? '', { form }));
  if (!worksheet) throw new Error(`The filing has no worksheet ${form}.`);
  return worksheet;
};

describe('worksheets', () => {
  let filer: Filer;
  const all: Transaction[] = [];
  const filings: { state: State; month: (typeof months)[number]; filing: Filing }[] = [];

  beforeAll(async () => {
    const registrations = (['CA', 'FL'] as const).map((state) => ({
      ...{ state, from: '2026-07-01', to: null, frequency: 'month' as const },
    }));
    const settings = { registrations, books_open_from: '2026-07-01', ship_from: places.CA };
    filer = filerOf(await newCaller({ settings }));
    for (let at = 0; at < 40; at++) {
      const sold = await made(filer.create(randomSale(at % 2 ? 'CA' : 'FL')));
      // In August, there are only credits. September has no sales.
      const tax_date = draw.of([null, '2026-07-30', '2026-08-10']);
      if (tax_date) await made(filer.create(creditOf(sold, { tax_date })));
    }
    const { ids } = await everyPage(filer, { limit: '100' });
    for (const id of ids) all.push(recorded(await made(filer.get(id))));
    for (const state of ['CA', 'FL'] as const)
      for (const month of months) filings.push({ state, month, filing: await closedFiling(filer, state, ends[month]) });
  }, 120_000);

  it('have the figures of the transactions, rounded like the form', async () => {
    for (const { state, month, filing } of filings) {
      const worksheet = await sheetOf(filer, filing, forms[state]);
      const figures = figuresOf(all, state, month);
      const place = `${state} ${month}`;
      expect([place, figures.gross.cmp(0)]).toEqual([place, { '2026-07': 1, '2026-08': -1, '2026-09': 0 }[month]]);
      const lines = Object.fromEntries(
        worksheet.lines.flatMap(({ line, amount }) => (amount === null ? [] : [[line, amount]])),
      );
      const expected = Object.entries(expectedLines[state](figures)).map(([line, amount]) => [line, amount.toFixed(2)]);
      expect([place, lines]).toEqual([place, Object.fromEntries(expected)]);
      for (const { amount, note } of worksheet.lines) expect(amount === null).toBe(note !== null);
      const total = new Decimal(lines[state === 'CA' ? '19' : '5'] ?? '');
      expect(worksheet.tax_due_amount).toBe(figures.due.toFixed(2));
      expect(worksheet.rounding_amount).toBe(total.minus(figures.due).toFixed(2));
      expect(worksheet.rows.reduce((sum, row) => sum.plus(row.tax_amount), new Decimal(0)).toFixed(2)).toBe(
        figures.localTax.toFixed(2),
      );
      expect(total.times(100).mod(units[state]).isZero()).toBe(true);
    }
  });

  it('are CSV files with the same lines', async () => {
    const [{ filing }] = filings as [(typeof filings)[number]];
    const worksheet = await sheetOf(filer, filing, forms.CA);
    const { text } = await filer.filing(filing.id, { form: forms.CA }, csv);
    const [header, ...rows] = text.split('\r\n');
    expect(header).toBe('form,edition,part,line,label,taxable_amount,amount,note');
    for (const { line, amount } of worksheet.lines)
      expect(rows.some((row) => row.includes(`,form,${line},`) && (amount === null || row.includes(amount)))).toBe(
        true,
      );
  });

  it('of another state or with pages are refused', async () => {
    const [{ filing }] = filings as [(typeof filings)[number]];
    const refused = await filer.filing(filing.id, { form: 'FL-DR-15' });
    expect(refusalOf(refused)).toContain('validation_invalid_format');
    expect(refused.body.errors[0].detail).toContain('Send CA-CDTFA-401.');
    expect((await filer.filing(filing.id, { form: forms.CA, expand: 'entries' })).status).toBe(422);
  });
});
