import type { Settings } from '../accounts/account.ts';
import { readAddress, type TaxAddress } from '../content/address.ts';
import { inForce } from '../content/effective.ts';
import { type Located, locate, type ReleaseFor, type Resolution } from '../content/place.ts';
import type { PostalAddress } from '../content/postal-address.ts';
import { exponentOf } from '../money/currency.ts';
import { decimal, multiply, rescale } from '../money/decimal.ts';
import type { Problem } from '../problem.ts';
import { accept, type Result, refuse } from '../result.ts';
import type { Place, TaxDocument, TaxLine } from '../tax/document.ts';
import { type ProductTaxCode, parseProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Customer, ShipFrom } from './fields.ts';
import { reliefOf } from './relief.ts';
import type { CalculationInput, LineItemRequest } from './request.ts';

/** What a calculation rests on beside the request. */
export type Context = {
  readonly settings: Settings;
  readonly releaseFor: ReleaseFor;
  /** The service's time in milliseconds. */
  readonly now: number;
};

export type LocatedLine = {
  readonly resolution: Resolution;
  readonly place: Place;
  readonly address: TaxAddress;
  /** Where the address stands in the request. */
  readonly pointer: string;
};

export type ReadDocument = {
  readonly document: TaxDocument;
  readonly located: readonly LocatedLine[];
  /** ISO instant or date: as sent, or now. */
  readonly taxDate: string;
};

const generalGoods = 'GENERAL';
const delivery = 'SHIPPING.DELIVERY';

const productOf = (text: string): ProductTaxCode => {
  const parsed = parseProductTaxCode(text);
  if (!parsed.ok) throw new Error('The schema has let through a product tax code that is none.');
  return parsed.value;
};

/**
 * Turn a valid request into the tax core's document: amounts in minor units, addresses as places.
 *
 * Refused, all together: addresses that cannot be resolved, and places that the account's policies reject.
 */
export const readDocument = (input: CalculationInput, context: Context): Result<ReadDocument> => {
  const taxDate = input.tax_date ?? new Date(context.now).toISOString();
  const day = taxDate.slice(0, 10);
  const exponent = exponentOf(input.currency ?? 'USD');
  const minor = (text: string | null | undefined) => (text ? rescale(decimal(text), exponent) : 0n);
  const located = locateLines(input, context, day);
  if (!located.ok) return located;
  const lines = (input.line_items ?? []).map((line, index): TaxLine => {
    const { place } = located.value[index] as LocatedLine;
    const quantity = decimal(line.quantity);
    return {
      product: productOf(line.product_tax_code ?? generalGoods),
      quantity,
      amount: multiply(quantity, decimal(line.unit_price ?? '0'), exponent),
      discount: minor(line.discount_amount),
      thirdPartyDiscount: minor(line.third_party_discount_amount),
      place,
      use: line.customer?.use ?? input.customer?.use ?? null,
      relief: reliefOf(input, line.customer ?? null, place.code, day, context.settings),
    };
  });
  const shipping = input.shipping
    ? { amount: minor(input.shipping.amount), product: productOf(input.shipping.product_tax_code ?? delivery) }
    : null;
  return accept({
    taxDate,
    located: located.value,
    document: {
      day,
      exponent,
      rounding: context.settings.rounding,
      taxIncluded: input.tax_included ?? false,
      discount: minor(input.discount_amount),
      thirdPartyDiscount: minor(input.third_party_discount_amount),
      lines,
      shipping,
    },
  });
};

const addressOf = (holder: Customer | ShipFrom | null | undefined): PostalAddress | null => holder?.address ?? null;
const isEmpty = (address: PostalAddress) => Object.values(address).every((value) => !value);

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
const locateLines = (input: CalculationInput, context: Context, day: string): Result<LocatedLine[]> => {
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

// Every line that relies on the document's address meets the same problem; it is told once.
const distinct = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem.source), problem])).values(),
];

const locateSale = (
  { address, pointer, origin, originPointer }: Sale,
  { settings, releaseFor }: Context,
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
  const located: LocatedLine = {
    resolution: decisive.resolution,
    place: { ...decisive.place, sourcing: isOrigin ? 'origin' : 'destination' },
    address: isOrigin ? from.value : to.value,
    pointer,
  };
  const problem = policyProblem(located, settings);
  return problem ? refuse(problem) : accept(located);
};

const sourcingOf = ({ place: { release } }: Located, day: string) =>
  release ? inForce(release.settings.sourcing, day, '')[0]?.policy : undefined;

const policyProblem = ({ resolution, place, pointer }: LocatedLine, settings: Settings): Problem | null => {
  if (settings.incomplete_coverage === 'reject' && resolution.coverage !== 'complete')
    return {
      code: 'validation_not_covered',
      title: 'Address not covered',
      detail: `${place.name}: the content ${resolution.coverage === 'none' ? 'does not cover it' : 'lacks local rates'}, and the account's incomplete_coverage policy is reject.`,
      source: { pointer },
    };
  if (settings.ambiguous_address === 'reject' && resolution.ambiguous)
    return {
      code: 'validation_address_unresolvable',
      title: 'Address is ambiguous',
      detail:
        "Its postal code spans jurisdictions, and the account's ambiguous_address policy is reject. Send the state and a ZIP+4.",
      source: { pointer },
    };
  return null;
};
