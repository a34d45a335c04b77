import { expect, it } from 'vitest';
import { summarizeDocument, sumTotals, writerFor } from '../../shared/calculations/figures.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { TaxDocument, TaxedDocument } from '../../shared/tax/document.ts';
import { cents } from '../support/builders.ts';
import { isLong } from '../support/mode.ts';
import { drawFrom, listPlaces, orderFrom } from '../support/random-orders.ts';
import { total } from '../support/tax-oracle.ts';

/** Returns the wrong sums of a calculated order. */
const listWrong = (document: TaxDocument, taxed: TaxedDocument): string[] => {
  const wrong: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) wrong.push(what);
  };
  for (const charge of taxed.lines) {
    const { rows, taxable, exempt, tax } = charge;
    must(rows.length > 0, 'a row says why');
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
  const ofJurisdictions = summarizeDocument(taxed, writerFor(2)).map((row) => cents(row.tax_amount));
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
 * Returns, by line, the charges whose net adds up to a different gross, although the gross of the net below it is too
 * low.
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

/** Returns the faults in random orders with every effect, each with its seed. */
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
  expect(faultsIn(isLong ? [60, 500, 20] : [10, 250, 20], false, () => [])).toEqual([]);
});

it('keeps random orders with included tax consistent, with nets that add up to the gross if possible', () => {
  const grosses = { less: 0, same: 0, more: 0 };
  const faults = faultsIn(isLong ? [20, 100, 10] : [10, 50, 10], true, (document, taxed) => {
    const net = withoutTax(document, taxed);
    const again = calculateTax(net);
    grosses[getGross(again) === getGross(taxed) ? 'same' : getGross(again) > getGross(taxed) ? 'more' : 'less'] += 1;
    return document.rounding === 'line' ? listMissed(net, taxed, again) : [];
  });
  expect(faults).toEqual([]);
  // Rounding skips some gross amounts, and a cliff skips many. A net plus its tax is never below the gross.
  expect(grosses.less).toBe(0);
  expect(grosses.same).toBeGreaterThan(2 * grosses.more);
});
