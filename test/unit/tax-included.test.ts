import { describe, expect, it } from 'vitest';
import { summarize, sumTotals, writerFor } from '../../shared/calculations/figures.ts';
import { builtInRelease, builtInReleases } from '../../shared/catalog/built-in.ts';
import type { Effect, Release } from '../../shared/catalog/release.ts';
import type { Bracket } from '../../shared/catalog/release-values.ts';
import type { Treatment } from '../../shared/tax/assessment.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { Place, TaxDocument, TaxedDocument } from '../../shared/tax/document.ts';
import { monotonicityProblems } from '../../shared/tax/monotonicity.ts';
import { type Sale, toSale } from '../../shared/tax/sale.ts';
import { extractSale } from '../../shared/tax/tax-included.ts';
import {
  ask,
  buildDocument,
  buildPlace,
  cents,
  getLine,
  getProduct,
  getRelease,
  getShipping,
  placeAt,
  rule,
  taxLine,
} from '../support/builders.ts';
import { drawFrom, getEffect, listPlaces, orderFrom } from '../support/random-orders.ts';
import { total } from '../support/tax-oracle.ts';

const table = ['0.10', '0.17', '0.34', '0.50', '0.67', '0.84'];
const buildBracket = (jurisdiction: string, rate: string, steps: readonly string[]): Bracket => {
  return { jurisdiction, rate, steps, nothing_below: null };
};
const byTables = (...brackets: Bracket[]) => ({ method: 'bracket', brackets }) as const;

it.each([
  ['106.00', '100.00', '6.00', 'one hundred and six hundredths'],
  ['0.09', '0.09', '0.00', 'no net adds up to it: 0.08 becomes 0.08, and 0.09 becomes 0.10'],
  ['0.08', '0.08', '0.00', '0.0048 rounds to zero'],
  ['100.00', '94.34', '5.66', '94.34 is taxed 5.6604'],
])('extracts the net $1 and the tax $2 from $0 in Michigan, because $3', (gross, net, tax) => {
  const to = { state: 'MI', postal_code: '48933' };
  const line = { discount_amount: '10.00', third_party_discount_amount: '0.05' };
  const unit_price = (Number(gross) + 10).toFixed(2);
  for (const sold of [{ unit_price: gross }, { ...line, unit_price }]) {
    const { taxable_amount, tax_amount, subtotal_amount } = ask({ to, tax_included: true, line_items: [sold] });
    expect([taxable_amount, tax_amount, subtotal_amount]).toEqual([net, tax, sold.unit_price]);
  }
});

