import type { Address, Fulfillment, Line } from '../core/order.ts';

type Metadata = Readonly<Record<string, unknown>> | null;
type Profile = { readonly id: string } | null;

/** The fields of an item that determine its fulfillment. */
export type FulfilledItem = {
  readonly requires_shipping?: boolean | null;
  readonly is_giftcard?: boolean | null;
  readonly variant?: {
    readonly metadata?: Metadata;
    readonly product?: { readonly shipping_profile?: Profile } | null;
  } | null;
  readonly product?: { readonly metadata?: Metadata } | null;
};

/** A Medusa address of a buyer or a stock location. */
export type MedusaAddress = {
  readonly address_1?: string | null;
  readonly city?: string | null;
  readonly province?: string | null;
  readonly postal_code?: string | null;
  readonly country_code?: string | null;
};
/** The fields of a shipping method that determine whether it is a pickup, and its location. */
export type FulfillingMethod = {
  readonly id: string;
  readonly shipping_option?: {
    readonly shipping_profile_id?: string | null;
    readonly service_zone?: {
      readonly fulfillment_set?: {
        readonly type?: string;
        readonly location?: { readonly address?: MedusaAddress | null } | null;
      } | null;
    } | null;
  } | null;
};

const option = 'shipping_methods.shipping_option';
const set = `${option}.service_zone.fulfillment_set`;

/** The fields that `getDelivery` reads, for `query.graph`. */
export const fulfillmentFields = [
  ...['items.requires_shipping', 'items.variant.product.shipping_profile.id'],
  ...[`${option}.shipping_profile_id`, `${set}.type`, `${set}.location.address.*`],
];

export const toAddress = (address: MedusaAddress): Address => ({
  line1: address.address_1,
  city: address.city,
  province: address.province,
  postalCode: address.postal_code,
  country: address.country_code,
});

/**
 * Returns a metadata value of an item's variant or product. The item's metadata is not used, because shoppers can write
 * it.
 */
export const getMetadata = ({ variant, product }: FulfilledItem, name: string): string | null => {
  const values = [variant?.metadata, product?.metadata].map((all) => all?.[name]);
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? null;
};

/**
 * Returns the method that ships an item, by its shipping profile. The first matching method of an order is the method
 * at placement.
 */
export const getMethod = (
  { variant }: FulfilledItem,
  methods: readonly FulfillingMethod[],
): FulfillingMethod | undefined => {
  const profile = variant?.product?.shipping_profile?.id;
  return (
    methods.find((one) => one.shipping_option?.shipping_profile_id === profile) ??
    (methods.length === 1 ? methods[0] : undefined)
  );
};

const getSet = (method: FulfillingMethod | undefined) => method?.shipping_option?.service_zone?.fulfillment_set;
const isPickup = (method: FulfillingMethod | undefined): boolean => getSet(method)?.type === 'pickup';

/**
 * Creates the function that returns the fulfillment of an item: from the product's metadata, not shipped if Medusa
 * requires no shipping, and picked up at a location if its shipping method belongs to a pickup location.
 */
export const getDelivery = (methods: readonly FulfillingMethod[]) => {
  const sorted = methods.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return (item: FulfilledItem): Pick<Line, 'fulfillment' | 'shipFrom'> => {
    const own = getMethod(item, sorted);
    const used = item.requires_shipping === false ? 'none' : isPickup(own) ? 'pickup' : null;
    // Levy refuses other values, and the log then identifies the item.
    const fulfillment = (getMetadata(item, 'levy_fulfillment') ?? used) as Fulfillment | null;
    if (fulfillment !== 'pickup') return { fulfillment };
    const address = getSet(isPickup(own) ? own : sorted.find(isPickup))?.location?.address;
    return { fulfillment, shipFrom: address ? toAddress(address) : null };
  };
};
