import { describe, expect, it } from 'vitest';
import type { Treatment } from '../../shared/tax/assessment.ts';
import { type Sale, toSale } from '../../shared/tax/sale.ts';
import { extractSale } from '../../shared/tax/tax-included.ts';
import { documentOf, lineOf, placeOf, productOf, releaseOf, rule, shippingOf } from '../support/builders.ts';

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
