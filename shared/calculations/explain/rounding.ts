import { settingOn } from '../../catalog/effective.ts';
import type { Release } from '../../catalog/release.ts';
import { type Bracket, isPerInvoice, type Rounding } from '../../catalog/release-values.ts';
import { sum } from '../../money/allocate.ts';
import { minorUnit, scaledRate } from '../../tax/assessment.ts';
import { listPlaces, type TaxDocument, type TaxedDocument, type TaxRow } from '../../tax/document.ts';
import { bracketFor, dropsHalf, parseCents, roundExact } from '../../tax/rounding.ts';
import { listCharges } from '../../tax/sale.ts';
import type { Writer } from '../figures.ts';
import type { ExplanationStep } from '../response.ts';
import { exactText } from './row.ts';
import { cite, step } from './step.ts';

/** A line, or one state's part of a shipping charge, which is rounded as a unit. */
export type Charge = {
  readonly rows: readonly TaxRow[];
  readonly release: Release | null;
  /** The position among the shipping charges; `null` for goods. */
  readonly shipment: number | null;
};

/** The sums of one state's invoice for one table, or for rows without a table. */
type Sum = { readonly bracket: Bracket | null; readonly taxable: bigint; readonly exact: bigint; readonly tax: bigint };

/** The sums of each state's invoice, by table. */
export type Invoices = ReadonlyMap<string, ReadonlyMap<string, Sum>>;

const roundingSetting = (release: Release | null, day: string) => settingOn(release?.settings.rounding ?? [], day);

// A state's tables apply only to documents in its currency.
const tableRelease = (release: Release | null | undefined, { currency }: TaxDocument): Release | null =>
  release?.currency === currency ? release : null;

// Rows without a table are summed under an empty key.
const noTable = '';

const sumByRate = (charges: readonly Charge[], day: string): Map<string, Sum> => {
  const sums = new Map<string, Sum>();
  for (const { rows, release } of charges) {
    const policy = roundingSetting(release, day)?.policy;
    for (const row of rows) {
      const { units } = scaledRate(row.rate);
      const bracket = (policy && bracketFor(policy, row.jurisdiction.code, units, row)) ?? null;
      // The parts of a release for two ZIPs are different objects with equal tables, so the key is a string.
      const key = bracket ? `${bracket.jurisdiction} ${bracket.rate}` : noTable;
      const { taxable, exact, tax } = sums.get(key) ?? { taxable: 0n, exact: 0n, tax: 0n };
      sums.set(key, { bracket, taxable: taxable + row.taxable, exact: exact + row.exact, tax: tax + row.tax });
    }
  }
  return sums;
};

/** Returns a function that finds the release of the place that a row taxes. */
export const releaseFinder = (document: TaxDocument): ((row: TaxRow) => Release | null) => {
  const places = listPlaces(document);
  return ({ jurisdiction: { code } }) => {
    const place = places.find(({ jurisdictions }) => jurisdictions.some((one) => one.code === code));
    return tableRelease(place?.release, document);
  };
};

/** Returns the charges of a document by the index of their line. A shipping charge has one entry per state. */
export const roundedParts = (document: TaxDocument, { lines }: TaxedDocument): readonly (readonly Charge[])[] => {
  const findRelease = releaseFinder(document);
  const orders = new Map(listCharges(document).map(({ index }, order) => [index, order]));
  return lines.map(({ rows, shares }, index) => {
    if (!shares)
      return [{ rows, release: tableRelease(document.lines[index]?.place.release, document), shipment: null }];
    const shipment = orders.get(index) as number;
    // Places of one state have different parts of its release.
    return [...Map.groupBy(rows, (row) => findRelease(row)?.state).values()].map((own) => ({
      rows: own,
      release: findRelease(own[0] as TaxRow),
      shipment,
    }));
  });
};

/** Returns the sums of each state's charges. */
export const roundedInvoices = (charges: readonly Charge[], day: string): Invoices =>
  new Map([...Map.groupBy(charges, stateCode)].map(([state, own]) => [state, sumByRate(own, day)]));

const stateCode = ({ release }: Charge): string => release?.state ?? '';

type Rounded = {
  readonly document: TaxDocument;
  readonly charges: readonly Charge[];
  readonly invoices: Invoices;
  readonly write: Writer;
};

/** Explains how a table determines the tax on an invoice's total. */
const tableText = (bracket: Bracket, { taxable, tax }: Sum, own: Sum, name: string, write: Writer): string => {
  const { steps, rate, nothing_below } = bracket;
  const dollars = (taxable / 100n) * ((100n * scaledRate(rate).units) / minorUnit);
  const isLeast = nothing_below !== null && taxable <= parseCents(nothing_below);
  const why = isLeast
    ? ` (no tax below ${nothing_below}, one cent at exactly this amount)`
    : taxable % 100n === 0n
      ? ''
      : ` (${write(dollars)} for the whole dollars, ${write(tax - dollars)} for the ${write(taxable % 100n)} above, at one cent for each threshold that it exceeds: ${steps.join(', ')})`;
  return ` ${name} at ${rate}: the table's tax on the invoice's ${write(taxable)} is ${write(tax)}${why}; the share of this charge is ${write(own.tax)}.`;
};

