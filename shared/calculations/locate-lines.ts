import type { Settings } from '../accounts/account.ts';
import { getOrAdd } from '../base/collections.ts';
import { accept, type Problem, type Result, refuse, requiredField } from '../base/result.ts';
import type { ReleaseFor } from '../catalog/content.ts';
import { settingOn } from '../catalog/effective.ts';
import { addressesByState, type PostalAddress, readAddress, type TaxAddress } from '../catalog/location/address.ts';
import { withRelevantStreet } from '../catalog/location/location-choice.ts';
import type { Resolution } from '../catalog/location/place.ts';
import type { SourcedAt } from '../tax/assessment.ts';
import type { Place } from '../tax/document.ts';
import { generalGoods, shippingList } from './charges.ts';
import type { Customer, ShipFrom } from './fields.ts';
import { asRemoteSale, type RemoteSale } from './remote-sales.ts';
import type { CalculationInput, LineItemRequest, ShippingRequest } from './request.ts';
import { type Route, resolveAddresses, type Sourced, sourceSale, sourcingFor, type TaxingAddress } from './sourcing.ts';

/** Where a line is taxed, and how precisely that is known. */
export type LocatedLine = {
  readonly resolution: Resolution;
  readonly place: Place;
  /** The deciding addresses. Lines with equal addresses share them. */
  readonly decisive: readonly TaxingAddress[];
  /** The state's sourcing setting for the product; `uncertain` if it determined the place and is not certain. */
  readonly setting: Sourced['setting'];
  readonly uncertain: Sourced['uncertain'];
  /** How the tax of a sale from another state differs; `null` if it does not. */
  readonly remote: RemoteSale | null;
  /** The pointers of the addresses in the request. */
  readonly pointers: Readonly<Record<SourcedAt, string>>;
  /** The pointer of the first deciding address. */
  readonly pointer: string;
};

/** Whether every field of an address is empty. */
export const isEmptyAddress = (address: object): boolean => Object.values(address).every((value) => !value);

/** Returns the address of a buyer, an origin or a destination. An empty address counts as absent. */
export const addressIn = (holder: Customer | ShipFrom | null | undefined): PostalAddress | null =>
  holder?.address && !isEmptyAddress(holder.address) ? holder.address : null;

type Shipped = { readonly ship_from?: ShipFrom | null | undefined };

/** Returns the address that a line or shipping charge is shipped from: its own, the document's or the account's address. */
export const chooseOrigin = (
  own: Shipped,
  document: Shipped,
  settings: Pick<Settings, 'ship_from'>,
): PostalAddress | null => addressIn(own.ship_from) ?? addressIn(document.ship_from) ?? settings.ship_from;

/** The inputs of locating other than the addresses. */
export type Locating = { readonly settings: Settings; readonly releaseFor: ReleaseFor };

/** The destination and origin of a line or its shipping. */
export type Destination = {
  readonly address: PostalAddress;
  readonly origin: PostalAddress | null;
  /** The product tax code of the line. It can determine whether a known origin taxes the sale; otherwise `null`. */
  readonly product: string | null;
  /** The buyer's address, if the buyer picks the line up. */
  readonly residence?: { readonly address: PostalAddress; readonly pointer: string };
  readonly pointers: LocatedLine['pointers'];
};

/** Whether a line has its own destination or origin. */
export const hasOwnDestination = ({ customer, ship_from, fulfillment }: LineItemRequest): boolean =>
  addressIn(customer) !== null || addressIn(ship_from) !== null || fulfillment === 'pickup';

/**
 * Returns the destination of a line. A picked-up line is delivered where the seller hands it over: at its origin,
 * regardless of the buyer's address (SSUTA section 310 A 1; see also `atResidence`). It is rejected without an origin.
 */
