import type { Schemas } from '../../shared/client/client.ts';
import type { Address, Cart, Line } from './order.ts';
import { getParent, isReduction, shippingOfLines } from './shipping.ts';

export type Document = Schemas['CalculationRequest'] & { line_items: Schemas['LineItemRequest'][] };

/**
 * The reason why a cart has no tax from Levy. `no_lines` and `no_address` are resolved when the shopper continues. An
 * `incomplete_address` lacks the fields that determine the tax, so the shop treats it like a refusal.
 */
export type Gap = {
  readonly code: 'no_lines' | 'no_address' | 'incomplete_address' | 'foreign_country';
  readonly detail: string;
};
export type Documented = { readonly ok: true; readonly document: Document } | { readonly ok: false; readonly gap: Gap };

/** Returns whether an order is delivered outside of the United States, so the shop calculates its tax. */
export const isForeign = (cart: Cart): boolean => {
  const documented = toDocument(cart);
  return !documented.ok && documented.gap.code === 'foreign_country';
};

const gap = (code: Gap['code'], detail: string): Documented => ({ ok: false, gap: { code, detail } });

const getCountry = (address: Address | null | undefined): string => address?.country?.trim().toUpperCase() ?? '';

/**
 * Returns whether Levy calculates the tax of a country: the United States, and Puerto Rico, which shops list as a country.
 * The other territories have no sales tax in Levy.
 */
export const isTaxedCountry = (country: string | null | undefined): boolean =>
  ['US', 'PR'].includes(country?.trim().toUpperCase() ?? '');

/** Converts `us-hi` and `US-HI` to `HI`. Levy itself accepts names and codes. */
const getState = (province: string): string => province.replace(/^us-/i, '').toUpperCase();

const toAddress = (address: Address): Schemas['PostalAddress'] => {
  const [line1, city, province, postalCode] = [address.line1, address.city, address.province, address.postalCode].map(
    (text) => text?.trim() || null,
  );
  const country = getCountry(address) || 'US';
  // Shops list municipalities as the provinces of Puerto Rico.
  const state = country === 'PR' && province ? country : province && getState(province);
  return {
    country,
    ...(line1 && { line1 }),
    ...(city && { city }),
    ...(state && { state }),
    ...(postalCode && { postal_code: postalCode }),
  };
};

const toLine = (line: Line, parent: Line | undefined): Schemas['LineItemRequest'] => ({
  id: line.id,
  quantity: String(line.quantity),
  unit_price: line.unitPrice,
  ...(!isReduction(line) && { discount_amount: line.discount }),
  ...(line.taxCode && { product_tax_code: line.taxCode }),
  ...(line.description && { description: line.description.slice(0, 1000) }),
  ...(line.fulfillment && { fulfillment: line.fulfillment }),
  ...(line.shipFrom && { ship_from: { address: toAddress(line.shipFrom) } }),
  ...(parent && { parent_line_item_id: parent.id }),
});

/**
 * Returns the buyer's address; if it is not in the United States, the address of the store at which all lines are
 * picked up.
 */
const getDestination = ({ address, lines }: Cart): Address | null => {
  if (isTaxedCountry(address?.country) && (address?.province || address?.postalCode)) return address;
  const goods = lines.filter((line) => !isReduction(line));
  const stores = goods.map(({ fulfillment, shipFrom }) => (fulfillment === 'pickup' ? (shipFrom ?? null) : null));
  return stores.every((store) => store !== null) ? (stores[0] ?? address) : address;
};

/**
 * Builds the document that calculates a cart. Returns a gap for a cart without lines, without a postal code and a
 * state, or with an address outside of the United States, which the shop taxes itself.
 */
export const toDocument = (cart: Cart): Documented => {
  const { currency, customerId, lines, shipping } = cart;
  if (lines.length === 0) return gap('no_lines', 'The cart is empty.');
  const address = getDestination(cart);
  const country = getCountry(address);
  if (!address || !country) return gap('no_address', 'Send a shipping address with its country.');
  if (!isTaxedCountry(country))
    return gap('foreign_country', `Levy calculates US sales tax, not the tax of ${country}.`);
  const sent = toAddress(address);
  if (!sent.postal_code && !sent.state) {
    // In a region with one country, each cart has that country from the start.
    const isEntered = Boolean(sent.line1 || sent.city);
    return gap(isEntered ? 'incomplete_address' : 'no_address', 'The address has neither a state nor a postal code.');
  }
  const { fees, shipping: charges } = shippingOfLines(lines, shipping);
  return {
    ok: true,
    document: {
      currency,
      customer: { ...(customerId && { id: customerId }), address: sent },
      line_items: [...lines, ...fees].map((line) => toLine(line, getParent(line, lines))),
      ...(charges && { shipping: charges }),
    },
  };
};
