import type { Settings } from '../accounts/account.ts';
import { accept, type Problem, type Result, refuse } from '../base/result.ts';
import type { ByPlace } from '../catalog/location/local-choice.ts';
import { rateOn } from '../catalog/rates.ts';
import type { Release } from '../catalog/release.ts';
import { rateDecimals } from '../catalog/release-values.ts';
import { listElections } from '../catalog/remote-sales.ts';
import { sum } from '../money/allocate.ts';
import { formatAmount } from '../money/currency.ts';
import { decimalText, powerOfTen } from '../money/decimal.ts';
import { generalRates } from '../tax/assessment.ts';
import { calculateTax } from '../tax/calculate.ts';
import type { Place, TaxDocument, TaxedCharge, TaxedDocument, TaxLine, TaxRow } from '../tax/document.ts';
import { hasGeneralExcise, visibleDecimals, visibleRate } from '../tax/general-excise.ts';
import { isTaxedAlike } from '../tax/rule-choice.ts';
import { adviseAddress, ambiguityRejected, ambiguousAddress, appliedAreaText, areasMax } from './ambiguity.ts';
import type { ReadDocument } from './document.ts';
import { listedUpTo } from './explain/step.ts';
import type { LocatedLine } from './locate-lines.ts';
import type { RemoteSale } from './remote-sales.ts';
import type { Warning } from './response.ts';
import { placeAt, type TaxingAddress } from './sourcing.ts';

const electionText = (release: Release): string =>
  listElections(release)
    .map((election) => ` If you elected ${election}, set it in the account setting remote_seller_elections.`)
    .join('');

const describeRemoteSale = (remote: RemoteSale, { name, release }: Place): string | null => {
  const { terms } = remote;
  if (!release) return null;
  switch (remote.kind) {
    case 'elected':
      return remote.isOutdated
        ? `${name}: the rate of ${remote.terms.jurisdiction.name} is on record until ${terms.to}. Levy also charges it afterwards. Compare it with the rate that the state publishes.`
        : null;
    case 'without_local':
      return null;
    case 'uncertain':
      return terms.policy === 'none'
        ? `${name}: no local tax is owed on a sale from another state. It is included, because the origin of the goods is not known: send ship_from.`
        : `${name}: ${terms.note}${electionText(release)} For a different local rate, import custom rules with \`interstate\` (format rules).`;
    default:
      return remote satisfies never;
  }
};

type Charged = { readonly code: string; readonly type: string };
type Remote = Pick<LocatedLine, 'place' | 'remote'>;

/**
 * Returns whether the warning about a remote sale applies to a jurisdiction. It does not apply to a local rate with a
 * separate value for sales from other states, because that rate is certain.
 */
const isConcerned = ({ code, type }: Charged, remote: RemoteSale, { release }: Place, day: string): boolean => {
  if (remote.kind === 'elected') return code === remote.terms.jurisdiction.code;
  return type !== 'state' && release !== null && rateOn(release, code, day)?.interstate === undefined;
};

/** Returns the warning about a remote sale if it concerns one of these jurisdictions on a day. */
export const remoteWarning = (
  { place, remote }: Remote,
  charged: readonly Charged[],
  day: string,
  pointer: string | null,
): Warning[] => {
  if (!remote || !charged.some((one) => isConcerned(one, remote, place, day))) return [];
  const message = describeRemoteSale(remote, place);
  return message === null ? [] : [{ code: 'remote_seller_rate', message, pointer }];
};

const chargedBy = (rows: readonly TaxRow[], { jurisdictions }: Place) =>
  rows.flatMap(({ jurisdiction, exact }) => (exact > 0n && jurisdictions.includes(jurisdiction) ? [jurisdiction] : []));

/** Returns the places where each line is taxed. */
const chargePlaces = (lines: TaxDocument['lines']): readonly (readonly Place[])[] =>
  lines.map(({ place, deliveries }) => (deliveries ? [...new Set(deliveries.map((one) => one.place))] : [place]));

