import { listRegistrations } from '../accounts/account.ts';
import type { TaxRowResponse } from '../calculations/response.ts';
import { fiveDigitZip } from '../catalog/location/postal-address.ts';
import { minorDigits } from '../money/currency.ts';
import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { type Charge, isLiability, isTaxed, listEntryCharges } from './entries/charges.ts';
import type { EntryDocument, LiabilityEntry, PostingInput } from './entries/entry.ts';
import { baseOfAll, chargeBase, grossSum, listExceptions, sumByJurisdiction } from './entries/sums.ts';
import type { StoredTransaction } from './transaction.ts';

type StateCharges = { readonly state: string; readonly charges: readonly Charge[]; readonly isAwaited: boolean };

// The tax of a small credit of an over-collected sale can round to zero. The credit still reduces the gross.
const isRecorded = (row: TaxRowResponse): boolean => isTaxed(row) || row.taxability_reason === 'over_collected';

/** The states that get an entry, and whether the transaction becomes filed only with their filing. */
const groupByState = (posting: PostingInput, exponent: number): StateCharges[] => {
  const { settingsSnapshot, statesOfSale = [] } = posting;
  const registered = listRegistrations(settingsSnapshot)?.map(({ state }) => stateJurisdiction(state)) ?? null;
  return [...Map.groupBy(listEntryCharges(posting, exponent), ({ state }) => state)].flatMap(([state, ofState]) => {
    const rows = ofState.flatMap((charge) => charge.rows.map(({ row }) => row));
    const isCollecting = rows.some(({ taxability_reason }) => taxability_reason !== 'not_collecting');
    const isOfSale = statesOfSale.includes(state);
    const isPosted = isOfSale || rows.some(isRecorded) || (registered ? registered.includes(state) : isCollecting);
    // A state without a registration and without recorded tax may never be filed, so the transaction must not wait for
    // it.
    const isAwaited =
      isOfSale || rows.some(registered ? isRecorded : isLiability) || (registered !== null && isCollecting);
    return isPosted ? [{ state, charges: ofState, isAwaited }] : [];
  });
};

/** The states in which a finalized transaction must be filed. Its status becomes `filed` with the last of them. */
export const statesToFile = (posting: PostingInput): readonly string[] =>
  groupByState(posting, minorDigits(posting.transaction.currency)).flatMap(({ state, isAwaited }) =>
    isAwaited ? [state] : [],
  );

const entryDocument = ({ transaction, replacedReason }: PostingInput, charges: readonly Charge[]): EntryDocument => {
  const line = charges.find((charge) => charge.line !== null)?.line ?? transaction.line_items[0];
  const address = line?.customer?.address ?? transaction.customer?.address;
  const isExempt = ({ taxability_reason }: Charge['rows'][number]['row']) =>
    (taxability_reason === 'over_collected' ? replacedReason : taxability_reason) === 'customer_exempt';
  const exempt = charges.filter(({ rows }) => rows.some(({ row }) => isExempt(row)));
  const certificates = [
    ...new Set(exempt.flatMap((charge) => charge.line?.applied_exemption?.certificate_number ?? [])),
  ];
  return {
    type: transaction.type,
    tax_day: transaction.tax_date.slice(0, 10),
    reference_id: transaction.reference_id,
    customer_id: line?.customer?.id ?? transaction.customer?.id ?? null,
    postal_code: fiveDigitZip(address?.postal_code ?? ''),
    ...(certificates.length > 0 && { certificate_numbers: certificates }),
  };
};

const entriesByCurrency = (
  posting: PostingInput,
  states: readonly Pick<StateCharges, 'state' | 'charges'>[],
): LiabilityEntry[] => {
  const { transaction } = posting;
  const exponent = minorDigits(transaction.currency);
  const sign = transaction.type === 'credit' ? -1n : 1n;
  return states.map(({ state, charges }) => {
    const bases = charges.map((charge) => chargeBase(charge, exponent));
    const gross = bases.reduce((sum, base) => sum + grossSum(base), 0n);
    const exceptions = listExceptions(charges, gross, exponent, sign);
    const rows = charges.flatMap((charge) => charge.rows);
    return {
      transactionId: transaction.id,
      state,
      month: transaction.tax_date.slice(0, 7),
      currency: transaction.currency,
      version: transaction.version,
      base: baseOfAll(bases, sign),
      amounts: sumByJurisdiction(posting, rows, exponent, sign),
      document: entryDocument(posting, charges),
      ...(exceptions.length > 0 && { exceptions }),
    };
  });
};

/**
 * The open entries of a finalized transaction: one for each state in which the account is
 * registered on any day, or which the document has a tax of. Without registrations, each state of the document counts. A
 * credit's amounts are negative; it also has an entry in each of its states in which its sale has one.
 * Pure.
 */
export const listLiabilityEntries = (posting: PostingInput): LiabilityEntry[] =>
  entriesByCurrency(posting, groupByState(posting, minorDigits(posting.transaction.currency)));

/**
 * A finalized credit with the states in which only its sale decides that it has an entry: without them, the return of a
 * state with the sale would lack the refund of a line without recorded tax.
 */
export const withStatesOfSale = (credit: StoredTransaction, sale: PostingInput): StoredTransaction => {
  const { statesOfSale: _, ...alone } = credit;
  const exponent = minorDigits(credit.transaction.currency);
  const statesIn = (posting: PostingInput) => new Set(groupByState(posting, exponent).map(({ state }) => state));
  const own = new Set(listEntryCharges(alone, exponent).map(({ state }) => state));
  const statesOfSale = [...own.intersection(statesIn(sale)).difference(statesIn(alone))];
  return statesOfSale.length > 0 ? { ...alone, statesOfSale } : alone;
};

/** Like `openEntriesOf`, for each state of the document, whether or not the account is registered there. */
export const entriesOfEachState = (posting: PostingInput): LiabilityEntry[] => {
  const charges = listEntryCharges(posting, minorDigits(posting.transaction.currency));
  const byState = [...Map.groupBy(charges, ({ state }) => state)];
  return entriesByCurrency(
    posting,
    byState.map(([state, ofState]) => ({ state, charges: ofState })),
  );
};
