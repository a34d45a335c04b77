/** Shipping charges: which lines each of them ships, and charges for lines that the shop does not ship. */
import type { Schemas } from '../../shared/client/client.ts';
import type { Fulfillment, Line, ShippingCharge } from './order.ts';

type SentLine = Schemas['LineItemRequest'];
type SentCharge = Schemas['ShippingRequest'];
type Document = Pick<Schemas['CalculationRequest'], 'shipping'> & { readonly line_items: readonly SentLine[] };

const shippingId = ({ id }: Pick<ShippingCharge, 'id'>): string => `shipping-${id}`;

/** Returns whether the id of a line belongs to a shipping charge that is sent as a line. */
export const isShippingId = (id: string | null | undefined): boolean => id?.startsWith('shipping-') === true;

/** Product tax codes that no carrier delivers by default. `GET /product-tax-codes` has this as `fulfillment`. */
const unshipped: ReadonlySet<string> = new Set([
  ...['NONTAXABLE', 'CUSTOM_SOFTWARE', 'SAAS', 'IAAS', 'PAAS', 'SOFTWARE_MAINTENANCE', 'SOFTWARE_SUPPORT'],
  ...['DIGITAL_AUDIO', 'DIGITAL_VIDEO', 'EBOOKS', 'DIGITAL_TEXTBOOKS', 'DIGITAL_SUBSCRIPTIONS', 'DIGITAL_GAMES'],
  ...['DIGITAL_IMAGES', 'STREAMING_VIDEO', 'STREAMING_AUDIO', 'ONLINE_COURSES', 'ELECTRICITY', 'TELECOMMUNICATIONS'],
  ...['INTERNET_ACCESS', 'INSTALLATION', 'REPAIR', 'CLEANING', 'LANDSCAPING', 'PROFESSIONAL', 'DATA_PROCESSING'],
  ...['INFORMATION_SERVICES', 'ADVERTISING', 'FITNESS', 'PERSONAL_CARE', 'PHOTOGRAPHY', 'PARKING', 'EVENT_TICKETS'],
  ...['HOTEL_ROOMS', 'EXTENDED_WARRANTY', 'PRODUCT_INSURANCE', 'DELIVERY', 'HANDLING', 'POSTAGE', 'GIFT_CARDS'],
  ...['RETAIL_DELIVERY_FEE', 'CONTAINER_DEPOSIT', 'GIFT_WRAP', 'CARD_SURCHARGE', 'ORDER_FEE', 'DONATIONS'],
]);

const getName = (code: string | null | undefined): string =>
  (code ?? 'GENERAL').split('._', 1)[0]?.split('.').at(-1) ?? '';

type Delivered = { readonly code: string | null | undefined; readonly fulfillment: Fulfillment | null | undefined };

/** Returns whether a carrier delivers a line: by its `fulfillment`, or else by its product tax code. */
export const isShipped = ({ code, fulfillment }: Delivered): boolean => {
  if (fulfillment) return fulfillment === 'ship';
  const [path, ...attributes] = (code ?? 'GENERAL').split('._');
  if (attributes.includes('TANGIBLE_MEDIA')) return true;
  const isElectronic = ['ELECTRONIC_DELIVERY', 'LOAD_AND_LEAVE', 'REMOTE_ACCESS'].some((one) =>
    attributes.includes(one),
  );
  return !isElectronic && !unshipped.has(getName(path));
};

/** Returns whether a line reduces others, such as a surcharge below zero. */
export const isReduction = ({ unitPrice }: Pick<Line, 'unitPrice'>): boolean => /^-.*[1-9]/.test(unitPrice);

const feeNames: readonly string[] = ['GIFT_WRAP', 'CARD_SURCHARGE', 'ORDER_FEE', 'CONTAINER_DEPOSIT'];
const deliveryNames: readonly string[] = ['DELIVERY', 'HANDLING', 'POSTAGE'];
const isDelivery = ({ taxCode }: Line): boolean => deliveryNames.includes(getName(taxCode));

/**
 * Returns the lines that a shipping charge can name. Levy refuses a charge for fees, such as a gift wrap, or for other
 * shipping, unless the order has no other lines.
 */
const listGoods = (all: readonly Line[]): Line[] => {
  const lines = all.filter((line) => !isReduction(line) && getName(line.taxCode) !== 'RETAIL_DELIVERY_FEE');
  const sold = lines.filter((line) => !isDelivery(line));
  const goods = sold.filter(({ taxCode }) => !feeNames.includes(getName(taxCode)));
  return [goods, sold].find((found) => found.length > 0) ?? lines;
};

const listShipped = (lines: readonly Line[]): Line[] =>
  lines.filter(({ taxCode, fulfillment }) => isShipped({ code: taxCode, fulfillment }));

const isHandedOver = ({ fulfillment }: Line): boolean => Boolean(fulfillment) && fulfillment !== 'ship';