export const chooseDestination = (
  input: CalculationInput,
  { customer, ship_from, fulfillment, product_tax_code }: LineItemRequest,
  index: number,
  settings: Settings,
): Destination => {
  const own = addressIn(customer);
  const ownOrigin = addressIn(ship_from);
  const origin = chooseOrigin({ ship_from }, input, settings);
  const pointers = {
    destination: own ? `/line_items/${index}/customer/address` : '/customer/address',
    origin: ownOrigin ? `/line_items/${index}/ship_from/address` : '/ship_from/address',
  };
  const product = origin && (product_tax_code ?? generalGoods);
  const buyer = own ?? addressIn(input.customer);
  if (fulfillment !== 'pickup') return { address: buyer ?? {}, origin, product, pointers };
  const residence = buyer && { address: buyer, pointer: pointers.destination };
  return {
    address: origin ?? {},
    origin,
    product,
    pointers: { ...pointers, destination: pointers.origin },
    ...(residence && { residence }),
  };
};

const pickupWithoutOrigin = (pointer: string): Problem =>
  requiredField(
    pointer,
    'A line item with the fulfillment pickup is taxed where the buyer picks it up. Send that address as ship_from of the line item or of the document.',
  );

type Found = Pick<LocatedLine, 'place' | 'decisive' | 'setting' | 'uncertain' | 'remote' | 'resolution'>;

const toLocatedLine = (found: Found, { pointers }: Pick<LocatedLine, 'pointers'>): LocatedLine => ({
  ...found,
  pointers,
  pointer: pointers[found.decisive[0]?.at ?? 'destination'],
});

/**
 * Returns the buyer's address as the destination of a picked-up line if its state taxes the product there, such as a
 * vehicle. A buyer from another state is taxed where the line is picked up.
 */
const atResidence = (picked: Destination, { releaseFor }: Locating, day: string): Destination => {
  const { residence, origin, product, pointers } = picked;
  if (!residence || !origin) return picked;
  const to = readAddress(residence.address, residence.pointer);
  const from = readAddress(origin, pointers.origin);
  if (!to.ok || !from.ok || to.value.state !== from.value.state) return picked;
  const setting = settingOn(sourcingFor(releaseFor(to.value), product).settings, day);
  if (setting?.policy !== 'residence') return picked;
  return { address: residence.address, origin, product, pointers: { ...pointers, destination: residence.pointer } };
};

/** Finds the place of every destination. Routes with equal addresses share a place, so their lines share treatments. */
export const locateAll = (
  destinations: readonly Destination[],
  context: Locating,
  day: string,
): Result<LocatedLine[]> => {
  const unique = new Set(destinations);
  const find = addressFinder(context, day, unique.size);
  const located = new Map<Destination, LocatedLine>();
  const problems: Problem[] = [];
  for (const destination of unique) {
    const taxed = atResidence(destination, context, day);
    const route = buildRoute(taxed);
    if (route.ok) located.set(destination, toLocatedLine(find(route.value, taxed.product), taxed));
    else problems.push(...route.problems);
  }
  const [first, ...others] = distinct(problems);
  return first
    ? refuse(first, ...others)
    : accept(destinations.map((destination) => located.get(destination) as LocatedLine));
};

/** Removes duplicates: lines that share the document's address have the same problem. */
export const distinct = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem.source), problem])).values(),
];

const buildRoute = ({ address, origin, pointers }: Destination): Result<Route> => {
  if (pointers.destination === pointers.origin && isEmptyAddress(address))
    return refuse(pickupWithoutOrigin(pointers.origin));
  const to = readAddress(address, pointers.destination);
  if (!to.ok) return to;
  if (!origin) return accept({ to: to.value, from: null });
  const from = readAddress(origin, pointers.origin);
  return from.ok ? accept({ to: to.value, from: from.value }) : from;
};

