import { describe, expect, it } from 'vitest';
import { builtInRelease } from '../../shared/content/built-in.ts';
import type { Release } from '../../shared/content/release.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { TaxDocument, TaxedDocument } from '../../shared/tax/document.ts';
import { ask, documentOf, lineOf, placeOf, productOf, releaseOf } from '../support/builders.ts';
import { onlyShipping } from '../support/shipping.ts';

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