/**
 * Warns that the rates of a document could differ for a remote seller: once per state, at the first charge with such a
 * tax. `getPointer` returns the pointer of a line by its index.
 */
export const remoteWarnings = (
  { day, lines }: TaxDocument,
  places: readonly LocatedLine[],
  taxed: TaxedDocument,
  getPointer: (charge: number) => string,
): Warning[] => {
  const remotes = new Map(places.flatMap(({ place, remote }) => (remote ? [[place, remote] as const] : [])));
  const placesByCharge = chargePlaces(lines);
  const warnings = new Map<string, Warning>();
  for (const [index, { rows }] of taxed.lines.entries())
    for (const place of placesByCharge[index] ?? []) {
      const remote = remotes.get(place) ?? null;
      for (const warning of remoteWarning({ place, remote }, chargedBy(rows, place), day, getPointer(index)))
        if (!warnings.has(place.code)) warnings.set(place.code, warning);
    }
  return [...warnings.values()];
};

// Formats a rate in units of `10^-rateDecimals` as a percentage. A visible rate keeps all of its decimals, as
// published.
const percent = (units: bigint): string => decimalText({ units, scale: rateDecimals - 2 });
const visiblePercent = (units: bigint): string =>
  formatAmount(units / powerOfTen(rateDecimals - visibleDecimals), visibleDecimals - 2);

const generalExcise = (message: string, pointer: string | null): Warning => ({
  code: 'general_excise_not_passed_on',
  message,
  pointer,
});

/**
 * Warns that general excise tax is charged at the seller's rate (in units of `10^-rateDecimals`), although the tax is
 * also owed on the tax itself.
 */
export const notPassedOn = (place: string, owed: bigint, pointer: string | null): Warning =>
  generalExcise(
    `${place}: general excise tax is charged at ${percent(owed)} %, but you also owe it on the tax. To charge the maximum visible rate, ${visiblePercent(visibleRate(owed))} %, set the account's pass_on_general_excise to true.`,
    pointer,
  );

/**
 * Warns once, at the first charge, that general excise tax is charged without passing it on, or is not charged to an
 * exempt buyer. `getPointer` returns the pointer of a line by its index.
 */
export const notPassedOnWarnings = (
  { lines, passOnGeneralExcise }: TaxDocument,
  taxed: TaxedDocument,
  getPointer: (charge: number) => string,
): Warning[] => {
  const isNotPassedOn = ({ exact, reason, jurisdiction }: TaxRow) =>
    jurisdiction.tax_type === 'general_excise' &&
    // HRS 237-13(2)(A) and 237-25: a certificate reduces the rate, and exempts only sales to the United States.
    (exact > 0n ? !passOnGeneralExcise : reason === 'customer_exempt');
  for (const [index, { rows, treatments }] of taxed.lines.entries()) {
    const row = rows.find(isNotPassedOn);
    const place = row && chargePlaces(lines)[index]?.find(({ jurisdictions }) => hasGeneralExcise(jurisdictions));
    if (!place) continue;
    if (row.exact === 0n)
      return [generalExcise(`${place.name}: general excise tax is owed on most exempt sales.`, getPointer(index))];
    // A shipping charge has treatments of all places that it delivers to.
    const rates = place.jurisdictions.map(
      (one) => treatments.find(({ jurisdiction }) => jurisdiction === one)?.general.rate.units ?? 0n,
    );
    return [notPassedOn(place.name, sum(rates), getPointer(index))];
  }
  return [];
};

