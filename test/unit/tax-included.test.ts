import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { Effect, Release } from '../../shared/catalog/release.ts';
import type { Treatment } from '../../shared/tax/assessment.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { Place, TaxDocument, TaxedCharge, TaxedDocument } from '../../shared/tax/document.ts';
import { type Sale, toSale } from '../../shared/tax/sale.ts';
import { extractSale, extractTax } from '../../shared/tax/tax-included.ts';
import {
  ask,
  documentOf,
  lineOf,
  placeOf,
  productOf,
  releaseOf,
  rule,
  shippingOf,
  taxLine,
} from '../support/builders.ts';
import { onlyShipping } from '../support/shipping.ts';

describe('tax included', () => {
  const clothing = (effect: Effect, rate = '0.06') =>
    placeOf(
      releaseOf({ of: [{ code: 'US-XX', type: 'state', rate }], rules: [rule('one', ['CLOTHING.APPAREL'], effect)] }),
    );
  const table = ['0.10', '0.17', '0.34', '0.50', '0.67', '0.84'];

  const places: readonly { name: string; place: Place; quantity: string }[] = [
    { name: '6 %', place: placeOf(releaseOf()), quantity: '1' },
    {
      name: '6.625 %',
      place: placeOf(releaseOf({ of: [{ code: 'US-XX', type: 'state', rate: '0.06625' }] })),
      quantity: '1',
    },
    {
      name: 'four jurisdictions',
      place: placeOf(
        releaseOf({
          of: [
            { code: 'US-XX', type: 'state', rate: '0.06875' },
            { code: 'US-XX-1', type: 'county', rate: '0.0015' },
            { code: 'US-XX-2', type: 'city', rate: '0.005' },
            { code: 'US-XX-3', type: 'district', rate: '0.015' },
          ],
        }),
      ),
      quantity: '1',
    },
    {
      name: 'a cliff',
      place: clothing({ type: 'threshold_cliff', amount: '110', inclusive: false }, '0.04'),
      quantity: '2',
    },
    { name: 'an excess', place: clothing({ type: 'threshold_excess', amount: '175' }), quantity: '2.5' },
    {
      name: 'a switch of rates',
      place: clothing({ type: 'threshold_rate', amount: '200', rate: '0.0775' }),
      quantity: '1',
    },
    { name: 'an exemption', place: clothing({ type: 'exempt' }), quantity: '1' },
    {
      name: 'a table',
      place: placeOf(
        releaseOf({
          rounding: {
            method: 'bracket',
            brackets: [{ jurisdiction: 'US-XX', rate: '0.06', steps: table, nothing_below: null }],
          },
        }),
      ),
      quantity: '1',
    },
  ];

  const lineIn = (place: Place, quantity: string, amount: bigint) => ({
    ...lineOf(place, { ptc: 'CLOTHING.APPAREL', quantity }),
    amount,
  });

  describe('tax out of a gross amount', () => {
    it.each(places)(
      'net + tax = gross, and the net is taxed with that tax wherever one is: $name, 3,000 amounts',
      ({ place, quantity }) => {
        const taxOn = (net: bigint) => taxLine(lineIn(place, quantity, net)).tax;
        fc.assert(
          fc.property(fc.bigInt({ min: 0n, max: 60_000n }), (gross) => {
            const line = taxLine(lineIn(place, quantity, gross), { taxIncluded: true });
            const net = line.taxable + line.exempt;
            expect(net + line.tax).toBe(gross);
            expect(line.net).toBe(gross);
            // Where no net gives the gross, this one is the first to exceed it.
            if (taxOn(net) === line.tax) return;
            expect(net + taxOn(net)).toBeGreaterThan(gross);
            expect(net - 1n + taxOn(net - 1n)).toBeLessThan(gross);
          }),
          { numRuns: 3000 },
        );
      },
    );

    it.each([
      { gross: '106.00', net: '100.00', tax: '6.00', because: 'one hundred and six hundredths' },
      { gross: '0.09', net: '0.09', tax: '0.00', because: 'no net gives it: 0.08 comes to 0.08, and 0.09 to 0.10' },
      { gross: '0.08', net: '0.08', tax: '0.00', because: '0.0048 is no cent' },
      { gross: '0.00', net: '0.00', tax: '0.00', because: 'nothing holds no tax' },
      { gross: '100.00', net: '94.34', tax: '5.66', because: '94.34 is taxed 5.6604' },
    ])('Michigan: $gross holds $tax on $net, $because', ({ gross, net, tax }) => {
      const outcome = ask({
        to: { state: 'MI', postal_code: '48933' },
        tax_included: true,
        line_items: [{ unit_price: gross }],
      });
      expect(outcome).toMatchObject({
        taxable_amount: net,
        tax_amount: tax,
        total_amount: gross,
        subtotal_amount: gross,
      });
    });

    it('finds a net if there is one, for a tax that jumps', () => {
      const taxOn = (net: bigint) => (net >= 110n ? 9n : net >= 50n ? 3n : 0n);
      for (let net = 0n; net < 300n; net++) {
        expect(extractTax(net + taxOn(net), taxOn)).toEqual({ net, tax: taxOn(net) });
      }
      expect(extractTax(51n, taxOn)).toEqual({ net: 50n, tax: 1n });
    });

    it('takes seller discounts off first, and third-party ones after: 106.00 of 116.00 and 111.00', () => {
      const outcome = ask({
        to: { state: 'MI', postal_code: '48933' },
        tax_included: true,
        line_items: [{ unit_price: '116.00', discount_amount: '10.00', third_party_discount_amount: '5.00' }],
      });
      expect(outcome).toMatchObject({ taxable_amount: '100.00', tax_amount: '6.00', total_amount: '101.00' });
    });

    it('takes the tax out of the shipping too: 10.60 of delivery in Connecticut is 9.97 and 0.63', () => {
      const outcome = ask({
        to: { state: 'CT', postal_code: '06103' },
        tax_included: true,
        line_items: [{ unit_price: '106.35' }],
        shipping: { amount: '10.60' },
      });
      expect(outcome.line_items[0]).toMatchObject({ taxable_amount: '100.00', tax_amount: '6.35' });
      expect(outcome.shipping).toMatchObject({ amount: '10.60', taxable_amount: '9.97', tax_amount: '0.63' });
      expect(outcome.total_amount).toBe('116.95');
    });

    it('sums for lines and shipping together, with either rounding of the account', () => {
      const amounts = fc.array(fc.bigInt({ min: 0n, max: 50_000n }), { minLength: 1, maxLength: 8 });
      fc.assert(
        fc.property(
          fc.constantFrom(...places),
          amounts,
          fc.constantFrom<TaxDocument['rounding']>('line', 'invoice'),
          (drawn, grosses, rounding) => {
            const lines = grosses.map((gross) => lineIn(drawn.place, drawn.quantity, gross));
            const taxed = calculateTax(documentOf(lines, { taxIncluded: true, rounding }));
            const sum = (pick: (line: TaxedCharge) => bigint) =>
              taxed.lines.reduce((total, line) => total + pick(line), 0n);
            expect(sum(({ taxable, exempt, tax }) => taxable + exempt + tax)).toBe(
              grosses.reduce((left, right) => left + right, 0n),
            );
            for (const { rows, tax } of taxed.lines) expect(rows.reduce((total, row) => total + row.tax, 0n)).toBe(tax);
          },
        ),
        { numRuns: 500 },
      );
    });
  });

  describe('tax out of an invoice that is rounded as one', () => {
    const bracket = (jurisdiction: string, rate: string, steps: readonly string[]) => ({
      jurisdiction,
      rate,
      steps,
      nothing_below: null,
    });
    const pennsylvania = releaseOf({
      of: [
        { code: 'US-PA', type: 'state', rate: '0.06' },
        { code: 'US-PA-CITY', type: 'city', rate: '0.02' },
      ],
      rules: [rule('clothes', ['CLOTHING.APPAREL'], { type: 'exempt' })],
      rounding: {
        method: 'bracket',
        brackets: [bracket('US-PA', '0.06', table), bracket('US-PA-CITY', '0.02', ['0.24', '0.74'])],
      },
    });
    const [state, city] = pennsylvania.jurisdictions;
    const harrisburg = placeOf(pennsylvania, [state]);
    const philadelphia = placeOf(pennsylvania);
    const other = placeOf(releaseOf());
    const gross = (place: Place, amount: string, ptc = 'GENERAL') => lineOf(place, { amount, ptc });
    const included = (lines: Parameters<typeof documentOf>[0], others: Parameters<typeof documentOf>[1] = {}) => {
      const { lines: taxed, shipping } = calculateTax(documentOf(lines, { taxIncluded: true, ...others }));
      return [...taxed, ...shipping].map((one) => [one.taxable + one.exempt, one.tax]);
    };

    it('a table: three lines of 0.55 are an invoice of 1.55 and 0.10; each by itself would be 0.51 and 0.04', () => {
      const lines = Array.from({ length: 3 }, () => gross(harrisburg, '0.55'));
      expect(included(lines)).toEqual([
        [52n, 3n],
        [52n, 3n],
        [51n, 4n],
      ]);
      expect(included(lines.slice(0, 1))).toEqual([[51n, 4n]]);
    });

    it('a table: a thousand lines of 0.11 are an invoice of 103.77 and 6.23', () => {
      const lines = Array.from({ length: 1000 }, () => gross(harrisburg, '0.11'));
      const taxed = included(lines);
      const sum = (place: number) => taxed.reduce((all, one) => all + (one[place] ?? 0n), 0n);
      // 103 dollars are 6.18, and 0.77 is 5 cents by the table.
      expect([sum(0), sum(1)]).toEqual([10_377n, 623n]);
      expect(taxed.every(([net = 0n, tax = 0n]) => net + tax === 11n && net >= 10n)).toBe(true);
    });

    it('a table: what is exempt, and what is of another state, keeps what it is', () => {
      expect(
        included([
          gross(harrisburg, '0.54'),
          gross(harrisburg, '50.00', 'CLOTHING.APPAREL'),
          gross(other, '10.60'),
          gross(harrisburg, '0.54'),
        ]),
      ).toEqual([
        [51n, 3n],
        [5000n, 0n],
        [1000n, 60n],
        [51n, 3n],
      ]);
    });

    it('a table: shipping is in the invoice', () => {
      const shipping = { amount: 54n, product: lineOf(harrisburg, { ptc: 'SHIPPING.DELIVERY' }).product };
      expect(included([gross(harrisburg, '0.54')], { shipping })).toEqual([
        [51n, 3n],
        [51n, 3n],
      ]);
      expect(
        included([gross(harrisburg, '0.54'), gross(other, '1.06')], { shipping }).map(
          ([net = 0n, tax = 0n]) => net + tax,
        ),
      ).toEqual([54n, 106n, 54n]);
    });

    it('applies the table of each jurisdiction to the whole invoice', () => {
      const { lines } = calculateTax(
        documentOf(
          Array.from({ length: 7 }, () => gross(philadelphia, '1.63')),
          { taxIncluded: true },
        ),
      );
      const of = (code: string | undefined) =>
        lines
          .flatMap(({ rows }) => rows)
          .filter((row) => row.jurisdiction.code === code)
          .reduce((sum, { tax }) => sum + tax, 0n);
      const net = lines.reduce((sum, { taxable }) => sum + taxable, 0n);
      // 11.41 is 10.56 with 0.64 (0.60 and 4 cents of the table) and 0.21 (0.20 and 1).
      expect([net, of(state.code), of(city?.code)]).toEqual([1056n, 64n, 21n]);
    });

    it('an account that rounds on the invoice: two lines of 0.09 are 0.17 and 0.01, by line 0.18 and nothing', () => {
      const lines = [gross(other, '0.09'), gross(other, '0.09')];
      expect(included(lines, { rounding: 'invoice' })).toEqual([
        [9n, 0n],
        [8n, 1n],
      ]);
      expect(included(lines, { rounding: 'line' })).toEqual([
        [9n, 0n],
        [9n, 0n],
      ]);
    });
  });
});

