import type { Jurisdiction } from '../catalog/release-values.ts';
import { formatAmount, parseAmount } from '../money/currency.ts';
import type { TaxDocument, TaxedCharge, TaxedDocument, TaxRow } from '../tax/document.ts';
import { parseMinor, shippingList } from './charges.ts';
import type { Calculation, LineItemResponse, ShippingResponse, TaxRowResponse, TaxSummaryRow } from './response.ts';

/** Formats an amount of minor units in the document's currency. */
export type Writer = (minor: bigint) => string;

export const writerFor = (exponent: number): Writer => {
  const zero = { minor: 0n, text: formatAmount(0n, exponent) };
  // Most amounts of a line are zero or its base, so the strings of the last two nonzero amounts are cached.
  let [last, other] = [zero, zero];
  return (minor) => {
    if (minor === 0n) return zero.text;
    if (minor !== last.minor) {
      const written = minor === other.minor ? other : { minor, text: formatAmount(minor, exponent) };
      [last, other] = [written, last];
    }
    return last.text;
  };
};

type Charges<Line, Shipping> = {
  readonly line_items: readonly Line[];
  readonly shipping: Shipping | Shipping[] | null;
};

/** Returns the charges of a response: its line items, then its shipping charges. */
export const listCharges = <Line, Shipping>({ line_items, shipping }: Charges<Line, Shipping>): (Line | Shipping)[] => [
  ...line_items,
  ...shippingList(shipping),
];

/** Returns every row of a response. */
export const listTaxRows = (response: Charges<Rows, Rows>): TaxRowResponse[] =>
  listCharges(response).flatMap(({ taxes }) => taxes);
type Rows = { readonly taxes: readonly TaxRowResponse[] };

/** Builds a jurisdiction's row in a response. */
export const rowResponse = (row: TaxRow, write: Writer): TaxRowResponse => {
  const { code, name, type, tax_type, reporting_code } = row.jurisdiction;
  return {
    jurisdiction_code: code,
    jurisdiction_name: name,
    jurisdiction_type: type,
    reporting_code: reporting_code ?? null,
    tax_type,
    rate: row.rate,
    taxable_amount: write(row.taxable),
    exempt_amount: write(row.exempt),
    tax_amount: write(row.tax),
    taxability_reason: row.reason,
    sourcing: row.sourcing,
    rule_id: row.ruleId,
  };
};

type Summed = Pick<TaxRow, 'rate' | 'taxable' | 'exempt' | 'tax'> & {
  readonly jurisdiction: Pick<Jurisdiction, 'code' | 'name' | 'type'> & { readonly reporting_code?: string | null };
};
type Sum = { -readonly [Name in keyof Summed]: Summed[Name] };

/** Sums the rows of charges by jurisdiction and rate, in order of first appearance, as returns need them. */
export const summarize = (charges: readonly { readonly rows: readonly Summed[] }[], write: Writer): TaxSummaryRow[] => {
  const sums: Sum[] = [];
  // Keyed by code, then by rate, because a jurisdiction has few rates. A joined string key per row would be slower.
  const byCode = new Map<string, Sum[]>();
  for (const { rows } of charges)
    for (const { jurisdiction, rate, taxable, exempt, tax } of rows) {
      const own = byCode.get(jurisdiction.code) ?? [];
      const sum = own.find((known) => known.rate === rate);
      if (sum) {
        sum.taxable += taxable;
        sum.exempt += exempt;
        sum.tax += tax;
        continue;
      }
      const started = { jurisdiction, rate, taxable, exempt, tax };
      sums.push(started);
      if (own.push(started) === 1) byCode.set(jurisdiction.code, own);
    }
  return sums.map(({ jurisdiction: { code, name, type, reporting_code }, rate, taxable, exempt, tax }) => ({
    jurisdiction_code: code,
    jurisdiction_name: name,
    jurisdiction_type: type,
    reporting_code: reporting_code ?? null,
    rate,
    taxable_amount: write(taxable),
    exempt_amount: write(exempt),
    tax_amount: write(tax),
  }));
};