describe('tax included in an invoice rounded as a whole', () => {
  const pennsylvania = placeAt(['0.06', '0.02'], {
    rules: [rule('clothes', ['CLOTHING.APPAREL'], { type: 'exempt' })],
    rounding: byTables(buildBracket('US-XX', '0.06', table), buildBracket('US-XX-1', '0.02', ['0.24', '0.74'])),
  });
  const harrisburg = buildPlace(pennsylvania.release as Release, pennsylvania.jurisdictions.slice(0, 1));
  const other = buildPlace(getRelease({ of: [{ code: 'US-YY', type: 'state', rate: '0.06' }] }));
  const at = (place: Place, amount: string, ptc = 'GENERAL') => getLine(place, { amount, ptc });
  const included = (lines: Parameters<typeof buildDocument>[0], others: Parameters<typeof buildDocument>[1] = {}) => {
    const taxed = calculateTax(buildDocument(lines, { taxIncluded: true, ...others }));
    return taxed.lines.map((one) => `${one.taxable + one.exempt} ${one.tax}`);
  };
  const half = at(harrisburg, '0.54');
  const shipping = { amount: 54n, product: getProduct('SHIPPING.DELIVERY') };

  const [third, ninth] = [at(harrisburg, '0.55'), at(other, '0.09')];
  const clothes = at(harrisburg, '50.00', 'CLOTHING.APPAREL');
  const mixed = [half, clothes, at(other, '10.60'), half];
  it.each<[string, Parameters<typeof included>, string[]]>([
    ['one line', [[third]], ['51 4']],
    ['three lines have a net of 1.55 and a tax of 0.10 in total', [[third, third, third]], ['52 3', '52 3', '51 4']],
    ['exempt lines and other states are unchanged', [mixed], ['51 3', '5000 0', '1000 60', '51 3']],
    ['shipping is part of the invoice', [[half], { shipping }], ['51 3', '51 3']],
    ['an account that rounds on the invoice', [[ninth, ninth], { rounding: 'invoice' }], ['9 0', '8 1']],
    ['by line', [[ninth, ninth]], ['9 0', '9 0']],
  ])('%s', (_, [lines, others], expected) => expect(included(lines, others)).toEqual(expected));

  it('extracts the tax in each state if shipping to several states is free', () => {
    // At 7.25%, the tax on 932.39 is 67.60. At 8%, 2,314.82 plus tax is 2,500.01, and 2,314.81 plus tax is 2,499.99.
    const taxedAt = (code: string, rate: string) => buildPlace(getRelease({ of: [{ code, type: 'state', rate }] }));
    const lines = [at(taxedAt('US-YY', '0.0725'), '999.99'), at(taxedAt('US-ZZ', '0.08'), '2500.00')];
    const free = { ...shipping, amount: 0n };
    const expected = ['93239 6760', '231482 18518'];
    expect(included(lines, { rounding: 'invoice' })).toEqual(expected);
    expect(included(lines, { rounding: 'invoice', shipping: free })).toEqual([...expected, '0 0']);
  });

  it('extracts 103.77 and 6.23 from a thousand lines of 0.11, with a cent or nothing per line', () => {
    const lines = included(new Array(1000).fill(at(harrisburg, '0.11')));
    // The tax on 103 dollars is 6.18, and on 0.77 it is 5 cents by the table.
    expect(lines.filter((line) => line === '10 1')).toHaveLength(623);
    expect(new Set(lines)).toEqual(new Set(['10 1', '11 0']));
  });

  it('uses the table of each jurisdiction for the whole invoice', () => {
    const lines = new Array(7).fill(at(pennsylvania, '1.63'));
    const taxed = calculateTax(buildDocument(lines, { taxIncluded: true })).lines;
    const getTax = (position: number) => total(taxed.map(({ rows }) => rows[position]?.tax ?? 0n));
    // 11.41 is a net of 10.56 with taxes of 0.64 (0.60 and 4 cents by the table) and 0.21 (0.20 and 1 cent).
    expect([total(taxed.map(({ taxable }) => taxable)), getTax(0), getTax(1)]).toEqual([1056n, 64n, 21n]);
  });
});

describe("charges of one cent that include the invoice's tax", () => {
  const releases = { tables: builtInRelease('PA') as Release, 'half up': getRelease() };
  /** The state tax on a net, in cents: by Pennsylvania's table (61 Pa. Code section 31.2), and 6% half up. */
  const taxOn = {
    tables: (net: number) =>
      Math.floor(net / 100) * 6 + [10, 17, 34, 50, 67, 84].filter((step) => net % 100 > step).length,
    'half up': (net: number) => Math.floor((net * 6 + 50) / 100),
  };
  const product = getProduct('SHIPPING.HANDLING');
  const listParts = (release: Release, amounts: readonly number[], shipping: number) => {
    const place = buildPlace(release, [release.jurisdictions[0]]);
    const lines = amounts.map((amount) => ({ ...getLine(place), amount: BigInt(amount) }));
    const charge = { amount: BigInt(shipping), product };
    const taxed = calculateTax(buildDocument(lines, { rounding: 'invoice', taxIncluded: true, shipping: charge }));
    return taxed.lines.map(({ taxable, tax }) => ({ net: Number(taxable), tax: Number(tax) }));
  };
  const orders = [[1], [2], [1, 1], [1, 2], [3, 1, 1], [1, 300], [1, 1, 1, 1, 1, 1], new Array<number>(12).fill(1)];

  it.each(['tables', 'half up'] as const)(
    'finds a base by %s whenever nets of at least a cent add up to the gross',
    (method) => {
      for (const lines of orders)
        for (let shipping = 0; shipping < 100; shipping += 1) {
          const grosses = [...lines, shipping];
          const parts = listParts(releases[method], lines, shipping);
          expect(parts.map(({ net, tax }) => net + tax)).toEqual(grosses);
          const sent = grosses.filter((gross) => gross > 0);
          const all = sent.reduce((sum, gross) => sum + gross, 0);
          const getNet = (least: number) => {
            for (let net = least; ; net += 1) if (net + taxOn[method](net) >= all) return net;
          };
          const least = getNet(sent.length);
          const isBaseless = parts.some(({ net, tax }) => net === 0 && tax > 0);
          if (least + taxOn[method](least) === all) expect([grosses, isBaseless]).toEqual([grosses, false]);
          // The total tax of the invoice does not depend on how its nets are divided.
          expect([grosses, parts.reduce((sum, { tax }) => sum + tax, 0)]).toEqual([grosses, all - getNet(0)]);
        }
    },
  );
});