describe('tax included base', () => {
  const releases = { tables: builtInRelease('PA') as Release, 'half up': releaseOf() };
  /** The state's own tax on a net, in cents: by Pennsylvania's table (61 Pa. Code section 31.2), and 6 % half up. */
  const taxOn = {
    tables: (net: number) =>
      Math.floor(net / 100) * 6 + [10, 17, 34, 50, 67, 84].filter((step) => net % 100 > step).length,
    'half up': (net: number) => Math.floor((net * 6 + 50) / 100),
  };

  const tax = (release: Release, grosses: readonly number[], others: Partial<TaxDocument> = {}): TaxedDocument => {
    const place = placeOf(release, [release.jurisdictions[0]]);
    const [shipping = 0, ...lines] = grosses.toReversed();
    return calculateTax(
      documentOf(
        lines.toReversed().map((amount) => ({ ...lineOf(place), amount: BigInt(amount) })),
        {
          rounding: 'invoice',
          taxIncluded: true,
          shipping: { amount: BigInt(shipping), product: productOf('SHIPPING.HANDLING') },
          ...others,
        },
      ),
    );
  };
  const chargesOf = ({ lines, shipping }: TaxedDocument) => [...lines, ...shipping];
  const partsOf = (taxed: TaxedDocument) =>
    chargesOf(taxed).map(({ taxable, tax: own }) => [Number(taxable), Number(own)]);

  const orders = [
    [1],
    [2],
    [1, 1],
    [1, 2],
    [3, 1, 1],
    [1, 300],
    [1, 1, 1, 1, 1, 1],
    new Array<number>(12).fill(1),
  ].flatMap((lines) => Array.from({ length: 100 }, (_, shipping) => [...lines, shipping]));

  describe('a charge of a cent with the tax of its invoice in it', () => {
    it('keeps a base of a cent', () => {
      expect(partsOf(tax(releases.tables, [1, 19]))).toEqual([
        [1, 0],
        [17, 2],
      ]);
    });

    it.each(['tables', 'half up'] as const)(
      'a charge of a cent by %s has a base wherever nets of a cent or more give the gross',
      (method) => {
        for (const grosses of orders) {
          const parts = partsOf(tax(releases[method], grosses));
          expect(parts.map(([net = 0, own = 0]) => net + own)).toEqual(grosses);
          const sent = grosses.filter((gross) => gross > 0);
          const total = sent.reduce((sum, gross) => sum + gross, 0);
          const grossOf = (net: number) => net + taxOn[method](net);
          const netOf = (least: number) => {
            for (let net = least; ; net += 1) if (grossOf(net) >= total) return net;
          };
          const isPossible = grossOf(netOf(sent.length)) === total;
          const isBaseless = parts.some(([net = 0, own = 0]) => net === 0 && own > 0);
          if (isPossible) expect([grosses, isBaseless]).toEqual([grosses, false]);
          // The invoice owes the same in total, however its nets are divided.
          expect([grosses, parts.reduce((sum, [, own = 0]) => sum + own, 0)]).toEqual([grosses, total - netOf(0)]);
        }
      },
    );
  });

  describe('a day of which the rule for shipping is not established', () => {
    it('has a warning for the shipping, and none for goods that were taxed', () => {
      const { line_items, shipping, warnings } = ask({
        to: { state: 'NJ', postal_code: '07030' },
        tax_date: '2020-05-05',
        shipping: { amount: '10.00' },
      });
      expect([line_items[0]?.tax_amount, onlyShipping(shipping)?.tax_amount]).toEqual(['6.63', '0.00']);
      const said = warnings.filter(({ code }) => code === 'not_covered');
      expect(said).toMatchObject([{ pointer: '/shipping' }]);
      expect(said[0]?.message).toContain('SHIPPING.DELIVERY');
    });
  });
});

