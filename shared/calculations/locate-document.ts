import { getOrAdd } from '../base/collections.ts';
import { accept, type Result } from '../base/result.ts';
import type { PostalAddress } from '../catalog/location/address.ts';
import type { CollectionExemption, Delivery, Place } from '../tax/document.ts';
import { isReduction, shippingList } from './charges.ts';
import { deliveryCollectionExemption, type LineCollectionExemption } from './collection-exemptions.ts';
import { type Charge, deliveredLinesOfAll, readCharges } from './deliveries.ts';
import {
  chooseDestination,
  type Destination,
  hasOwnDestination,
  isEmptyAddress,
  type LocatedLine,
  type Locating,
  locateAll,
} from './locate-lines.ts';
import type { Reduction } from './reductions.ts';
import type { CalculationInput, LineItemRequest } from './request.ts';

/** The places of a document's lines, and what its shipping charges deliver where. */
export type LocatedDocument = {
  readonly lines: readonly LocatedLine[];
  readonly deliveries: {
    /** The lines that are shipping charges, by their indexes. */
    readonly ofLines: ReadonlyMap<number, readonly Delivery[]>;
    /** The charges in `shipping`, in their order. */
    readonly ofShipping: readonly (readonly Delivery[])[];
  };
  /** The places of shipping charges that have addresses of their own. */
  readonly others: readonly { readonly located: LocatedLine; readonly collectionExemption: CollectionExemption }[];
};

/** The addresses of a charge that replace the addresses of its lines, with their pointers. */
type OwnAddresses = {
  readonly to: PostalAddress | null;
  readonly from: PostalAddress | null;
  readonly pointers: LocatedLine['pointers'];
};

const addressIn = (holder: { readonly address?: PostalAddress | null | undefined } | null | undefined) =>
  holder?.address && !isEmptyAddress(holder.address) ? holder.address : null;

/** A shipping charge's own addresses: from a line item, or `ship_to` and `ship_from`. */
const ownAddresses = (input: CalculationInput, { line, pointer }: Charge, index: number): OwnAddresses => {
  if (line !== null) {
    const { customer, ship_from } = input.line_items?.[line] ?? {};
    return {
      to: addressIn(customer),
      from: addressIn(ship_from),
      pointers: { destination: `${pointer}/customer/address`, origin: `${pointer}/ship_from/address` },
    };
  }
  const charge = shippingList(input.shipping)[index];
  return {
    to: addressIn(charge?.ship_to),
    from: addressIn(charge?.ship_from),
    pointers: { destination: `${pointer}/ship_to/address`, origin: `${pointer}/ship_from/address` },
  };
};

const destinationWith = ({ to, from, pointers }: OwnAddresses, line: Destination): Destination => ({
  address: to ?? line.address,
  origin: from ?? line.origin,
  pointers: {
    destination: to ? pointers.destination : line.pointers.destination,
    origin: from ? pointers.origin : line.pointers.origin,
  },
});

type Parcel = { readonly line: number; readonly destination: Destination | null };

/** The lines that each charge delivers, with their destinations where the charge has addresses of its own. */
const readParcels = (
  input: CalculationInput,
  destinations: readonly Destination[],
): Result<readonly { readonly charge: Charge; readonly parcels: readonly Parcel[] }[]> => {
  const read = readCharges(input);
  const delivered = deliveredLinesOfAll(read);
  if (!delivered.ok) return delivered;
  let position = 0;
  return accept(
    read.charges.map((charge, index) => {
      const own = ownAddresses(input, charge, charge.line === null ? position++ : 0);
      const isElsewhere = own.to !== null || own.from !== null;
      const elsewhere = new Map<Destination, Destination>();
      const destinationFor = (line: Destination) => getOrAdd(elsewhere, line, () => destinationWith(own, line));
      const parcels = (delivered.value[index] as readonly number[]).map((line) => ({
        line,
        destination: isElsewhere ? destinationFor(destinations[line] as Destination) : null,
      }));
      return { charge, parcels };
    }),
  );
};

/**
 * The index of the line item that decides the place of a negative price: the first one that it reduces. If it reduces only
 * `shipping`, the first line item without a negative price. Its own addresses are ignored.
 */
const reducedLine = ({ parts }: Reduction, lines: readonly LineItemRequest[]): number => {
  const [first = 0] = parts.keys();
  return first < lines.length ? first : lines.findIndex(({ unit_price }) => !isReduction(unit_price));
};

/**
 * Find the place of every line, and of every line that a shipping charge delivers to an address of its own.
 *
 * Refusals: addresses that cannot be read; see also `deliveredLinesOfAll`.
 */
export const locateDocument = (
  input: CalculationInput,
  reductions: readonly Reduction[],
  context: Locating,
  day: string,
  collectionExemptionOf: (line: number, place: Place) => LineCollectionExemption,
): Result<LocatedDocument> => {
  const lines = input.line_items ?? [];
  // Most lines have no addresses of their own, and share one destination.
  let shared: Destination | null = null;
  const own = lines.map((line, index) => {
    if (hasOwnDestination(line)) return chooseDestination(input, line, index, context.settings);
    shared ??= chooseDestination(input, line, index, context.settings);
    return shared;
  });
  const destinations = [...own];
  for (const reduction of reductions)
    destinations[reduction.line] = own[reducedLine(reduction, lines)] ?? (own[reduction.line] as Destination);
  const read = readParcels(input, destinations);
  if (!read.ok) return read;
  const parcels = read.value.flatMap((charge) => charge.parcels.flatMap(({ destination }) => destination ?? []));
  const located = locateAll([...destinations, ...parcels], context, day);
  if (!located.ok) return located;
  const elsewhere = located.value.slice(lines.length);
  const others: LocatedDocument['others'][number][] = [];
  const ofLines = new Map<number, readonly Delivery[]>();
  const ofShipping: (readonly Delivery[])[] = [];
  for (const { charge, parcels } of read.value) {
    const deliveries = parcels.map(({ line, destination }): Delivery => {
      const found = (destination ? elsewhere[others.length] : located.value[line]) as LocatedLine;
      const collectionExemption = deliveryCollectionExemption(collectionExemptionOf(line, found.place));
      if (destination) others.push({ located: found, collectionExemption });
      return { line, place: found.place, collectionExemption };
    });
    if (charge.line === null) ofShipping.push(deliveries);
    else ofLines.set(charge.line, deliveries);
  }
  return accept({ lines: located.value.slice(0, lines.length), deliveries: { ofLines, ofShipping }, others });
};
