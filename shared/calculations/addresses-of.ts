import type { Settings } from '../accounts/account.ts';
import { addressesByState, readAddress, type TaxAddress } from '../content/location/address.ts';
import type { PostalAddress } from '../content/location/postal-address.ts';
import type { CalculationInput, LineItemRequest, ShippingRequest } from './request.ts';
import { shippingList } from './shipping-list.ts';

type Addresses = Pick<ShippingRequest, 'ship_to' | 'ship_from'>;
type Addressed = Pick<CalculationInput, 'customer' | 'ship_from'> & {
  readonly line_items?: readonly Pick<LineItemRequest, 'customer' | 'ship_from'>[] | null | undefined;
  readonly shipping?: Addresses | Addresses[] | null | undefined;
};

/**
 * The addresses that a calculation needs content for: destinations and origins, each once. An address without a state whose
 * ZIP is in several states is listed for each of them.
 *
 * Addresses that cannot be read are omitted: they are rejected when they are located.
 */
export const listAddresses = (input: Addressed, settings: Pick<Settings, 'ship_from'>): readonly TaxAddress[] => {
  const seen = new Set<PostalAddress>();
  const found = new Map<string, readonly TaxAddress[]>();
  const add = (address: PostalAddress | null | undefined) => {
    if (!address || seen.has(address)) return;
    seen.add(address);
    // Most lines of a long document share their addresses, as objects or by the fields that decide.
    const key = JSON.stringify([address.country, address.state, address.postal_code, address.city, address.county]);
    if (found.has(key)) return;
    const read = readAddress(address, '');
    if (read.ok) found.set(key, addressesByState(read.value));
  };
  for (const { customer, ship_from } of input.line_items ?? []) {
    add(customer?.address ?? input.customer?.address);
    add(ship_from?.address ?? input.ship_from?.address);
  }
  for (const { ship_to, ship_from } of shippingList(input.shipping)) {
    add(ship_to?.address);
    add(ship_from?.address);
  }
  if (input.line_items?.length) add(settings.ship_from);
  return [...found.values()].flat();
};
