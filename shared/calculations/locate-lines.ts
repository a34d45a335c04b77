import type { Settings } from '../accounts/account.ts';
import { readAddress, type TaxAddress } from '../content/address.ts';
import { inForce } from '../content/effective.ts';
import { type Located, locate, type ReleaseFor, type Resolution } from '../content/place.ts';
import type { PostalAddress } from '../content/postal-address.ts';
import type { Problem } from '../problem.ts';
import { accept, type Result, refuse } from '../result.ts';
import type { Place } from '../tax/document.ts';
import type { Customer, ShipFrom } from './fields.ts';
import type { CalculationInput, LineItemRequest } from './request.ts';

/** Where a line is taxed, and how well that is known. */
export type LocatedLine = {
  readonly resolution: Resolution;
  readonly place: Place;
  readonly address: TaxAddress;
  /** Where the address stands in the request. */
  readonly pointer: string;
};

const addressOf = (holder: Customer | ShipFrom | null | undefined): PostalAddress | null => holder?.address ?? null;
const isEmpty = (address: PostalAddress) => Object.values(address).every((value) => !value);

/** What locating rests on beside the addresses. */
type Locating = { readonly settings: Settings; readonly releaseFor: ReleaseFor };

type Sale = {
  readonly address: PostalAddress;
  readonly pointer: string;
  readonly origin: PostalAddress | null;
  readonly originPointer: string;
};

const saleOf = (
  input: CalculationInput,
  { customer, ship_from }: LineItemRequest,
  index: number,
  settings: Settings,
): Sale => {
  const own = addressOf(customer);
  const ownOrigin = addressOf(ship_from);
  const origin = ownOrigin ?? addressOf(input.ship_from);
  return {
    address: own ?? addressOf(input.customer) ?? {},
    pointer: own ? `/line_items/${index}/customer/address` : '/customer/address',
    origin: origin && !isEmpty(origin) ? origin : settings.ship_from,
    originPointer: ownOrigin ? `/line_items/${index}/ship_from/address` : '/ship_from/address',
  };
};

// Stands for the document's own addresses, which most lines share: no JSON text is empty.
const sharedKey = '';

/** Find the place of every line. Lines with the same addresses get the same place, and so share the core's treatments. */
export const locateLines = (input: CalculationInput, context: Locating, day: string): Result<LocatedLine[]> => {
  const known = new Map<string, LocatedLine>();
  const located: LocatedLine[] = [];
  const problems: Problem[] = [];
  for (const [index, line] of (input.line_items ?? []).entries()) {
    const isShared = !line.customer?.address && !line.ship_from?.address;
    const shared = isShared ? known.get(sharedKey) : undefined;
    if (shared) {
      located.push(shared);
      continue;
    }
    const sale = saleOf(input, line, index, context.settings);
    const key = isShared ? sharedKey : JSON.stringify([sale.address, sale.origin]);
    const same = known.get(key);
    if (same) {
      located.push({ ...same, pointer: sale.pointer });
      continue;
    }
    const found = locateSale(sale, context, day);
    if (!found.ok) problems.push(...found.problems);
    else if (located.push(found.value) > 0) known.set(key, found.value);
  }
  const [first, ...others] = distinct(problems);
  return first ? refuse(first, ...others) : accept(located);
};

/** Each problem once: every line that relies on the document's address meets the same one. */
export const distinct = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem.source), problem])).values(),
];

const locateSale = (
  { address, pointer, origin, originPointer }: Sale,
  { settings, releaseFor }: Locating,
  day: string,
): Result<LocatedLine> => {
  const to = readAddress(address, pointer);
  if (!to.ok) return to;
  const from = origin ? readAddress(origin, originPointer) : null;
  if (from?.ok === false) return from;
  const find = (taxAddress: TaxAddress) =>
    locate(taxAddress, releaseFor, day, settings.ambiguous_address === 'highest_rate');
  const destination = find(to.value);
  // Only a sale within a state can be sourced at its origin; a remote one is always at its destination.
  const isOrigin =
    from !== null &&
    from.value.state === to.value.state &&
    sourcingOf(destination, day) === 'origin' &&
    from.value.state !== null;
  const decisive = isOrigin ? find(from.value) : destination;
  return accept({
    resolution: decisive.resolution,
    place: { ...decisive.place, sourcing: isOrigin ? 'origin' : 'destination' },
    address: isOrigin ? from.value : to.value,
    pointer,
  });
};

const sourcingOf = ({ place: { release } }: Located, day: string) =>
  release ? inForce(release.settings.sourcing, day, '')[0]?.policy : undefined;
