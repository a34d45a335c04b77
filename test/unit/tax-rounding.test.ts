import { describe, expect, it } from 'vitest';
import type { Release } from '../../shared/catalog/release.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { Place, TaxDocument, TaxedDocument, TaxLine } from '../../shared/tax/document.ts';
import { ask, buildDocument, getLine, placeAt } from '../support/builders.ts';
import { drawFrom, listPlaces, orderFrom } from '../support/random-orders.ts';
import { listCharges } from '../support/sales.ts';
import {
  type Fraction,
  fraction,
  getExpected,
  getSum,
  isNear,
  minus,
  nearest,
  type Sold,
  spread,
  times,
  total,
  whole,
} from '../support/tax-oracle.ts';

describe('the statutory tables of a state', () => {
  const harrisburg = { state: 'PA', postal_code: '17101' };
  const philadelphia = { state: 'PA', postal_code: '19103' };
  const baltimore = { state: 'MD', postal_code: '21201' };

  /** The highest amount of each step of a table in cents, starting with the step without tax. */
  type Table = readonly number[];
  const lookUp = (table: Table, part: number) => table.findIndex((last) => part <= last);
  const overDollars = (table: Table, amount: number) => Math.floor(amount / 100) * 6 + lookUp(table, amount % 100);

  // 61 Pa. Code section 31.2, as printed: no tax up to 10 cents; 1 cent from 11 to 17; and so on. Above a dollar: 6% of
  // each dollar plus the bracket of the remaining cents.
  const pennsylvania = [10, 17, 34, 50, 67, 84, 100];
  // Md. Code, Tax-Gen. sections 11-104 and 11-301. Amounts below a dollar, and the excess over whole dollars, have
  // separate tables.
  const belowADollar = [19, 20, 33, 50, 66, 83, 99];
  const excess = [0, 16, 33, 50, 66, 83, 99];

  const maryland = (cents: number) => (cents < 100 ? lookUp(belowADollar, cents) : overDollars(excess, cents));
  const pittsburgh = { state: 'PA', postal_code: '15222' };
  it.each([
    ['Pennsylvania', harrisburg, 'US-PA', (cents: number) => overDollars(pennsylvania, cents)],
    ['Maryland', baltimore, 'US-MD', maryland],
    // The table has one cent per dollar, and one more from .51.
    ['Allegheny County', pittsburgh, 'US-PA-00-003', (cents: number) => Math.floor((cents + 49) / 100)],
  ])('taxes every cent from 0.00 to 3.00 in %s as printed', (_, to, code, expected) => {
    for (let cents = 0; cents <= 300; cents += 1) {
      const { line_items } = ask({ to, line_items: [{ unit_price: (cents / 100).toFixed(2) }] });
      const row = line_items[0]?.taxes.find(({ jurisdiction_code }) => jurisdiction_code === code);
      expect([cents, row?.tax_amount]).toEqual([cents, (expected(cents) / 100).toFixed(2)]);
    }
  });

  const line = (address: object, unit_price = '0.51') => ({ unit_price, customer: { address } });
  const clothing = { ...line(harrisburg, '50.00'), product_tax_code: 'CLOTHING.APPAREL' };
  const business = { address: baltimore, use: 'business' as const };
  const software = { unit_price: '0.50', product_tax_code: 'SOFTWARE.SAAS', customer: business };
  it.each([
    ['the invoice as a whole', [line(harrisburg), line(harrisburg)], null, ['0.03', '0.03']],
    ['its shipping: 1.02 in total', [line(harrisburg)], { amount: '0.51' }, ['0.03', '0.03']],
    ['only taxed lines', [line(harrisburg), clothing], null, ['0.04', '0.00']],
    ['each jurisdiction: 10 cents plus 3 in Philadelphia', [line(philadelphia, '1.51')], null, ['0.13']],
    ['each state', [line(harrisburg), line(baltimore), line(harrisburg)], null, ['0.03', '0.04', '0.03']],
    ['not a different rate: 3% of 0.50 is 1.5 cents', [software], null, ['0.02']],
  ])("applies the tables to %s, regardless of the account's rounding", (_, line_items, shipping, taxes) => {
    for (const rounding of ['line', 'invoice'] as const) {
      const charges = listCharges(ask({ line_items, shipping }, { settings: { rounding } }));
      expect(charges.map(({ tax_amount }) => tax_amount)).toEqual(taxes);
    }
  });
});