/**
 * Returns the fulfillment of a fee for lines: `pickup` at the store of the first picked-up line if no line is shipped,
 * otherwise `none`.
 */
export const feeDelivery = (lines: readonly Line[]): Pick<Line, 'fulfillment' | 'shipFrom'> => {
  const pickedUp = lines.every(isHandedOver) ? lines.find(({ fulfillment }) => fulfillment === 'pickup') : undefined;
  return { fulfillment: pickedUp ? 'pickup' : 'none', shipFrom: pickedUp?.shipFrom };
};

/**
 * Returns the parent of a line with a shipping code, if no line is shipped by its tax code: the first line that the
 * shop may ship. Levy refuses such a line without a parent.
 */
export const getParent = (line: Line, all: readonly Line[]): Line | undefined => {
  if (!isDelivery(line)) return undefined;
  const goods = listGoods(all);
  const isNeeded = !goods.includes(line) && listShipped(goods).length === 0;
  return isNeeded ? goods.find((other) => !isHandedOver(other)) : undefined;
};

/** Returns one charge as an object and several as a list. */
export const oneOrMany = <Charge>(charges: Charge[]): Charge | Charge[] | undefined =>
  charges.length > 1 ? charges : charges[0];

/**
 * Converts the shipping charges of an order. A charge is sent for its shipped lines. If no line is shipped by its tax
 * code, the charge is sent for the lines that the shop may ship. Levy refuses shipping without shipped lines, so a
 * charge for lines that the shop does not ship, such as a pickup fee, becomes a line. Like a surcharge, that line is
 * taxed as general goods, at the pickup store.
 */
export const shippingOfLines = (
  all: readonly Line[],
  charges: readonly ShippingCharge[],
): { readonly fees: Line[]; readonly shipping: SentCharge | SentCharge[] | undefined } => {
  const goods = listGoods(all);
  const fees: Line[] = [];
  const sent: SentCharge[] = [];
  for (const charge of charges.filter(({ amount }) => /[1-9]/.test(amount))) {
    const { amount, taxCode, lineIds } = charge;
    const id = shippingId(charge);
    const named = goods.filter((line) => lineIds?.includes(line.id));
    const own = named.length > 0 ? named : goods;
    const open = own.filter((line) => !isHandedOver(line));
    const shipped = listShipped(open);
    if (open.length === 0) {
      const fee = { quantity: 1, unitPrice: amount, discount: '0', taxCode: 'GENERAL', description: 'Shipping' };
      fees.push({ id, ...fee, ...feeDelivery(own) });
      continue;
    }
    // Without ids, the charge is for all shipped lines.
    const isForAll = shipped.length > 0 && shipped.length === listShipped(goods).length;
    const ids = (shipped.length > 0 ? shipped : open).map((line) => line.id);
    sent.push({ id, amount, ...(taxCode && { product_tax_code: taxCode }), ...(!isForAll && { line_item_ids: ids }) });
  }
  return { fees, shipping: oneOrMany(sent) };
};

type Taxed = Pick<Schemas['Calculation'], 'line_items' | 'shipping'>;

/** Returns a shipping charge of a calculation, which was sent in `shipping` or as a line. */
export const getShipping = ({ shipping, line_items }: Taxed, charge: Pick<ShippingCharge, 'id'>) =>
  [...[shipping ?? []].flat(), ...line_items].find(({ id }) => id === shippingId(charge));

/** Returns messages for the shop's staff about a document's shipping charges: which product settings to change. */
export const shippingNotes = ({ line_items, shipping }: Document): string[] => {
  const listNames = (lines: readonly SentLine[]) =>
    lines.flatMap(({ id, description }) => description || id || []).join(', ');
  const [fees, goods] = [true, false].map((isFee) => line_items.filter(({ id }) => isShippingId(id) === isFee));
  const handedOver = listNames((goods ?? []).filter(({ fulfillment }) => fulfillment && fulfillment !== 'ship'));
  const ofFees = (fees ?? []).length > 0 && [
    `The order has a shipping charge, but the shop ships none of ${handedOver}: the charge is taxed as general goods. Remove the shipping charge, or change the fulfillment of these products.`,
  ];
  const idsOfLines = line_items.flatMap(({ parent_line_item_id: id }) => (id ? [[id]] : []));
  const idsOfCharges = [shipping ?? []].flat().map(({ line_item_ids }) => line_item_ids);
  const ofCharges = [...idsOfLines, ...idsOfCharges].flatMap((ids) => {
    const named = line_items.filter(({ id }) => ids?.includes(id ?? ''));
    if (named.length === 0 || named.some(({ product_tax_code: code, fulfillment }) => isShipped({ code, fulfillment })))
      return [];
    return [
      `The order has a shipping charge, but according to their tax codes, none of ${listNames(named)} is shipped: the charge is taxed with them. Set the fulfillment "ship" for products that are shipped, and check their tax codes.`,
    ];
  });
  return [...(ofFees || []), ...ofCharges];
};