const tablesText = (charge: Charge, { document, invoices, write }: Rounded): string => {
  const invoice = invoices.get(stateCode(charge));
  const texts: string[] = [];
  for (const [key, own] of sumByRate([charge], document.day)) {
    const total = invoice?.get(key);
    if (!total || own.exact === 0n) continue;
    const { bracket } = total;
    const name = charge.rows.find(({ jurisdiction }) => jurisdiction.code === bracket?.jurisdiction)?.jurisdiction.name;
    texts.push(
      bracket && name
        ? tableText(bracket, total, own, name, write)
        : ` Tax without a table is ${exactText(total.exact, document.exponent)} on the invoice, rounded half up to ${write(total.tax)}; the share of this charge is ${write(own.tax)}.`,
    );
  }
  return texts.join('') || ' There is no tax to round.';
};

const chargeTax = ({ rows }: Charge): bigint => sum(rows.map(({ tax }) => tax));
const exactSum = (charges: readonly Charge[]): bigint =>
  sum(charges.flatMap(({ rows }) => rows.map(({ exact }) => exact)));

const half = (policy: Rounding | undefined): string => (dropsHalf(policy) ? 'half down' : 'half up');

/** Explains how shipping is rounded together with the goods that it delivers, and with earlier shipping charges. */
const withGoodsText = (charge: Charge, { document, charges, write }: Rounded): string => {
  const inState = charges.filter((other) => stateCode(other) === stateCode(charge));
  const shipping = inState.filter(({ shipment }) => shipment === charge.shipment);
  const before = inState.filter(({ shipment }) => shipment === null || shipment < (charge.shipment ?? 0));
  const goods = before.every(({ shipment }) => shipment === null)
    ? 'the goods'
    : 'the goods and the shipping before it';
  const policy = roundingSetting(charge.release, document.day)?.policy;
  const roundedText = (exact: bigint) =>
    `${exactText(exact, document.exponent)}, rounded ${half(policy)} to ${write(roundExact(exact, policy))}`;
  const difference = write(sum(shipping.map(chargeTax)));
  const share = shipping.length > 1 ? `; the share of this charge is ${write(chargeTax(charge))}` : '';
  return `. ${charge.release?.name ?? 'The state'} rounds shipping together with its goods: the tax on both is ${roundedText(exactSum([...before, ...shipping]))}; the tax on ${goods} is ${roundedText(exactSum(before))}. The tax on the shipping is the difference, ${difference}${share}.`;
};

const howRounded = (charge: Charge, rounded: Rounded): string => {
  const { document, invoices, write } = rounded;
  const { rounding, taxIncluded, day } = document;
  const { release } = charge;
  const policy = roundingSetting(release, day)?.policy;
  const tax = write(chargeTax(charge));
  if (taxIncluded) return `; the tax is the gross amount less the net amount, ${tax}.`;
  if (policy?.method === 'bracket')
    return `. ${release?.name ?? 'The state'} rounds by its statutory tables on the invoice's total.${tablesText(charge, rounded)}`;
  const invoice = invoices.get(stateCode(charge))?.get(noTable);
  const isRequired = policy !== undefined && isPerInvoice(policy);
  if ((rounding === 'invoice' || isRequired) && invoice)
    return `. ${isRequired ? 'The state requires rounding' : 'The account rounds'} by invoice: the tax of ${release?.name ?? 'the place'} is ${exactText(invoice.exact, document.exponent)}, rounded ${half(policy)} to ${write(invoice.tax)}; the share of this charge is ${tax}.`;
  if (charge.shipment !== null && policy?.shipping === 'with_goods') return withGoodsText(charge, rounded);
  return `; rounded ${half(policy)} to ${tax}.`;
};

/**
 * Explains how the exact tax of a charge was rounded: alone, with the state's invoice, or, if the state requires it,
 * shipping together with its goods.
 */
export const roundingStep = (charge: Charge, rounded: Rounded, pointer: string): ExplanationStep => {
  const { exponent, taxIncluded, day } = rounded.document;
  const { rows, release } = charge;
  const setting = roundingSetting(release, day);
  const isByTable = setting?.policy.method === 'bracket' && !taxIncluded;
  const exact = `The exact tax is ${exactText(exactSum([charge]), exponent)}`;
  const split =
    rows.length > 1 && !isByTable
      ? ' It is allocated to the jurisdictions by largest remainder.'
      : isByTable
        ? ' Each total is allocated by largest remainder.'
        : '';
  const text = `${exact}${howRounded(charge, rounded)}${split}`;
  return step('rounding', pointer, text, null, cite(release, setting?.source));
};
