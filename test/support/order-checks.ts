import { summarizeDocument, sumTotals, writerFor } from '../../shared/calculations/figures.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { TaxDocument, TaxedDocument, TaxLine } from '../../shared/tax/document.ts';
import { cents } from './builders.ts';
import { drawFrom, orderFrom, placesOf } from './random-orders.ts';
import { total } from './tax-oracle.ts';

const chargesOf = ({ lines, shipping }: TaxedDocument) => [...lines, ...shipping];

/** The sums of a calculated order that are wrong. */
const wrongOf = (document: TaxDocument, taxed: TaxedDocument): string[] => {
  const wrong: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) wrong.push(what);
  };
  for (const charge of chargesOf(taxed)) {
    must(total(charge.rows.map(({ tax }) => tax)) === charge.tax, 'rows make the tax of a charge');
    must(
      charge.taxable + charge.exempt + (document.taxIncluded ? charge.tax : 0n) === charge.net,
      'a net has two parts',
    );
    must(charge.rows.length > 0, 'a row says why');
    for (const { tax, taxable, exempt } of [charge, ...charge.rows])
      must(tax >= 0n && taxable >= 0n && exempt >= 0n, 'nothing is negative');
  }
  for (const { rows, taxable, exempt } of taxed.lines)
    for (const row of rows) must(row.taxable + row.exempt === taxable + exempt, 'each row has the whole net');
  const totals = sumTotals(document, taxed);
  const { subtotal, discount, thirdPartyDiscount, shipping, tax } = totals;
  const onTop = document.taxIncluded ? 0n : tax;
  must(tax === total(chargesOf(taxed).map((charge) => charge.tax)), 'charges make the tax');
  must(
    tax === total(summarizeDocument(taxed, writerFor(2)).map((row) => cents(row.tax_amount))),
    'jurisdictions make the tax',
  );
  must(totals.total === subtotal - discount - thirdPartyDiscount + shipping + onTop, 'the total is what is paid');
  must(totals.taxable + totals.exempt + tax - onTop === subtotal - discount + shipping, 'bases make the subtotal');
  return wrong;
};

/** The document of the nets that are left without the included tax. */
const withoutTax = (document: TaxDocument, { lines, shipping }: TaxedDocument): TaxDocument => ({
  ...document,
  taxIncluded: false,
  discount: 0n,
  thirdPartyDiscount: 0n,
  lines: document.lines.map((line, index): TaxLine => {
    const { taxable = 0n, exempt = 0n } = lines[index] ?? {};
    return { ...line, amount: taxable + exempt, discount: 0n, thirdPartyDiscount: 0n };
  }),
  shipping: document.shipping.map((charge, index) => {
    const { taxable = 0n, exempt = 0n } = shipping[index] ?? {};
    return { ...charge, amount: taxable + exempt, discount: 0n };
  }),
});

const grossOf = (taxed: TaxedDocument) =>
  total(chargesOf(taxed).map(({ taxable, exempt, tax }) => taxable + exempt + tax));

/** By line: charges whose net, taxed again, gives another gross, although the gross of the net before it is too low. */
const missedOf = (document: TaxDocument, net: TaxDocument, taxed: TaxedDocument, again: TaxedDocument): string[] =>
  chargesOf(taxed).flatMap((charge, place) => {
    const tax = chargesOf(again)[place]?.tax ?? 0n;
    if (tax === charge.tax) return [];
    if (tax < charge.tax) return ['a net is taxed less than what was taken out'];
    if (charge.taxable + charge.exempt === 0n) return [];
    const less = <Charge extends { readonly amount: bigint }>(one: Charge, index: number) =>
      index === place ? { ...one, amount: one.amount - 1n } : one;
    const lines = net.lines.map(less);
    const shipping = net.shipping.map((one, index) => less(one, document.lines.length + index));
    const before = chargesOf(calculateTax({ ...net, lines, shipping }))[place];
    const isEnough = before && before.net + before.tax >= charge.taxable + charge.exempt + charge.tax;
    return isEnough ? ['a smaller net would have done'] : [];
  });

/** Calculate random orders with every effect; returns the seeds of those whose sums are wrong. */
export const wrongOrders = (batches: number, perBatch: number): string[] => {
  const wrong: string[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const draw = drawFrom(batch);
    const places = placesOf(draw, 20);
    for (let index = 0; index < perBatch; index += 1) {
      const document = orderFrom(draw, places);
      for (const what of wrongOf(document, calculateTax(document)))
        wrong.push(`seed ${batch}, order ${index}: ${what}`);
    }
  }
  return wrong;
};

/**
 * Calculate random orders whose prices include tax, and tax their nets again: what is wrong, and how many nets give less, the
 * same or more than their gross.
 */
export const wrongGrosses = (batches: number, perBatch: number) => {
  const wrong: string[] = [];
  const grosses = { less: 0, same: 0, more: 0 };
  for (let batch = 0; batch < batches; batch += 1) {
    const draw = drawFrom(10_000 + batch);
    const places = placesOf(draw, 10);
    for (let index = 0; index < perBatch; index += 1) {
      const document = orderFrom(draw, places, { taxIncluded: true });
      const taxed = calculateTax(document);
      const net = withoutTax(document, taxed);
      const again = calculateTax(net);
      const missed = document.rounding === 'line' ? missedOf(document, net, taxed, again) : [];
      for (const what of [...wrongOf(document, taxed), ...missed]) wrong.push(`seed ${batch}, order ${index}: ${what}`);
      grosses[grossOf(again) === grossOf(taxed) ? 'same' : grossOf(again) > grossOf(taxed) ? 'more' : 'less'] += 1;
    }
  }
  return { wrong, grosses };
};
