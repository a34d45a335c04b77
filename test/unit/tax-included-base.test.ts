import { describe, expect, it } from 'vitest';
import { builtInReleaseById } from '../../shared/content/built-in.ts';
import type { Release } from '../../shared/content/release.ts';
import type { Rounding } from '../../shared/content/release-values.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { TaxDocument, TaxedDocument } from '../../shared/tax/document.ts';
import { ask, documentOf, lineOf, placeOf, productOf, releaseOf } from '../support/builders.ts';
import { onlyShipping } from '../support/shipping.ts';

const pennsylvania = (): Release => {
  const release = builtInReleaseById('US-PA@2026-11-21.1');
  if (!release) throw new Error('Pennsylvania is built in');
  return release;
};
const roundedAs = (release: Release, others: Pick<Rounding, 'tax_included'>): Release => ({
  ...release,
  settings: {
    ...release.settings,
    rounding: release.settings.rounding.map((setting) => ({ ...setting, policy: { ...setting.policy, ...others } })),
  },
});
const keepBase = { tax_included: 'keep_base' } as const;

const releases = {
  tables: {
    today: roundedAs(pennsylvania(), {}),
    kept: roundedAs(pennsylvania(), keepBase),
  },
  'half up': { today: releaseOf(), kept: roundedAs(releaseOf(), keepBase) },
};
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
  it('is all tax in an older release, whose recorded answers stay', () => {
    expect(partsOf(tax(releases.tables.today, [1, 19]))).toEqual([
      [0, 1],
      [18, 1],
    ]);
  });

  it('keeps a base of a cent where the release requires it', () => {
    expect(partsOf(tax(releases.tables.kept, [1, 19]))).toEqual([
      [1, 0],
      [17, 2],
    ]);
  });

  it.each(['tables', 'half up'] as const)(
    'a charge of a cent by %s has a base wherever nets of a cent or more give the gross',
    (method) => {
      for (const grosses of orders) {
        const parts = partsOf(tax(releases[method].kept, grosses));
        expect(parts.map(([net = 0, own = 0]) => net + own)).toEqual(grosses);
        const sent = grosses.filter((gross) => gross > 0);
        const total = sent.reduce((sum, gross) => sum + gross, 0);
        const isPossible = Array.from({ length: total - sent.length + 1 }, (_, index) => sent.length + index).some(
          (net) => net + taxOn[method](net) === total,
        );
        const isBaseless = parts.some(([net = 0, own = 0]) => net === 0 && own > 0);
        if (isPossible) expect([grosses, isBaseless]).toEqual([grosses, false]);
        // The invoice owes the same in total, however its nets are divided.
        const sumOf = (all: number[][]) => all.reduce((sum, [, own = 0]) => sum + own, 0);
        expect([grosses, sumOf(parts)]).toEqual([grosses, sumOf(partsOf(tax(releases[method].today, grosses)))]);
      }
    },
  );

  it('is warned of where it is all tax', () => {
    const warningsAt = (release: Release) =>
      ask(
        {
          to: { state: 'PA', postal_code: '17101' },
          tax_included: true,
          line_items: [{ unit_price: '0.01' }],
          shipping: { amount: '0.19', product_tax_code: 'SHIPPING.HANDLING' },
        },
        { releaseFor: () => release },
      ).warnings.filter(({ code }) => code === 'tax_included_not_exact');
    expect(warningsAt(releases.tables.today)).toMatchObject([{ pointer: '/line_items/0' }]);
    expect(warningsAt(releases.tables.kept)).toEqual([]);
  });
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