/** Returns the exact taxes of lines that are sold in a place, at their prices after discounts and without tax. */
const exactTaxesAt = (place: Place, lines: readonly TaxLine[], document: TaxDocument): readonly bigint[] => {
  const sold = lines.map((line) => ({ ...line, place, discount: 0n, thirdPartyDiscount: 0n }));
  const alone = { ...document, taxIncluded: false, discount: 0n, thirdPartyDiscount: 0n };
  const { lines: taxed } = calculateTax({ ...alone, lines: sold, lineItems: sold.length });
  return taxed.map(({ rows }) => sum(rows.map(({ exact }) => exact)));
};

/** Returns the combined rate of a place on a product without a rule; `null` if a rate is not established. */
const rateAt = ({ release, jurisdictions, isInterstate }: Place, { product }: TaxLine, day: string): bigint | null => {
  let units = 0n;
  for (const { code } of jurisdictions) {
    const rate = release && rateOn(release, code, day);
    if (!rate) return null;
    units += generalRates(rate, product, isInterstate).own.rate.units;
  }
  return units;
};

/**
 * Returns whether the taxes on lines could differ between two places of a state. If no rule depends on the place, the
 * rates decide, which is much faster than calculating the taxes.
 */
const mayDiffer = (lines: readonly TaxLine[], a: Place, b: Place, { day, passOnGeneralExcise }: TaxDocument): boolean =>
  lines.some((line) => {
    if (passOnGeneralExcise || !a.release || !isTaxedAlike(a.release, line.product)) return true;
    const rate = rateAt(a, line, day);
    return rate === null || rate !== rateAt(b, line, day);
  });

/** The lines at one address that could be in other places with the same general rate. `taxes` are exact, by line. */
type OpenAddress = {
  readonly address: TaxingAddress & { readonly choice: { readonly byPlace: ByPlace } };
  readonly located: LocatedLine;
  /** The indexes of the lines at the address. */
  readonly indexes: readonly number[];
  readonly taxes: readonly bigint[];
  /** The other places where the taxes may differ. */
  readonly others: readonly {
    readonly equal: TaxingAddress['equal'][number];
    readonly place: Place;
    readonly taxes: readonly bigint[];
  }[];
};

type Read = Pick<ReadDocument, 'document' | 'located' | 'places'>;

const isOpen = ({ decisive: [one, ...others] }: LocatedLine): boolean =>
  others.length === 0 && Boolean(one?.choice?.byPlace) && one?.equal.length !== 0;

/** Returns the addresses of a document that could be in places with the same general rate. */
const listOpenAddresses = ({ document, located }: Read, taxed: TaxedDocument): readonly OpenAddress[] => {
  if (!located.some(isOpen)) return [];
  const lineAt = (index: number): TaxLine => {
    const { taxable, exempt } = taxed.lines[index] as TaxedCharge;
    return { ...(document.lines[index] as TaxLine), amount: taxable + exempt };
  };
  const isGoods = (index: number) => !document.lines[index]?.deliveries;
  const open = [...located.keys()].filter((index) => isOpen(located[index] as LocatedLine) && isGoods(index));
  return [...Map.groupBy(open, (index) => located[index]?.decisive).values()].map((indexes) => {
    const one = located[indexes[0] as number] as LocatedLine;
    const address = one.decisive[0] as OpenAddress['address'];
    const lines = indexes.map(lineAt);
    const others = address.equal.flatMap((equal) => {
      const ends = [[{ ...address, county: equal.county }, equal.place.jurisdictions]] as const;
      const place = placeAt(equal.place, ends, one.place.isInterstate);
      if (!mayDiffer(lines, one.place, place, document)) return [];
      return [{ equal, place, taxes: exactTaxesAt(place, lines, document) }];
    });
    const taxes = others.length === 0 ? [] : exactTaxesAt(one.place, lines, document);
    return { address, located: one, indexes, taxes, others };
  });
};

