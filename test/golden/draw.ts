/** Random carts of a fixed seed. */

export type Draw = {
  readonly below: (end: number) => number;
  readonly of: <Value>(values: readonly Value[]) => Value;
  /** True with this probability in percent. */
  readonly chance: (percent: number) => boolean;
};

/** Random choices, the same in each run (mulberry32). */
export const drawFrom = (start: number): Draw => {
  let seed = start;
  const random = (): number => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(random() * end);
  return {
    below,
    of: (values) => values[below(values.length)] as (typeof values)[number],
    chance: (percent) => below(100) < percent,
  };
};

const cities = `Birmingham AL 35203;Juneau AK 99801;Phoenix AZ 85003;Little Rock AR 72201;Los Angeles CA 90012;Oakland CA 94612;Denver CO 80202;
Hartford CT 06103;Dover DE 19901;Washington DC 20001;Miami FL 33130;Atlanta GA 30303;Honolulu HI 96813;Boise ID 83702;Chicago IL 60602;
Springfield IL 62701;Indianapolis IN 46204;Des Moines IA 50309;Wichita KS 67202;Louisville KY 40202;New Orleans LA 70112;Portland ME 04101;
Baltimore MD 21202;Boston MA 02108;Lansing MI 48933;Minneapolis MN 55401;Jackson MS 39201;Kansas City MO 64106;Billings MT 59101;
Omaha NE 68102;Las Vegas NV 89101;Concord NH 03301;Trenton NJ 08608;Santa Fe NM 87501;New York NY 10001;Buffalo NY 14202;Charlotte NC 28202;
Fargo ND 58102;Columbus OH 43215;Tulsa OK 74103;Portland OR 97201;Philadelphia PA 19107;San Juan PR 00901;Providence RI 02903;
Charleston SC 29401;Sioux Falls SD 57104;Nashville TN 37201;Houston TX 77002;Austin TX 78701;Salt Lake City UT 84101;Burlington VT 05401;
Richmond VA 23219;Seattle WA 98101;Charleston WV 25301;Madison WI 53703;Cheyenne WY 82001`;

export const places = cities.split(';').map((text) => {
  const [, city, state, postal_code] = /^\s*(.+) ([A-Z]{2}) (\d{5})$/.exec(text) as unknown as string[];
  return { city, state, postal_code, country: 'US' };
});

/** Addresses with fewer or more fields than a city with its ZIP code. */
const unusual = [
  { line1: '124 W Michigan Ave', city: 'Lansing', county: 'Ingham', state: 'MI', postal_code: '48933-1234' },
  ...[{ state: 'TX' }, { state: 'US-GA' }, { postal_code: '10001' }, { postal_code: '99999' }, { city: 'Springfield' }],
  { city: 'Aspen', state: 'Colorado' },
  ...[
    { state: 'CA', postal_code: '48933' },
    { city: 'Toronto', country: 'CA' },
    { city: 'Lyon', postal_code: '69001', country: 'FR' },
    {},
  ],
];

export const addressFrom = (draw: Draw) => (draw.chance(8) ? draw.of(unusual) : draw.of(places));

const decimals: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 };

const amount = (draw: Draw, currency: string, units: number): string => {
  const fraction = Array.from({ length: decimals[currency] ?? 2 }, () => draw.below(10)).join('');
  return `${draw.below(units)}${fraction && `.${fraction}`}`;
};

const exemptionFrom = (draw: Draw) =>
  draw.of<unknown>([
    'none',
    { type: 'resale', certificate_id: 'R-1', regions: ['MI', 'US-CA', 'NY', 'TX'] },
    { type: 'government' },
    { type: 'nonprofit', valid_from: '2026-10-01', valid_to: '2026-11-15' },
    ...(draw.chance(30) ? [{ type: 'snap' }] : []),
  ]);

