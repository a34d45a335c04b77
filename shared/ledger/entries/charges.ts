import { shippingList } from '../../calculations/charges.ts';
import type { LineItemResponse, TaxRowResponse } from '../../calculations/response.ts';
import { jurisdictionCode, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { listCalculatedTaxes } from '../calculated-taxes.ts';
import type { NamedExemption } from '../sums.ts';
import type { ExemptShipping } from '../transaction.ts';
import type { PostingInput } from './entry.ts';

export type Part = NamedExemption | 'not_covered';

/** A row with its calculated tax, and the part of the gross that its untaxed amount belongs to; `null` is the product. */
export type Row = { readonly row: TaxRowResponse; readonly calculated: bigint; readonly part: Part | null };

/** The rows of one line or shipping charge in one state; `line` is `null` for a shipping charge. */
export type Charge = { readonly state: string; readonly line: LineItemResponse | null; readonly rows: readonly Row[] };

export const isTaxed = ({ tax_amount }: TaxRowResponse) => /[1-9]/.test(tax_amount);

// Uncollected tax is not owed. Over-collected tax is.
export const isLiability = (row: TaxRowResponse) =>
  !['not_collecting', 'not_supported', 'not_subject_to_tax'].includes(row.taxability_reason) || isTaxed(row);

/** The part that the exemption of a line belongs to. */
const certifiedPart = (line: LineItemResponse | undefined): ExemptShipping => {
  const reason = line?.applied_exemption?.reason;
  return reason === 'resale' || reason === 'snap' ? reason : 'customer';
};

/** The part of the exempt shipping in a state: by the certificate of the first line there with one. */
const shippingPart = (state: string, { transaction, exemptShipping }: PostingInput): ExemptShipping => {
  const known = exemptShipping?.[state];
  if (known) return known;
  const certified = transaction.line_items.find(
    ({ applied_exemption, taxes }) => applied_exemption && taxes.some((row) => rowState(row) === state),
  );
  return certifiedPart(certified);
};

/**
 * The part of the exempt shipping by state, for the credits of a sale: they may lack the lines that decide it. Empty where
 * no certificate exempts shipping.
 */
export const findExemptShipping = (posting: PostingInput): Readonly<Record<string, ExemptShipping>> =>
  Object.fromEntries(
    shippingList(posting.transaction.shipping)
      .flatMap(({ taxes }) => taxes)
      .flatMap((row) => {
        const state = rowState(row);
        const isExempt = row.taxability_reason === 'customer_exempt';
        return isExempt && state !== null ? [[state, shippingPart(state, posting)]] : [];
      }),
  );

/** The part that an untaxed amount of a line, or of the shipping, belongs to. */
const choosePart = (
  { taxability_reason }: TaxRowResponse,
  state: string,
  line: LineItemResponse | null,
  posting: PostingInput,
): Part | null => {
  switch (taxability_reason === 'over_collected' ? posting.replacedReason : taxability_reason) {
    case 'customer_exempt':
      return line ? certifiedPart(line) : shippingPart(state, posting);
    case 'marketplace_collects':
      return 'marketplace';
    case 'not_collecting':
      return 'not_registered';
    case 'not_supported':
      return 'not_covered';
    default:
      return null;
  }
};

// A place abroad has the code of its country, and no state.
const rowState = ({ jurisdiction_code }: TaxRowResponse): string | null =>
  jurisdiction_code.startsWith('US-') ? jurisdictionCode(stateOfJurisdiction(jurisdiction_code)) : null;

// A state without its own tax has a row as well. Ignore it where a local jurisdiction has a row.
const withoutUntaxing = (rows: readonly Row[]): readonly Row[] => {
  const others = rows.filter(({ row }) => row.taxability_reason !== 'not_subject_to_tax' || isTaxed(row));
  return others.length > 0 ? others : rows;
};

/** The rows of each line and of the shipping, by state. Places abroad have none. */
export const listEntryCharges = (posting: PostingInput, exponent: number): Charge[] => {
  const { transaction, calculatedTaxes } = posting;
  const { line_items, shipping } = transaction;
  const charges = [
    ...line_items.map((line) => ({ taxes: line.taxes, line })),
    ...shippingList(shipping).map(({ taxes }) => ({ taxes, line: null })),
  ];
  const calculated = calculatedTaxes ?? listCalculatedTaxes(transaction, exponent);
  let position = 0;
  return charges.flatMap(({ taxes, line }) => {
    const ofCharge = taxes.flatMap((row) => {
      const state = rowState(row);
      const tax = calculated[position++] ?? 0n;
      return state === null ? [] : [{ row, calculated: tax, part: choosePart(row, state, line, posting), state }];
    });
    return [...Map.groupBy(ofCharge, ({ state }) => state)].map(([state, ofState]) => ({
      state,
      line,
      rows: withoutUntaxing(ofState),
    }));
  });
};
