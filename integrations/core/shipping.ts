/** Handles shipping charges for lines that Levy does not treat as shipped. */
import type { Schemas } from '../../shared/client/client.ts';
import type { Line } from './order.ts';

type Document = Pick<Schemas['CalculationRequest'], 'shipping'> & {
  readonly line_items: Schemas['LineItemRequest'][];
};

/** The id of the line that represents the shipping charge of an order without shipped lines. */
export const shippingLineId = 'shipping';

const isHandedOver = ({ fulfillment }: Line): boolean => Boolean(fulfillment) && fulfillment !== 'ship';

/**
 * Returns a line for a positive shipping charge of an order that the shop does not ship, such as a pickup fee, because
 * Levy refuses shipping without shipped lines. Like a surcharge, it is taxed as general goods, at the store at which
 * lines are picked up. Returns `null` if the shop may ship a line.
 */
export const shippingLine = (lines: readonly Line[], amount: string): Line | null => {
  const [first] = lines;
  if (!first || !/[1-9]/.test(amount) || !lines.every(isHandedOver)) return null;
  const { fulfillment, shipFrom } = lines.find((line) => line.fulfillment === 'pickup') ?? first;
  const charge = { quantity: 1, unitPrice: amount, discount: '0', taxCode: 'GENERAL', description: 'Shipping' };
  return { id: shippingLineId, ...charge, fulfillment, shipFrom };
};

type Taxed = Pick<Schemas['Calculation'], 'line_items' | 'shipping'>;

/** Returns the shipping charge of a calculation or a sale. Plugins send one charge, as `shipping` or as a line. */
export const shippingOf = ({ shipping, line_items }: Taxed) =>
  [shipping ?? []].flat()[0] ?? line_items.find(({ id }) => id === shippingLineId);

/**
 * Returns the document with explicit fulfillment for the lines that the shop ships: all lines without another
 * `fulfillment`. Used if Levy refuses a document because none of its products is shipped. Returns `null` if there are
 * no such lines.
 */
export const withDeliveredLines = <Sent extends Document>(document: Sent): Sent | null => {
  const { shipping, line_items } = document;
  const ids = line_items
    .filter(({ fulfillment }) => !fulfillment || fulfillment === 'ship')
    .flatMap(({ id }) => id ?? []);
  if (!shipping || Array.isArray(shipping) || shipping.line_item_ids || ids.length === 0) return null;
  return { ...document, shipping: { ...shipping, line_item_ids: ids } };
};

/** Returns messages for the shop's staff about a document's shipping charge: which product settings to change. */
export const shippingNotes = ({ line_items, shipping }: Document): string[] => {
  const namesOf = (lines: Document['line_items']) =>
    lines.flatMap(({ id, description }) => description || id || []).join(', ');
  const goods = line_items.filter(({ id }) => id !== shippingLineId);
  if (goods.length < line_items.length)
    return [
      `The order has a shipping charge, but the shop ships none of ${namesOf(goods)}: the charge is taxed as general goods. Charge no shipping for them, or change their fulfillment.`,
    ];
  const ids = Array.isArray(shipping) ? null : shipping?.line_item_ids;
  if (!ids) return [];
  const named = namesOf(goods.filter(({ id }) => ids.includes(id ?? '')));
  return [
    `The order has a shipping charge, but by their tax codes none of ${named} is shipped: the charge is taxed with them. Set the fulfillment "ship" for products that are shipped, and check their tax codes.`,
  ];
};
