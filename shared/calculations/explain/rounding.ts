import type { Bracket, Release } from '../../content/release.ts';
import { divideHalfUp } from '../../money/decimal.ts';
import { minorUnit } from '../../tax/assessment.ts';
import type { TaxDocument, TaxedDocument, TaxRow } from '../../tax/document.ts';
import { scaledRate } from '../../tax/general-rate.ts';
import { roundingSettingOn } from '../../tax/rounding-setting.ts';
import type { Writer } from '../figures.ts';
import type { ExplanationStep } from '../response.ts';
import { exactTax } from './row.ts';
import { cite, decimalText, step, sumOf } from './step.ts';

/** A line, or one state's part of the shipping: rounded as one. */
export type Charge = { readonly rows: readonly TaxRow[]; readonly release: Release | null };

/** The sums of one state's invoice for one table, or for rows without a table (`null`). */
type Sum = { taxable: bigint; exact: bigint; tax: bigint };

/** The sums of each state's invoice, by table. */
export type Invoices = ReadonlyMap<string, ReadonlyMap<Bracket | null, Sum>>;

const settingOf = (release: Release | null, day: string) => (release ? roundingSettingOn(release, day) : undefined);

// A state's tables apply to documents in its currency only.
const tableRelease = (release: Release | null | undefined, { currency }: TaxDocument): Release | null =>
  release?.currency === currency ? release : null;

/** The table that a row is taxed by, as `shared/tax/brackets.ts` finds it. */
const bracketOf = (release: Release | null, row: TaxRow, day: string): Bracket | null => {
  const policy = settingOf(release, day)?.policy;
  if (policy?.method !== 'bracket') return null;
  const { units } = scaledRate(row.rate);
  if (row.exact !== row.taxable * units) return null;
  return (
    policy.brackets.find(
      ({ jurisdiction, rate }) => jurisdiction === row.jurisdiction.code && scaledRate(rate).units === units,
    ) ?? null
  );
};

// The parts of a release for two ZIPs are two objects with equal tables: the first one is used as the key.
const sameBracket = (sums: ReadonlyMap<Bracket | null, Sum>, bracket: Bracket | null): Bracket | null =>
  [...sums.keys()].find(
    (known) => known !== null && known.jurisdiction === bracket?.jurisdiction && known.rate === bracket.rate,
  ) ?? bracket;

const addRow = (sums: Map<Bracket | null, Sum>, bracket: Bracket | null, row: TaxRow): void => {
  const key = sameBracket(sums, bracket);
  const sum = sums.get(key) ?? { taxable: 0n, exact: 0n, tax: 0n };
  sum.taxable += row.taxable;
  sum.exact += row.exact;
  sum.tax += row.tax;
  sums.set(key, sum);
};

const sumsOf = (charges: readonly Charge[], day: string): Map<Bracket | null, Sum> => {
  const sums = new Map<Bracket | null, Sum>();
  for (const { rows, release } of charges) for (const row of rows) addRow(sums, bracketOf(release, row, day), row);
  return sums;
};

/** The charges of a document: its lines, and each state's part of the shipping. */
export const chargesOf = (
  document: TaxDocument,
  taxed: TaxedDocument,
): { readonly lines: readonly Charge[]; readonly shipping: readonly Charge[] } => {
  const { lines } = document;
  const releaseOf = ({ jurisdiction }: TaxRow): Release | null =>
    tableRelease(
      lines.find(({ place }) => place.jurisdictions.some(({ code }) => code === jurisdiction.code))?.place.release,
      document,
    );
  const states = Map.groupBy(taxed.shipping?.rows ?? [], releaseOf);
  return {
    lines: taxed.lines.map(({ rows }, index) => ({
      rows,
      release: tableRelease(lines[index]?.place.release, document),
    })),
    shipping: [...states].map(([release, rows]) => ({ release, rows })),
  };
};

/** The sums of each state's charges. */
export const invoicesOf = (charges: readonly Charge[], day: string): Invoices =>
  new Map([...Map.groupBy(charges, stateOf)].map(([state, own]) => [state, sumsOf(own, day)]));

const stateOf = ({ release }: Charge): string => release?.state ?? '';

type Rounded = {
  readonly document: TaxDocument;
  readonly charges: ReturnType<typeof chargesOf>;
  readonly invoices: Invoices;
  readonly write: Writer;
};