describe('tax included work', () => {
  const excess = rule('excess', ['CLOTHING.APPAREL'], { type: 'threshold_excess', amount: '110' });
  const places = {
    'shipping follows the goods': placeOf(releaseOf({ shipping: 'follows_goods', rules: [excess] })),
    'the threshold includes shipping': placeOf(
      releaseOf({
        shipping: 'follows_goods',
        rules: [
          {
            ...excess,
            effect: { type: 'threshold_cliff', amount: '110', inclusive: false },
            threshold_includes_shipping: true,
          },
        ],
      }),
    ),
    'shipping is taxed by itself': placeOf(releaseOf({ shipping: 'always_taxable', rules: [excess] })),
  };

  /** Count how often the treatments of a sale are applied to an amount. */
  const countAssessments = ({ goods, shipments }: Sale): (() => number) => {
    let count = 0;
    const treatments = new Set([
      ...goods.flatMap(({ treated }) => treated.treatments),
      ...shipments.flat().flatMap(({ shipping }) => shipping.treatments),
    ]);
    for (const treatment of treatments) {
      const { effect } = treatment;
      const assess: Treatment['effect']['assess'] = (own, base) => {
        count += 1;
        return effect.assess(own, base);
      };
      Object.assign(treatment, { effect: { ...effect, assess } });
    }
    return () => count;
  };

  /** The assessments that extraction makes for each line of each charge. */
  const assessmentsPerDelivery = (place: (typeof places)[keyof typeof places], charges: number): number => {
    const lines = Array.from({ length: 20 }, (_, index) =>
      lineOf(place, { ptc: index % 2 === 0 ? 'CLOTHING.APPAREL' : 'GENERAL', amount: `${100 + index}.00` }),
    );
    const charge = shippingOf(lines, { amount: 999n, product: productOf('SHIPPING.DELIVERY') });
    const document = documentOf(lines, { taxIncluded: true, shipping: new Array(charges).fill(charge) });
    const sale = toSale(document);
    const counted = countAssessments(sale);
    extractSale(
      sale,
      [...lines, ...document.shipping].map(({ amount }) => amount),
    );
    return counted() / (charges * lines.length);
  };

  describe('work of extracting included tax', () => {
    it.each(Object.entries(places))('grows with the charges, not with their square: %s', (_, place) => {
      const [few, many] = [assessmentsPerDelivery(place, 5), assessmentsPerDelivery(place, 40)];
      expect(few).toBeGreaterThan(0);
      expect(many).toBeLessThan(1.5 * few);
    });
  });
});