describe('the work of extracting included tax', () => {
  /** Counts how often the treatments of a sale are applied to an amount. */
  const countAssessments = ({ goods, shipments }: Sale): (() => number) => {
    let count = 0;
    const shipping = shipments.flat().flatMap((delivered) => delivered.shipping.treatments);
    for (const treatment of new Set([...goods.flatMap(({ treated }) => treated.treatments), ...shipping])) {
      const { effect } = treatment;
      const assess: Treatment['effect']['assess'] = (own, base) => {
        count += 1;
        return effect.assess(own, base);
      };
      Object.assign(treatment, { effect: { ...effect, assess } });
    }
    return () => count;
  };

  /** The number of assessments per line and charge during extraction. */
  const assessmentsPerDelivery = (place: Place, charges: number): number => {
    const ptcs = ['CLOTHING.APPAREL', 'GENERAL'];
    const lines = Array.from({ length: 20 }, (_, index) =>
      getLine(place, { ptc: ptcs[index % 2] ?? '', amount: `${100 + index}.00` }),
    );
    const charge = getShipping(lines, { amount: 999n, product: getProduct('SHIPPING.DELIVERY') });
    const sale = toSale(buildDocument(lines, { taxIncluded: true, shipping: new Array(charges).fill(charge) }));
    const counted = countAssessments(sale);
    extractSale(sale, [...lines.map(({ amount }) => amount), ...new Array(charges).fill(999n)]);
    return counted() / (charges * lines.length);
  };

  const excess = rule('excess', ['CLOTHING.APPAREL'], { type: 'threshold_excess', amount: '110' });
  const cliff: Effect = { type: 'threshold_cliff', amount: '110', inclusive: false };
  const including = { ...excess, effect: cliff, threshold_includes_shipping: true };
  it.each([
    ['shipping follows the goods', placeAt([], { rules: [excess] })],
    ['the threshold includes shipping', placeAt([], { rules: [including] })],
    ['shipping is taxed separately', placeAt([], { shipping: 'always_taxable', rules: [excess] })],
  ])('grows linearly with the charges: %s', (_, place) => {
    const [few, many] = [assessmentsPerDelivery(place, 5), assessmentsPerDelivery(place, 40)];
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThan(1.5 * few);
  });
});

describe('the monotonicity of tax', () => {
  const grossAt = (release: Release, amount: number): bigint => {
    const { net, tax } = taxLine({ ...getLine(buildPlace(release)), amount: BigInt(Math.max(0, amount)) });
    return net + tax;
  };
  /** Whether net plus tax decreases between two neighboring cents around the amounts at which effects change. */
  const falls = (release: Release): boolean =>
    [0, 50, 99, 109, 110, 175, 250, 1000, 1175, 1999].some((dollars) => {
      const grosses = [-1, 0, 1, 2, 98, 99, 100, 101].map((cents) => grossAt(release, dollars * 100 + cents));
      return grosses.some((gross, index) => gross < (grosses[index - 1] ?? 0n));
    });

  it('finds no decrease of gross for a higher price in any built-in release', () => {
    expect(builtInReleases().flatMap(monotonicityProblems)).toEqual([]);
  });

  const luxury = rule('luxury', ['GENERAL'], { type: 'threshold_rate', amount: '1000', rate: '0.05' });
  const lowRates = getRelease().rates.map((rate) => ({ ...rate, rate: '0.04', food_rate: '0.06' }));
  const stepped = (...steps: string[]) => getRelease({ rounding: byTables(buildBracket('US-XX', '0.01', steps)) });
  it.each([
    ['a lower rate for a higher price', getRelease({ rules: [luxury] }), 'Rule luxury'],
    ['a rule at a different level', getRelease({ rules: [{ ...luxury, levels: ['city'] }] }), null],
    ['an expired rule', getRelease({ rules: [{ ...luxury, to: '1999-12-31' }] }), null],
    ['a lower rate than the food rate', getRelease({ rules: [luxury], rates: lowRates }), '0.06'],
    ['a table', stepped('0.50'), null],
    ['a table with too many steps', stepped('0.20', '0.50'), 'US-XX'],
  ])('checks %s for a decrease', (_, release, problem) => {
    expect(monotonicityProblems(release)).toEqual(problem === null ? [] : [expect.stringContaining(problem)]);
  });

  it('matches the tax core, for random effects', () => {
    const seen = { holds: 0, falls: 0 };
    for (let seed = 1; seed <= 1000; seed += 1) {
      const release = getRelease({ rules: [rule('random', ['GENERAL'], getEffect(drawFrom(seed)))] });
      // With an exemption above an amount, net plus tax decreases by law.
      if (release.rules[0]?.effect.type === 'exempt_above') continue;
      const isFine = monotonicityProblems(release).length === 0;
      seen[isFine ? 'holds' : 'falls'] += 1;
      if (isFine) expect(falls(release), JSON.stringify(release.rules[0]?.effect)).toBe(false);
    }
    expect(Math.min(seen.holds, seen.falls)).toBeGreaterThan(10);
  });
});