const buyerFrom = (draw: Draw) => ({
  address: addressFrom(draw),
  ...(draw.chance(25) && { id: draw.of(['cus_1', 'cus_2', 'cus_3', 'cus_none']) }),
  ...(draw.chance(15) && { use: draw.of(['business', 'personal']) }),
  ...(draw.chance(10) && { exemption: exemptionFrom(draw) }),
});

const lineFrom = (draw: Draw, currency: string, at: number, codes: readonly string[]) => ({
  ...((at === 0 || draw.chance(60)) && { id: `line-${at}` }),
  ...(draw.chance(20) && { description: `Line ${at}` }),
  ...(draw.chance(92) && {
    product_tax_code: at === 0 ? draw.of(['GENERAL', 'CLOTHING.APPAREL', 'FOOD.GROCERY']) : draw.of(codes),
  }),
  quantity: draw.of(['1', '1', '2', '3', '5', '12', '0.5', '1.25', '10.333']),
  unit_price: `${1 + draw.below(19)}${amount(draw, currency, 100)}`,
  ...(draw.chance(12) && { discount_amount: amount(draw, currency, 5) }),
  ...(draw.chance(5) && { third_party_discount_amount: amount(draw, currency, 4) }),
  ...(draw.chance(12) && { customer: buyerFrom(draw) }),
  ...(draw.chance(6) && { ship_from: { address: draw.of(places) } }),
  ...(at > 0 && draw.chance(12) && { fulfillment: draw.of(['ship', 'pickup', 'electronic', 'none']) }),
  ...(draw.chance(4) && { metadata: { sku: `S-${at}` } }),
});

const reduction = { parent_line_item_id: 'line-0', quantity: '1', unit_price: '-3' };

const linesFrom = (draw: Draw, currency: string, codes: readonly string[]) => [
  ...Array.from({ length: 1 + draw.below(5) }, (_, at) => lineFrom(draw, currency, at, codes)),
  ...(draw.chance(8) ? [reduction] : []),
];

const shippingFrom = (draw: Draw, currency: string) => {
  const charge = (rest: object = {}) => ({ amount: amount(draw, currency, 30), ...rest });
  return draw.of<() => unknown>([
    () => charge(),
    () => charge({ discount_amount: '1' }),
    () => [charge({ id: 'box-1', line_item_ids: ['line-0'] }), charge({ ship_to: { address: draw.of(places) } })],
    () => [charge({ product_tax_code: 'SHIPPING.HANDLING' }), charge({ ship_from: { address: draw.of(places) } })],
  ])();
};

/** A cart of random goods, buyers, discounts and charges; some are invalid. */
export const cartFrom = (draw: Draw, codes: readonly string[]) => {
  const currency = draw.of(['USD', 'USD', 'USD', 'USD', 'USD', 'CAD', 'EUR', 'JPY', 'KWD']);
  const day = `2026-${draw.of(['09', '10', '10', '11'])}-${String(1 + draw.below(30)).padStart(2, '0')}`;
  return {
    ...(currency !== 'USD' && { currency }),
    tax_date: draw.chance(70)
      ? day
      : `${day}T${draw.of(['00', '04', '05', '12', '23'])}:30:00${draw.of(['Z', '-05:00', '+09:00'])}`,
    customer: buyerFrom(draw),
    line_items: linesFrom(draw, currency, codes),
    ...(draw.chance(30) && { shipping: shippingFrom(draw, currency) }),
    ...(draw.chance(12) && {
      discount_amount: amount(draw, currency, 9),
      discount_applies_to: draw.of(['line_items', 'line_items_and_shipping']),
    }),
    ...(draw.chance(5) && { third_party_discount_amount: amount(draw, currency, 5) }),
    ...(draw.chance(12) && { ship_from: { address: draw.of(places) } }),
    ...(draw.chance(12) && { tax_included: true }),
    ...(draw.chance(5) && { collected_by: 'marketplace' }),
    ...(draw.chance(8) && { explain: true }),
    ...(draw.chance(20) && { metadata: { channel: draw.of(['web', 'store']), note: 'n' } }),
  };
};