/** Describes how the tax on a line differs in other places, without the assumed place; `null` if it is the same. */
const describeDifference = (
  { located, indexes, taxes, others }: OpenAddress,
  position: number,
  { lines }: TaxDocument,
): string | null => {
  const different = others.filter((other) => other.taxes[position] !== taxes[position]);
  if (different.length === 0) return null;
  const names = listedUpTo(
    different.map(({ equal }) => equal.name),
    areasMax,
  );
  const { product } = lines[indexes[position] as number] as TaxLine;
  return `${located.place.name}: the tax on ${product.canonical} differs in other places where the address could be: ${names}.`;
};

/**
 * Warns about lines that would be taxed differently in another place with the same general rate that could contain the
 * address, such as clothing in two counties of New York.
 */
export const otherPlaceWarnings = (
  read: Read,
  taxed: TaxedDocument,
  getPointer: (charge: number) => string,
): Warning[] =>
  listOpenAddresses(read, taxed).flatMap((open) =>
    open.indexes.flatMap((index, position): Warning[] => {
      const difference = describeDifference(open, position, read.document);
      if (difference === null) return [];
      const { byPlace } = open.address.choice;
      const message = `${difference} Assumed: ${appliedAreaText(open.address, byPlace)}. ${adviseAddress(open.address, byPlace)}`;
      return [{ code: 'taxability_assumed', message, pointer: getPointer(index) }];
    }),
  );

/** Refuses an address if the tax differs between the places that could contain it; `[]` if it does not. */
const openAddressProblems = (open: OpenAddress, document: TaxDocument): Problem[] => {
  const [difference] = open.indexes.flatMap((_, position) => describeDifference(open, position, document) ?? []);
  if (difference === undefined) return [];
  const { address, located } = open;
  const advice = adviseAddress(address, address.choice.byPlace);
  return [ambiguousAddress(`${difference} ${ambiguityRejected} ${advice}`, located.pointers[address.at])];
};

/** Returns a document with the lines of an address in the place where their tax is highest. */
const withHighestTax = (read: Read, { located, taxes, others, address }: OpenAddress): Read => {
  const current = {
    name: appliedAreaText(address, address.choice.byPlace),
    place: located.place,
    county: address.county,
  };
  const highest = others.reduce((best, other) => (sum(other.taxes) > sum(best.taxes) ? other : best), {
    equal: current,
    place: located.place,
    taxes,
  });
  const { equal, place } = highest;
  if (place === located.place) return read;
  const byPlace = { ...address.choice.byPlace, area: { place: equal.name, county: '' } };
  const left = [current, ...address.equal.filter((one) => one !== equal)];
  const decisive = [
    { ...address, place: equal.place, county: equal.county, equal: left, choice: { ...address.choice, byPlace } },
  ];
  const moved = <Line extends { readonly place: Place }>(line: Line): Line =>
    line.place === located.place ? { ...line, place } : line;
  const relocate = (one: LocatedLine): LocatedLine => (one.place === located.place ? { ...one, place, decisive } : one);
  const lines = read.document.lines.map(
    ({ deliveries, ...line }): TaxLine => ({
      ...moved(line),
      ...(deliveries && { deliveries: deliveries.map(moved) }),
    }),
  );
  return {
    document: { ...read.document, lines },
    located: read.located.map(relocate),
    places: read.places.map(relocate),
  };
};

/**
 * Applies the account's `ambiguous_address` policy to addresses that could be in places with equal general rates but
 * different taxes on their lines: rejects them, or taxes them where their tax is highest.
 */
export const applyOpenAddressPolicy = <Document extends Read>(
  read: Document,
  policy: Settings['ambiguous_address'],
): Result<Document> => {
  if (policy === 'warn' || !read.located.some(isOpen)) return accept(read);
  const open = listOpenAddresses(read, calculateTax(read.document));
  if (policy === 'highest_rate')
    return accept({ ...read, ...open.reduce<Read>((moved, one) => withHighestTax(moved, one), read) });
  const [problem, ...others] = open.flatMap((one) => openAddressProblems(one, read.document));
  return problem ? refuse(problem, ...others) : accept(read);
};