describe('an exemption above an amount', () => {
  const bulk = rule('bulk', ['GENERAL'], { type: 'exempt_above', amount: '2000', inclusive: true, per: 'order' });
  const place = buildPlace(getRelease({ rules: [bulk], shipping: 'follows_goods' }));

  const perUnit = rule('bulk', ['GENERAL'], { type: 'exempt_above', amount: '2000', inclusive: true });
  const collected = rule('boats', ['GENERAL'], { type: 'collected_up_to', amount: '120' });
  it.each([
    ['order', bulk, 200_000n],
    ['unit', perUnit, 200_000n],
    // 6 % of more than 2,000.00 is above 120.00.
    ['unit by its tax', collected, 200_001n],
  ])('extracts a net that adds up to the gross with its tax, around an amount per %s', (_, effect, exempt) => {
    const line = getLine(buildPlace(getRelease({ rules: [effect] })));
    for (let gross = 199_000n; gross < 220_000n; gross += 7n) {
      const { net, tax } = taxLine({ ...line, amount: gross }, { taxIncluded: true });
      // Some gross amounts equal no net amount plus its rounded tax. Their tax is a cent lower.
      expect([-1n, 0n]).toContain(tax - taxLine({ ...line, amount: net - tax }).tax);
      expect(tax === 0n).toBe(gross >= exempt);
    }
  });

  it('taxes several lines and their shipping like one line of the same price, with the tax on top or included', () => {
    const delivery = { amount: 1000n, product: getProduct('SHIPPING.DELIVERY') };
    for (const rounding of ['line', 'invoice'] as const)
      for (const taxIncluded of [false, true])
        for (const amounts of [
          ['1999.99'],
          ['1999.98', '0.01'],
          ['1000.00', '500.00', '499.99'],
          ['2000.00'],
          ['1999.99', '0.01'],
          ['1000.00', '500.00', '500.00'],
        ]) {
          const isExempt = total(amounts.map(cents)) >= 200_000n;
          const lines = amounts.map((amount) => getLine(place, { amount }));
          const taxed = calculateTax(buildDocument(lines, { rounding, taxIncluded, shipping: delivery })).lines;
          expect(taxed.map(({ tax }) => tax > 0n || !isExempt)).toEqual(taxed.map(() => !isExempt));
          // 6 % of 2,009.99, on top or included.
          const expected = isExempt ? 0n : taxIncluded ? 11_377n : 12_060n;
          const tax = total(taxed.map((charge) => charge.tax));
          expect(tax >= expected - 2n && tax <= expected + 2n).toBe(true);
        }
  });
});