/** How a table gives the tax on an invoice's total. */
const tableText = (bracket: Bracket, { taxable, tax }: Sum, own: Sum, name: string, write: Writer): string => {
  const { steps, rate, nothing_below } = bracket;
  const dollars = (taxable / 100n) * ((100n * scaledRate(rate).units) / minorUnit);
  const isLeast = nothing_below !== null && taxable <= BigInt(nothing_below.replace('.', ''));
  const why = isLeast
    ? ` (no tax below ${nothing_below}, one cent at it)`
    : taxable % 100n === 0n
      ? ''
      : ` (${write(dollars)} for the whole dollars, ${write(tax - dollars)} for the ${write(taxable % 100n)} above: one cent for each of ${steps.join(', ')} that it exceeds)`;
  return ` ${name} at ${rate}: the table's tax on the invoice's ${write(taxable)} is ${write(tax)}${why}; the share of this charge is ${write(own.tax)}.`;
};

const tablesText = (charge: Charge, { document, invoices, write }: Rounded): string => {
  const invoice = invoices.get(stateOf(charge));
  const texts: string[] = [];
  for (const [bracket, own] of sumsOf([charge], document.day)) {
    const key = invoice ? sameBracket(invoice, bracket) : null;
    const sum = invoice?.get(key);
    if (!sum || own.exact === 0n) continue;
    const name = charge.rows.find(({ jurisdiction }) => jurisdiction.code === key?.jurisdiction)?.jurisdiction.name;
    texts.push(
      key && name
        ? tableText(key, sum, own, name, write)
        : ` Tax without a table is ${exactText(sum, document)} on the invoice, rounded half up to ${write(sum.tax)}; the share of this charge is ${write(own.tax)}.`,
    );
  }
  return texts.join('') || ' There is no tax to round.';
};

const exactText = ({ exact }: Pick<Sum, 'exact'>, { exponent }: TaxDocument): string =>
  decimalText(exactTax({ exact }, exponent));

const taxOf = ({ rows }: Charge): bigint => rows.reduce((sum, { tax }) => sum + tax, 0n);
const exactOf = (charges: readonly Charge[]): bigint =>
  charges.flatMap(({ rows }) => rows).reduce((sum, { exact }) => sum + exact, 0n);

/** How shipping is rounded together with the goods it ships with. */
const withGoodsText = (charge: Charge, { document, charges, write }: Rounded): string => {
  const isInState = (other: Charge) => stateOf(other) === stateOf(charge);
  const shipping = charges.shipping.filter(isInState);
  const goods = charges.lines.filter(isInState);
  const roundedText = (exact: bigint) =>
    `${exactText({ exact }, document)}, rounded half up to ${write(divideHalfUp(exact, minorUnit))}`;
  const difference = write(shipping.map(taxOf).reduce((sum, tax) => sum + tax, 0n));
  const share = shipping.length > 1 ? `; the share of this charge is ${write(taxOf(charge))}` : '';
  return `. ${charge.release?.name ?? 'The state'} rounds shipping together with its goods: the tax on both is ${roundedText(exactOf([...goods, ...shipping]))}; the tax on the goods is ${roundedText(exactOf(goods))}. The tax on the shipping is the difference, ${difference}${share}.`;
};

const howRounded = (charge: Charge, rounded: Rounded, pointer: string): string => {
  const { document, invoices, write } = rounded;
  const { rounding, taxIncluded, day } = document;
  const { release } = charge;
  const policy = settingOf(release, day)?.policy;
  const tax = write(taxOf(charge));
  if (taxIncluded) return `; the tax is the gross less the net, ${tax}.`;
  if (policy?.method === 'bracket')
    return `. ${release?.name ?? 'The state'} rounds by its statutory tables on the invoice's total.${tablesText(charge, rounded)}`;
  const invoice = invoices.get(stateOf(charge))?.get(null);
  if (rounding === 'invoice' && invoice)
    return `. The account rounds by invoice: the tax of ${release?.name ?? 'the place'} is ${exactText(invoice, document)}, rounded half up to ${write(invoice.tax)}; the share of this charge is ${tax}.`;
  if (pointer === '/shipping' && policy?.shipping === 'with_goods') return withGoodsText(charge, rounded);
  return `; rounded half up to ${tax}.`;
};

/**
 * How the exact tax of a charge was rounded: alone, with the state's invoice, or for shipping together with its goods where
 * the state rounds so.
 */
export const roundingStep = (charge: Charge, rounded: Rounded, pointer: string): ExplanationStep => {
  const { exponent, taxIncluded, day } = rounded.document;
  const { rows, release } = charge;
  const setting = settingOf(release, day);
  const isByTable = setting?.policy.method === 'bracket' && !taxIncluded;
  const sum = `The exact tax is ${decimalText(sumOf(rows.map((row) => exactTax(row, exponent))))}`;
  const split =
    rows.length > 1 && !isByTable
      ? ' It is allocated to the jurisdictions by largest remainder.'
      : isByTable
        ? ' Each total is allocated by largest remainder.'
        : '';
  const text = `${sum}${howRounded(charge, rounded, pointer)}${split}`;
  return step('rounding', pointer, text, null, cite(release, setting?.source));
};