/** Finds where a route is taxed. `from` replaces an unknown origin only to detect a sale from another state. */
const findRoute = (
  route: Route,
  { settings, releaseFor }: Locating,
  day: string,
  product: string | null,
  from = route.from,
): Found => {
  const highest = settings.ambiguous_address === 'highest_rate';
  const elections = settings.remote_seller_elections;
  const sourced = asRemoteSale(
    sourceSale(route, { releaseFor, day, highest, product }),
    { to: route.to, from },
    { elections, day },
  );
  return { ...sourced, resolution: resolveAddresses(sourced.decisive) };
};

/**
 * Returns a function that finds each route once, and separately for a product that its state sources differently.
 * Addresses in one ZIP that differ only in the street share a route if the content has no streets there. A single
 * destination needs no key.
 */
const addressFinder = (context: Locating, day: string, destinations: number) => {
  const known = new Map<string, Found>();
  const { releaseFor } = context;
  return ({ to, from }: Route, product: string | null): Found => {
    const route = { to: withRelevantStreet(to, releaseFor), from: from && withRelevantStreet(from, releaseFor) };
    const isApart = () => addressesByState(to).some((one) => sourcingFor(releaseFor(one), product).isLimited);
    const key = destinations === 1 ? '' : JSON.stringify([route, isApart() ? product : null]);
    return getOrAdd(known, key, () => findRoute(route, context, day, product));
  };
};

/**
 * Finds where a sale from another state to an address is taxed. The pointers are empty, because the address is the
 * whole request. As in calculations, local taxes that are not owed on such a sale are omitted if the account ships from
 * another state.
 */
export const locateAddress = (to: TaxAddress, context: Locating, day: string): LocatedLine => {
  const { ship_from } = context.settings;
  const from = ship_from && readAddress(ship_from, '');
  const route = { to: withRelevantStreet(to, context.releaseFor), from: null };
  return toLocatedLine(findRoute(route, context, day, null, from?.ok ? from.value : null), {
    pointers: { destination: '', origin: '' },
  });
};

/** Returns the releases that tax the places, by the states' jurisdiction codes. Transactions pin them. */
export const contentReleases = (located: readonly { readonly place: Place }[]): Record<string, string> => {
  const releases: Record<string, string> = {};
  for (const { release } of new Set(located.map(({ place }) => place)))
    if (release) releases[release.state] = release.pinnedBy ?? release.id;
  return releases;
};

type Addresses = Pick<ShippingRequest, 'ship_to' | 'ship_from'>;
type Addressed = Pick<CalculationInput, 'customer' | 'ship_from'> & {
  readonly line_items?: readonly Pick<LineItemRequest, 'customer' | 'ship_from'>[] | null | undefined;
  readonly shipping?: Addresses | Addresses[] | null | undefined;
};

/**
 * Returns the unique addresses that a calculation needs content for: destinations and origins. An address without a
 * state whose ZIP is in several states is listed for each of them.
 *
 * Addresses that cannot be resolved are omitted: they are rejected later.
 */
export const listAddresses = (input: Addressed, settings: Pick<Settings, 'ship_from'>): readonly TaxAddress[] => {
  const seen = new Set<PostalAddress>();
  const found = new Map<string, readonly TaxAddress[]>();
  const add = (address: PostalAddress | null | undefined) => {
    if (!address || seen.has(address)) return;
    seen.add(address);
    // Most lines of a long document share their addresses, as objects or by the deciding fields.
    const key = JSON.stringify([address.country, address.state, address.postal_code, address.city, address.county]);
    if (found.has(key)) return;
    const read = readAddress(address, '');
    if (read.ok) found.set(key, addressesByState(read.value));
  };
  for (const { customer, ship_from } of input.line_items ?? []) {
    add(addressIn(customer) ?? input.customer?.address);
    add(addressIn(ship_from) ?? input.ship_from?.address);
  }
  for (const { ship_to, ship_from } of shippingList(input.shipping)) {
    add(ship_to?.address);
    add(ship_from?.address);
  }
  if (input.line_items?.length) add(settings.ship_from);
  return [...found.values()].flat();
};