/** Returns the wrong sums of a calculated order. */
const listWrong = (document: TaxDocument, taxed: TaxedDocument): string[] => {
  const wrong: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) wrong.push(what);
  };
  for (const charge of taxed.lines) {
    const { rows, taxable, exempt, tax } = charge;
    must(rows.length > 0, 'a row states the reason');
    must(total(rows.map((row) => row.tax)) === tax, 'rows make the tax of a charge');
    must(taxable + exempt + (document.taxIncluded ? tax : 0n) === charge.net, 'a net has two parts');
    for (const one of [charge, ...rows])
      must(one.tax >= 0n && one.taxable >= 0n && one.exempt >= 0n, 'nothing is negative');
    if (charge.shares === null)
      for (const row of rows) must(row.taxable + row.exempt === taxable + exempt, 'each row has the whole net');
  }
  const totals = sumTotals(document, taxed);
  const { subtotal, discount, thirdPartyDiscount, shipping, tax } = totals;
  const onTop = document.taxIncluded ? 0n : tax;
  const ofJurisdictions = summarize(taxed.lines, writerFor(2)).map((row) => cents(row.tax_amount));
  must(tax === total(taxed.lines.map((charge) => charge.tax)), 'charges make the tax');
  must(tax === total(ofJurisdictions), 'jurisdictions make the tax');
  must(totals.total === subtotal - discount - thirdPartyDiscount + shipping + onTop, 'the total is what is paid');
  must(totals.taxable + totals.exempt + tax - onTop === subtotal - discount + shipping, 'bases make the subtotal');
  return wrong;
};

/** Builds the document with the nets that remain without the included tax. */
const withoutTax = (document: TaxDocument, taxed: TaxedDocument): TaxDocument => {
  const none = { discount: 0n, thirdPartyDiscount: 0n };
  const getNet = (index: number) => {
    const { taxable = 0n, exempt = 0n } = taxed.lines[index] ?? {};
    return { amount: taxable + exempt, ...none };
  };
  return {
    ...document,
    ...none,
    taxIncluded: false,
    lines: document.lines.map((line, index) => ({ ...line, ...getNet(index) })),
  };
};

const getGross = (taxed: TaxedDocument) => total(taxed.lines.map(({ taxable, exempt, tax }) => taxable + exempt + tax));

/**
 * Lists wrong nets. The tax on a net may exceed the extracted tax only if the next lower net plus its tax is below the
 * gross.
 */
const listMissed = (net: TaxDocument, taxed: TaxedDocument, again: TaxedDocument): string[] =>
  taxed.lines.flatMap((charge, place) => {
    const tax = again.lines[place]?.tax ?? 0n;
    if (tax === charge.tax) return [];
    if (tax < charge.tax) return ['a net is taxed less than what was taken out'];
    if (charge.taxable + charge.exempt === 0n) return [];
    const lines = net.lines.map((one, index) => (index === place ? { ...one, amount: one.amount - 1n } : one));
    const before = calculateTax({ ...net, lines }).lines[place];
    const isEnough = before && before.net + before.tax >= charge.taxable + charge.exempt + charge.tax;
    return isEnough ? ['a smaller net would have done'] : [];
  });

/** Returns the failed checks of random orders with every effect, each with its seed. */
const faultsIn = (
  [batches, perBatch, places]: readonly [batches: number, perBatch: number, places: number],
  taxIncluded: boolean,
  check: (document: TaxDocument, taxed: TaxedDocument) => string[],
): string[] => {
  const faults: string[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const draw = drawFrom(taxIncluded ? 10_000 + batch : batch);
    const drawn = listPlaces(draw, places);
    for (let index = 0; index < perBatch; index += 1) {
      const document = orderFrom(draw, drawn, { taxIncluded });
      const taxed = calculateTax(document);
      for (const what of [...listWrong(document, taxed), ...check(document, taxed)])
        faults.push(`seed ${batch}, order ${index}: ${what}`);
    }
  }
  return faults;
};

it('keeps lines, jurisdictions and totals consistent in random orders with every effect', () => {
  expect(faultsIn([20, 250, 20], false, () => [])).toEqual([]);
});

it('keeps random orders with included tax consistent, with nets that add up to the gross if possible', () => {
  const grosses = { less: 0, same: 0, more: 0 };
  const faults = faultsIn([10, 100, 10], true, (document, taxed) => {
    const net = withoutTax(document, taxed);
    const again = calculateTax(net);
    grosses[getGross(again) === getGross(taxed) ? 'same' : getGross(again) > getGross(taxed) ? 'more' : 'less'] += 1;
    return document.rounding === 'line' ? listMissed(net, taxed, again) : [];
  });
  expect(faults).toEqual([]);
  // A net plus its tax can exceed the gross, because of rounding or a threshold, but it is never less.
  expect(grosses.less).toBe(0);
  expect(grosses.same).toBeGreaterThan(grosses.more);
});
