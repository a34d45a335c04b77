import { type Effect, type Release, type Rule, shippingPolicies } from '../../shared/catalog/release.ts';
import type { JurisdictionType } from '../../shared/catalog/release-values.ts';
import { decimal } from '../../shared/money/decimal.ts';
import type { Place, TaxDocument, TaxLine } from '../../shared/tax/document.ts';
import type { PlainEffect } from '../../shared/tax/effects/use-split.ts';
import { buildDocument, buildPlace, getLine, getProduct, getRelease, getShipping, rule } from './builders.ts';
import { seeded } from './seeded.ts';

/** Random orders with every effect and setting, reproducible by seed. */
export type Draw = {
  /** Returns an integer from 0 (inclusive) to `end` (exclusive). */
  readonly below: (end: number) => number;
  readonly of: <Value>(values: readonly Value[]) => Value;
  /** Returns true once in `times` calls on average. */
  readonly oneIn: (times: number) => boolean;
  /** Returns a random integer with at most this many digits. */
  readonly digits: (count: number) => bigint;
};

/** Random values, reproducible by seed. */
export const drawFrom = (seed: number): Draw => {
  const random = seeded(seed);
  const below = (end: number) => (random() * 2 ** 32) % end;
  return {
    below,
    of: (values) => values[below(values.length)] as (typeof values)[number],
    oneIn: (times) => below(times) === 0,
    digits: (count) => {
      let text = '';
      for (let length = 1 + below(count); length > 0; length -= 1) text += below(10);
      return BigInt(text);
    },
  };
};

const amounts = ['0', '0.50', '10', '99.99', '100', '110', '175.00', '250', '1000'];
const rates = ['0', '0.005', '0.01', '0.0275', '0.04', '0.06', '0.06625', '0.0725', '0.08875', '0.12345678'];

/** Returns a number with at most this many digits before and after the point. */
const wideNumber = ({ below, digits }: Draw, before: number, after: number): string =>
  `${digits(before)}.${Array.from({ length: 1 + below(after) }, () => below(10)).join('')}`;

/** Returns a rate that is common in documents, or one with up to 8 decimals. */
const drawRate = (draw: Draw): string =>
  draw.oneIn(4) ? `0.${draw.below(4)}${draw.below(10_000_000)}` : draw.of(rates);

const excise: Effect = { type: 'other_tax', name: 'an excise' };
const unknown: Effect = { type: 'not_established', reason: 'No source.' };

/** Returns a random effect on goods, with amounts that are common in documents, or with up to 9 digits. */
export const getEffect = (draw: Draw): Effect => {
  const { of, oneIn } = draw;
  const amount = oneIn(4) ? wideNumber(draw, 9, 2) : of(amounts);
  const rate = () => drawRate(draw);
  const inclusive = oneIn(2);
  const plain = () => of<PlainEffect>([{ type: 'taxable' }, { type: 'exempt' }, { type: 'rate', rate: rate() }]);
  return of<() => Effect>([
    plain,
    () => ({ type: 'threshold_cliff', amount, inclusive, ...(oneIn(4) && { cap: of(amounts) }) }),
    () => ({ type: 'threshold_cliff', amount, inclusive, reduced_below: `1${amount}`, reduced_rate: rate() }),
    () => ({ type: 'threshold_excess', amount }),
    () => ({ type: 'exempt_above', amount, inclusive }),
    () => ({ type: 'threshold_rate', amount, rate: rate() }),
    () => ({ type: 'base_cap', amount, ...(oneIn(3) ? { per: 'line' } : {}) }),
    () => ({ type: 'tiered_rate', amount, rate: rate(), ...(oneIn(2) && { first_rate: rate(), percent: '0.65' }) }),
    () => ({ type: 'band', above: amount, to: `1${amount}`, rate: rate() }),
    () => ({ type: 'tax_cap', amount, rate: rate() }),
    () => ({ type: 'base_percent', percent: of(['0', '0.5', '0.8', '0.333', '1']) }),
    () => ({ type: 'holiday', amount: oneIn(4) ? null : amount, inclusive, ...(oneIn(8) && { personal_use: true }) }),
    () => ({ type: 'use_split', business: plain(), personal: plain(), ...(oneIn(2) && { unknown: plain() }) }),
    () => of<Effect>([excise, unknown]),
  ])();
};

const goods = ['GENERAL', 'CLOTHING.APPAREL', 'FOOD.GROCERY', 'HOME.FURNITURE', 'SOFTWARE.SAAS'];
const fee = 'FEES.RETAIL_DELIVERY_FEE';
const types: readonly JurisdictionType[] = ['county', 'city', 'district'];

/**
 * Plain orders have no fees, no thresholds that include shipping, and at most one charge, so `tax-oracle.ts` can
 * calculate their tax.
 */
type Kind = 'plain' | 'any';

/**
 * A state with up to four local jurisdictions, each with a different effect on each of the goods, and one jurisdiction
 * that has only a price band.
 */
