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

/** Returns a random effect on goods, by default with amounts and rates that are common in documents. */
export const getEffect = (
  { of, oneIn }: Draw,
  amount = of(amounts),
  drawRate: () => string = () => of(rates),
): Effect => {
  const inclusive = oneIn(2);
  const plain = () => of<PlainEffect>([{ type: 'taxable' }, { type: 'exempt' }, { type: 'rate', rate: drawRate() }]);
  return of<() => Effect>([
    plain,
    () => ({ type: 'threshold_cliff', amount, inclusive }),
    () => ({ type: 'threshold_excess', amount }),
    () => ({ type: 'threshold_rate', amount, rate: drawRate() }),
    () => ({ type: 'base_cap', amount, ...(oneIn(3) ? { per: 'line' } : {}) }),
    () => ({ type: 'tiered_rate', amount, rate: drawRate() }),
    () => ({ type: 'band', above: amount, to: `1${amount}`, rate: drawRate() }),
    () => ({ type: 'tax_cap', amount, rate: drawRate() }),
    () => ({ type: 'base_percent', percent: of(['0', '0.5', '0.8', '0.333', '1']) }),
    () => ({ type: 'holiday', amount: oneIn(4) ? null : amount, inclusive }),
    () => ({
      type: 'use_split',
      business: plain(),
      personal: plain(),
      ...(oneIn(2) ? { unknown: plain() } : {}),
    }),
    () =>
      of<Effect>([
        { type: 'other_tax', name: 'an excise' },
        { type: 'not_established', reason: 'No source.' },
      ]),
  ])();
};

const goods = ['GENERAL', 'CLOTHING.APPAREL', 'FOOD.GROCERY', 'HOME.FURNITURE', 'SOFTWARE.SAAS'];
const fee = 'FEES.RETAIL_DELIVERY_FEE';
const types: readonly JurisdictionType[] = ['county', 'city', 'district'];

const listRules = (draw: Draw, code: string): Rule[] => {
  const { of, oneIn } = draw;
  const rules = Array.from({ length: 8 }, (_, index) =>
    rule(`rule-${index}`, [of(goods)], getEffect(draw), {
      levels: oneIn(2) ? null : [of<JurisdictionType>(['state', ...types])],
      jurisdictions: oneIn(4) ? [`${code}-${draw.below(3)}`] : null,
      threshold_includes_shipping: oneIn(5),
      from: of(['2000-01-01', '2020-01-01']),
    }),
  );
  const amount = of(['0.27', '0.50', '1.005']);
  const feeRule = rule(
    'fee',
    [fee],
    { type: 'flat_fee', amount, order_minimum: of([null, '100']) },
    { levels: ['state'] },
  );
  const band = rule(
    'article',
    ['HOME'],
    { type: 'band', above: '100', to: '200', rate: '0.0275' },
    {
      jurisdictions: [`${code}-SINGLE`],
    },
  );
  return [...rules, feeRule, rule('no-fee', [fee], { type: 'exempt' }, { levels: types }), band];
};

/** A state with up to three local jurisdictions, and one jurisdiction that has only a price band. */
const getState = (draw: Draw, code: string): Release => {
  const { of, oneIn, below } = draw;
  const local = Array.from({ length: below(4) }, (_, index) => ({
    code: `${code}-${index}`,
    type: of(types),
    rate: of(rates),
  }));
  const release = getRelease({
    of: [{ code, type: 'state', rate: of(rates) }, ...local],
    rules: listRules(draw, code),
    shipping: of(shippingPolicies),
  });
  return {
    ...release,
    jurisdictions: [
      ...release.jurisdictions,
      ...(oneIn(2) ? [{ code: `${code}-SINGLE`, name: 'Single', type: 'state', tax_type: 'sales' } as const] : []),
    ],
    rates: release.rates.map((one) => ({
      ...one,
      ...(oneIn(4) ? { food_rate: of(rates) } : {}),
      ...(oneIn(4) ? { interstate: { rate: of(rates) } } : {}),
    })),
  };
};

/** States in pairs, so an order can be delivered to two states. */
export const listPlaces = (draw: Draw, count: number): Place[] =>
  Array.from({ length: count }, (_, index) => ({
    ...buildPlace(getState(draw, `US-X${index % 2}`)),
    isInterstate: draw.oneIn(2),
  }));

const lineFrom = (draw: Draw, place: Place): TaxLine => {
  const { of, oneIn, digits, below } = draw;
  const isFee = oneIn(12);
  const amount = isFee ? 0n : oneIn(3) ? of([9999n, 10_000n, 11_000n, 17_500n, 22_000n, 30_000n]) : digits(7);
  const discount = oneIn(3) ? (amount * BigInt(below(101))) / 100n : 0n;
  const line = getLine(place, {
    ptc: isFee ? fee : of(goods),
    use: of(['business', 'personal', null]),
    collectionExemption: oneIn(15) ? 'customer_exempt' : null,
    isShipped: !isFee && !oneIn(6),
  });
  return {
    ...line,
    quantity: decimal(of(['1', '1', '2', '3', '0.5', '2.5', '0.333', '12'])),
    amount,
    discount,
    thirdPartyDiscount: oneIn(8) ? (amount - discount) / 3n : 0n,
  };
};

/** A shipping charge for some or all of the lines. */
const chargeFrom = ({ of, oneIn, digits, below }: Draw, lines: readonly TaxLine[]): TaxLine => {
  const amount = digits(4);
  const stated = oneIn(2) ? '._SEPARATELY_STATED' : '';
  const charge = getShipping(lines, {
    amount,
    product: getProduct(`SHIPPING.${of(['DELIVERY', 'HANDLING'])}${stated}`),
  });
  const some = charge.deliveries.filter(() => oneIn(2));
  return {
    ...charge,
    discount: oneIn(3) ? (amount * BigInt(below(101))) / 100n : 0n,
    deliveries: oneIn(2) || some.length === 0 ? charge.deliveries : some,
  };
};

/** An order of one to five lines, delivered to up to two places. */
export const orderFrom = (draw: Draw, places: readonly Place[], others: Partial<TaxDocument> = {}): TaxDocument => {
  const { of, oneIn, below } = draw;
  const first = 2 * below(places.length / 2);
  const lines = Array.from({ length: 1 + below(5) }, () => lineFrom(draw, places[first + (oneIn(4) ? 1 : 0)] as Place));
  const left = lines.reduce(
    (sum, { amount, discount, thirdPartyDiscount }) => sum + amount - discount - thirdPartyDiscount,
    0n,
  );
  const shipping = Array.from({ length: of([0, 0, 1, 1, 2, 3]) }, () => chargeFrom(draw, lines));
  return buildDocument(lines, {
    rounding: of(['line', 'invoice']),
    discount: oneIn(3) ? (left * BigInt(below(101))) / 200n : 0n,
    thirdPartyDiscount: oneIn(6) ? left / 4n : 0n,
    discountsShipping: oneIn(2),
    shipping,
    ...others,
  });
};