const readRow = (row: TaxRowResponse, exponent: number): Summed => ({
  jurisdiction: {
    code: row.jurisdiction_code,
    name: row.jurisdiction_name,
    type: row.jurisdiction_type,
    reporting_code: row.reporting_code,
  },
  rate: row.rate,
  taxable: parseAmount(row.taxable_amount, exponent),
  exempt: parseAmount(row.exempt_amount, exponent),
  tax: parseAmount(row.tax_amount, exponent),
});

type Amount = { readonly amount: bigint };
type Sums = Pick<TaxedCharge, 'discount' | 'thirdPartyDiscount' | 'taxable' | 'exempt' | 'tax'>;

/**
 * Returns the amounts of a whole document in minor units: total = subtotal − discounts + shipping (+ tax unless it is
 * included).
 */
const addTotals = (
  lines: readonly Amount[],
  shipping: readonly Amount[],
  charges: readonly Sums[],
  taxIncluded: boolean,
) => {
  const totals = { subtotal: 0n, shipping: 0n, discount: 0n, thirdPartyDiscount: 0n, taxable: 0n, exempt: 0n, tax: 0n };
  for (const { amount } of lines) totals.subtotal += amount;
  for (const { amount } of shipping) totals.shipping += amount;
  for (const { discount, thirdPartyDiscount, taxable, exempt, tax } of charges) {
    totals.discount += discount;
    totals.thirdPartyDiscount += thirdPartyDiscount;
    totals.taxable += taxable;
    totals.exempt += exempt;
    totals.tax += tax;
  }
  const { subtotal, discount, thirdPartyDiscount, shipping: charged, tax } = totals;
  return { ...totals, total: subtotal - discount - thirdPartyDiscount + charged + (taxIncluded ? 0n : tax) };
};

/** Returns the amounts of a calculated document in minor units. */
export const sumTotals = ({ lines, lineItems, taxIncluded }: TaxDocument, taxed: TaxedDocument) =>
  addTotals(lines.slice(0, lineItems), lines.slice(lineItems), taxed.lines, taxIncluded);

/** Returns the amounts of a whole document as fields of a response. */
export const totalFields = (totals: ReturnType<typeof sumTotals>, write: Writer) => ({
  subtotal_amount: write(totals.subtotal),
  applied_discount_amount: write(totals.discount),
  applied_third_party_discount_amount: write(totals.thirdPartyDiscount),
  shipping_amount: write(totals.shipping),
  taxable_amount: write(totals.taxable),
  exempt_amount: write(totals.exempt),
  tax_amount: write(totals.tax),
  total_amount: write(totals.total),
});

/** Returns the sums of a response's charges. */
export const documentTotals = (
  {
    tax_included,
    ...charged
  }: Pick<Calculation, 'shipping' | 'tax_included'> & Charges<LineItemResponse, ShippingResponse>,
  exponent: number,
) => {
  const { line_items, shipping } = charged;
  const read = (text: string): bigint => parseAmount(text, exponent);
  const charges = listCharges(charged).map((charge) => ({
    discount: read(charge.applied_discount_amount),
    thirdPartyDiscount:
      'applied_third_party_discount_amount' in charge ? read(charge.applied_third_party_discount_amount) : 0n,
    taxable: read(charge.taxable_amount),
    exempt: read(charge.exempt_amount),
    tax: read(charge.tax_amount),
  }));
  const totals = addTotals(
    line_items.map(({ amount }) => ({ amount: read(amount) })),
    // These amounts have the decimals that were sent.
    shippingList(shipping).map(({ amount }) => ({ amount: parseMinor(amount, exponent) })),
    charges,
    tax_included,
  );
  const write = writerFor(exponent);
  const rows = listTaxRows(charged).map((row) => readRow(row, exponent));
  return { ...totalFields(totals, write), tax_summary: summarize([{ rows }], write) };
};