const getState = (draw: Draw, code: string, kind: Kind): Release => {
  const { of, oneIn, below } = draw;
  const taxing = Array.from({ length: 1 + below(5) }, (_, index) => ({
    code: index === 0 ? code : `${code}-${index}`,
    type: index === 0 ? ('state' as const) : of(types),
    rate: drawRate(draw),
  }));
  const amount = of(['0.27', '0.50', '1.005']);
  const band = { type: 'band', above: '100', to: '200', rate: '0.0275' } as const;
  const rules: Rule[] = [
    ...taxing.flatMap(({ code: one }) =>
      goods.map((ptc) => {
        const effect = getEffect(draw);
        const threshold_includes_shipping = kind === 'any' && oneIn(5);
        return rule(`${one} ${ptc}`, [ptc], effect, { jurisdictions: [one], threshold_includes_shipping });
      }),
    ),
    rule('fee', [fee], { type: 'flat_fee', amount, order_minimum: of([null, '100']) }, { levels: ['state'] }),
    rule('no-fee', [fee], { type: 'exempt' }, { levels: types }),
    rule('article', ['HOME'], band, { jurisdictions: [`${code}-SINGLE`] }),
  ];
  const [state, ...local] = taxing as [(typeof taxing)[number], ...typeof taxing];
  const plain = ['follows_goods', 'exempt_unless_included', 'always_taxable'] as const;
  const release = getRelease({ of: [state, ...local], rules, shipping: of(kind === 'any' ? shippingPolicies : plain) });
  const single = { code: `${code}-SINGLE`, name: 'Single', type: 'state', tax_type: 'sales' } as const;
  const jurisdictions = [...release.jurisdictions, ...(oneIn(2) ? [single] : [])] as const;
  const rated = release.rates.map((one) => ({
    ...one,
    ...(oneIn(4) && { food_rate: of(rates) }),
    ...(oneIn(4) && { interstate: { rate: of(rates) } }),
  }));
  return { ...release, jurisdictions, rates: rated };
};

/** States in pairs, so an order can be delivered to two states. */
export const listPlaces = (draw: Draw, count: number, kind: Kind = 'any'): Place[] =>
  Array.from({ length: count }, (_, index) => ({
    ...buildPlace(getState(draw, `US-X${index % 2}`, kind)),
    isInterstate: draw.oneIn(2),
  }));

const lineFrom = (draw: Draw, place: Place, kind: Kind): TaxLine => {
  const { of, oneIn, digits, below } = draw;
  const isFee = kind === 'any' && oneIn(12);
  const amount = isFee
    ? 0n
    : oneIn(3)
      ? of([9999n, 10_000n, 11_000n, 17_500n, 22_000n, 35_000n])
      : digits(of([3, 7, 16]));
  const discount = oneIn(3) ? (amount * BigInt(below(101))) / 100n : 0n;
  const line = getLine(place, {
    ptc: isFee ? fee : of(goods),
    use: of(['business', 'personal', null]),
    collectionExemption: oneIn(15) ? 'customer_exempt' : null,
    isShipped: !isFee && !oneIn(6),
  });
  return {
    ...line,
    quantity: decimal(oneIn(6) ? wideNumber(draw, 9, 6) : of(['1', '1', '2', '3', '0.5', '2.5', '0.333', '12'])),
    amount,
    discount,
    thirdPartyDiscount: oneIn(8) ? (amount - discount) / 3n : 0n,
  };
};

/** A shipping charge for some or all of the lines. */
const chargeFrom = ({ of, oneIn, digits, below }: Draw, lines: readonly TaxLine[]): TaxLine => {
  const amount = digits(4);
  const included = oneIn(2) ? '._INCLUDED_IN_PRICE' : '';
  const product = getProduct(`SHIPPING.${of(['DELIVERY', 'HANDLING'])}${included}`);
  const charge = getShipping(lines, { amount, product });
  const some = charge.deliveries.filter(() => oneIn(2));
  return {
    ...charge,
    discount: oneIn(3) ? (amount * BigInt(below(101))) / 100n : 0n,
    deliveries: oneIn(2) || some.length === 0 ? charge.deliveries : some,
  };
};

/** An order of one to eight lines, delivered to up to two places. */
export const orderFrom = (
  draw: Draw,
  places: readonly Place[],
  { kind = 'any', ...others }: Partial<TaxDocument> & { readonly kind?: Kind } = {},
): TaxDocument => {
  const { of, oneIn, below } = draw;
  const first = 2 * below(places.length / 2);
  const drawLine = () => lineFrom(draw, places[first + (oneIn(4) ? 1 : 0)] as Place, kind);
  const lines = Array.from({ length: 1 + below(8) }, drawLine);
  const left = lines.reduce((sum, one) => sum + one.amount - one.discount - one.thirdPartyDiscount, 0n);
  const charges = kind === 'any' ? of([0, 0, 1, 1, 2, 3]) : below(2);
  return buildDocument(lines, {
    rounding: of(['line', 'invoice']),
    discount: oneIn(3) ? (left * BigInt(below(101))) / 200n : 0n,
    thirdPartyDiscount: oneIn(6) ? left / 4n : 0n,
    discountsShipping: kind === 'any' && oneIn(2),
    shipping: Array.from({ length: charges }, () => chargeFrom(draw, lines)),
    ...others,
  });
};