describe('tax allocation', () => {
  type Part = { readonly taxable: bigint; readonly exact: Fraction; readonly shipping: Fraction };
  const nothing = { taxable: 0n, exact: whole(0n), shipping: whole(0n) };
  const timesRate = (amount: bigint, rate: string): Fraction => times(whole(amount), fraction(rate));

  type Nets = Pick<Sold, 'net' | 'alike'>;

  /** The tax of a jurisdiction on a line with these nets, and on its share of a shipping charge. */
  const getPart = (code: string, line: TaxLine, nets: Nets, charge: TaxLine | undefined, share: bigint): Part => {
    const { place } = line;
    const { rules, rates, settings } = place.release as Release;
    const effect = rules.find((one) => one.jurisdictions?.includes(code) && isIn(one.ptcs, line.product.path))?.effect;
    const known = rates.find(({ jurisdiction }) => jurisdiction === code);
    if (!effect || line.collectionExemption) return nothing;
    const { rate = '0', food_rate } = (place.isInterstate ? known?.interstate : undefined) ?? known ?? {};
    const own = line.product.path === 'FOOD.GROCERY' ? (food_rate ?? rate) : rate;
    const sold: Sold = { ...nets, quantity: formatQuantity(line), use: line.use };
    // A state without the tax has only rates that a rule sets, and does not tax shipping.
    const isWithoutTax = code === place.code && Number(rate) === 0;
    if (isWithoutTax && !['rate', 'band', 'tax_cap'].includes(effect.type)) return nothing;
    const part = getExpected(effect, own, sold);
    const getShipping = (): Fraction => {
      const [{ policy } = {}] = settings.shipping;
      const isIncluded = charge?.product.attributes.includes('_INCLUDED_IN_PRICE');
      const isExempt = policy === 'exempt_unless_included' && !isIncluded;
      if (code.endsWith('-SINGLE') || isWithoutTax || isExempt) return whole(0n);
      if (policy === 'always_taxable') return timesRate(share, rate);
      // With `threshold_excess`, shipping is taxed in proportion to the goods; otherwise as the last part of the price.
      if (effect.type === 'threshold_excess')
        return timesRate(nets.net > 0n ? nearest([share * part.taxable, nets.net]) : 0n, own);
      return minus(getExpected(effect, own, { ...sold, shipping: share }).exact, part.exact);
    };
    return { ...part, shipping: getShipping() };
  };
  const isIn = (ptcs: readonly string[], path: string) => ptcs.some((ptc) => `${path}.`.startsWith(`${ptc}.`));
  const formatQuantity = ({ quantity: { units, scale } }: TaxLine) => {
    const digits = String(units).padStart(scale + 1, '0');
    return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  };

  const unchanged = (place: Place): Place => place;

  /** Compares the amounts of exemptions with the order instead of a unit. */
  const comparePerOrder = (place: Place): Place => {
    const release = place.release as Release;
    const rules = release.rules.map((one) =>
      one.effect.type === 'exempt_above' ? { ...one, effect: { ...one.effect, per: 'order' as const } } : one,
    );
    return { ...place, release: { ...release, rules } };
  };

  /** Checks four plain random orders with every effect for each seed, and names the seed of a failed check. */
  const orders = (seeds: number, change: (place: Place) => Place, check: (document: TaxDocument) => void) => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const draw = drawFrom(seed);
      const places = listPlaces(draw, 2, 'plain').map(change);
      try {
        for (let count = 0; count < 4; count += 1) check(orderFrom(draw, places, { kind: 'plain', rounding: 'line' }));
      } catch (error) {
        throw new Error(`An order of seed ${seed}: ${error}`, { cause: error });
      }
    }
  };

  describe('the tax of random orders with every effect', () => {
    it.each([
      ['a unit', unchanged],
      ['the order', comparePerOrder],
    ])('calculates exact tax in each row, line and state, with exemptions above an amount for %s', (_, change) =>
      orders(500, change, (document) => {
        const lines = document.lines.slice(0, document.lineItems);
        const [charge] = document.lines.slice(document.lineItems);
        const before = lines.map(({ amount, discount }) => amount - discount);
        const shared = spread(document.discount, before);
        const nets = before.map((amount, index) => amount - (shared[index] ?? 0n));
        const getAlike = ({ place, product: { path } }: TaxLine) =>
          total(nets.filter((_, at) => lines[at]?.place === place && lines[at]?.product.path === path));
        const delivered = charge?.deliveries?.map(({ line }) => line) ?? [];
        const ofShipping = spread(
          (charge?.amount ?? 0n) - (charge?.discount ?? 0n),
          delivered.map((line) => nets[line] ?? 0n),
        );
        const parts = lines.map((line, index) =>
          line.place.jurisdictions.map(({ code }) => ({
            code,
            ...getPart(
              code,
              line,
              { net: nets[index] ?? 0n, alike: getAlike(line) },
              charge,
              ofShipping[delivered.indexOf(index)] ?? 0n,
            ),
          })),
        );
        const byLine = calculateTax(document).lines;
        const goods = byLine.slice(0, document.lineItems);
        expect(goods.map(({ net }) => net)).toEqual(nets);
        const coupons = document.lines.map(({ thirdPartyDiscount }) => thirdPartyDiscount);
        expect(total(byLine.map((line) => line.thirdPartyDiscount))).toBe(total(coupons) + document.thirdPartyDiscount);
        const exacts = parts.map((rows) => getSum(rows.map(({ exact }) => exact)));
        expect(goods.map(({ tax }) => tax)).toEqual(exacts.map(nearest));
        const states = [...new Set(lines.map(({ place }) => place.code))];
        const shippingIn = (state: string) =>
          parts.flat().flatMap(({ code, shipping }) => (code.startsWith(state) ? [shipping] : []));
        expect(byLine[document.lineItems]?.tax ?? 0n).toBe(
          total(states.map((state) => nearest(getSum(shippingIn(state))))),
        );
        for (const [index, { rows }] of goods.entries())
          for (const { code, taxable, exact } of parts[index] ?? []) {
            const row = rows.find(({ jurisdiction }) => jurisdiction.code === code);
            expect(row?.taxable ?? 0n).toBe(taxable);
            expect(isNear(row?.tax ?? 0n, exact)).toBe(true);
          }
        const byInvoice = calculateTax({ ...document, rounding: 'invoice' }).lines;
        expect(exacts.every((exact, index) => isNear(byInvoice[index]?.tax ?? -1n, exact))).toBe(true);
        for (const state of states) {
          const all = byInvoice.flatMap((one) => one.rows);
          const rows = all.filter(({ jurisdiction }) => jurisdiction.code.startsWith(state));
          const own = parts.flat().filter(({ code }) => code.startsWith(state));
          const exact = own.flatMap((part) => [part.exact, part.shipping]);
          expect(total(rows.map(({ tax }) => tax))).toBe(nearest(getSum(exact)));
        }
      }),
    );

    const getFigures = (taxed: TaxedDocument) =>
      taxed.lines.map(({ net, tax, taxable, exempt }) => ({ net, tax, taxable, exempt }));

    it.each([false, true])(
      'does not depend on the order or presence of other jurisdictions and lines: included %s',
      (taxIncluded) =>
        orders(40, unchanged, (order) => {
          const document = { ...order, taxIncluded };
          const reversed = document.lines.map((line) => ({
            ...line,
            place: { ...line.place, jurisdictions: line.place.jurisdictions.toReversed() },
          }));
          expect(getFigures(calculateTax({ ...document, lines: reversed }))).toEqual(
            getFigures(calculateTax(document)),
          );
          const goods = document.lines.slice(0, document.lineItems);
          const alone = { ...document, discount: 0n, thirdPartyDiscount: 0n, lines: goods };
          expect(goods.flatMap((line) => getFigures(calculateTax({ ...alone, lines: [line] })))).toEqual(
            getFigures(calculateTax(alone)),
          );
        }),
    );

    it('does not depend on third-party discounts', () =>
      orders(75, unchanged, (document) => {
        const lines = document.lines.map((line) => ({ ...line, thirdPartyDiscount: 0n }));
        const without = { ...document, thirdPartyDiscount: 0n, lines };
        expect(getFigures(calculateTax(document))).toEqual(getFigures(calculateTax(without)));
      }));
  });

  it('allocates the cents of an invoice to lines first and then to rows: 1.0 and 1.2 cents of tax become a cent each', () => {
    const place = placeAt(['0.025', '0.025']);
    const lines = [getLine(place, { amount: '0.20' }), getLine(place, { amount: '0.24' })];
    const taxed = calculateTax(buildDocument(lines, { rounding: 'invoice' })).lines;
    // If cents were allocated by row only, the second line with the larger remainders would get both.
    expect(taxed.map(({ rows }) => rows.map((row) => row.tax))).toEqual([
      [1n, 0n],
      [1n, 0n],
    ]);
  });
});
