import { listRegistrations } from '../../accounts/account.ts';
import { mayBeCharge, shippingList } from '../../calculations/charges.ts';
import { deliveredLinesOfAll, readCharges } from '../../calculations/deliveries.ts';
import { addressIn, chooseOrigin } from '../../calculations/locate-lines.ts';
import type { LineItemResponse, ShippingResponse, TaxRowResponse } from '../../calculations/response.ts';
import { isReviewCode, type ReviewCode, reviewCodes } from '../../calculations/warning-codes.ts';
import { fiveDigitZip, readAddress } from '../../catalog/location/address.ts';
import { allocate, sum } from '../../money/allocate.ts';
import { minorDigits, parseAmount } from '../../money/currency.ts';
import { jurisdictionCode, stateJurisdiction, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { findProduct } from '../../vocabulary/product-tax-code.ts';
import { listCalculatedTaxes, positive } from '../credits/amounts.ts';
import type { ExemptPart } from '../settings-snapshot.ts';
import type { NextTransaction, StoredTransaction } from '../transaction.ts';
import {
  type Amounts,
  type EntryException,
  grossAmount,
  type JurisdictionAmounts,
  type LiabilityEntry,
  type NamedExemption,
  type PostingInput,
  plusAmounts,
  taxColumns,
  timesSign,
  zeroSum,
} from './entry.ts';

/** The sign of the amounts: entries of credits are negative. */
type Sign = 1n | -1n;

type Part = NamedExemption | 'not_covered';

/** A part of an untaxed amount. The parts share the untaxed amount in proportion to their own amounts. */
type WeightedPart = {
  readonly reason: Part;
  readonly amount: bigint;
  readonly certificate_numbers?: readonly string[];
};

type TransactionCharge = LineItemResponse | ShippingResponse;

/** The column of a return for the tax of a row; absent for sales shipped from outside the state. */
type TaxColumn = (typeof taxColumns)[number] | undefined;

/**
 * A tax row with its amounts. `difference` is the recorded tax minus the calculated tax. An untaxed amount is also
 * counted in its part.
 */
type Row = {
  readonly row: TaxRowResponse;
  readonly amounts: Amounts;
  readonly column: TaxColumn;
  readonly parts: readonly WeightedPart[];
};

/** The rows of one line or shipping charge in one state. `line` is `null` for a shipping charge. */
type Charge = { readonly state: string; readonly line: LineItemResponse | null; readonly rows: readonly Row[] };

const isTaxed = ({ amounts }: Row): boolean => amounts.tax !== 0n;

// Over-collected tax is owed; uncollected tax is not.
const isLiability = (row: Row): boolean =>
  !['not_collecting', 'not_supported', 'not_subject_to_tax'].includes(row.row.taxability_reason) || isTaxed(row);

// A small credit of an over-collected sale can have its tax rounded to zero. The credit still reduces the gross.
const isRecorded = (row: Row): boolean => isTaxed(row) || row.row.taxability_reason === 'over_collected';

const calculatedReason = ({ taxability_reason }: TaxRowResponse, { replacedReason }: PostingInput) =>
  taxability_reason === 'over_collected' ? replacedReason : taxability_reason;

const isExempt = (row: TaxRowResponse, posting: PostingInput): boolean =>
  calculatedReason(row, posting) === 'customer_exempt';

/** Returns the exemption by a certificate as the part of an amount. */
export const toExemptPart = (
  exemption: LineItemResponse['applied_exemption'] | undefined,
  amount: bigint,
): ExemptPart => {
  const { reason = 'other', certificate_number: number = null } = exemption ?? {};
  return {
    reason: reason === 'other' ? 'customer' : reason,
    certificate_numbers: number === null ? [] : [number],
    amount,
  };
};

/** Sums the amounts by reason, so rounding does not depend on the certificate numbers, which a redaction removes. */
export const sumExemptParts = (parts: readonly ExemptPart[]): ExemptPart[] =>
  [...Map.groupBy(parts, ({ reason }) => reason)].map(([reason, group]) => ({
    reason,
    certificate_numbers: [...new Set(group.flatMap(({ certificate_numbers }) => certificate_numbers))],
    amount: sum(group.map(({ amount }) => amount)),
  }));

type ExemptShipping = NonNullable<PostingInput['exemptShipping']>;

/** Returns recorded exemptions of shipping charges without certificate numbers, which are personal data. */
export const withoutNumbers = (exemptShipping: ExemptShipping): ExemptShipping =>
  Object.fromEntries(
    Object.entries(exemptShipping).map(([at, parts]) => [
      at,
      parts.map((part) => ({ ...part, certificate_numbers: [] })),
    ]),
  );

/** The key of a shipping charge's exemption in a jurisdiction. */
export const shippingIn = (id: string, jurisdiction: string): string => `${id} ${jurisdiction}`;

/** Returns the indexes of the lines that each charge delivers, by id of the charge. */
const deliveredLines = ({ transaction }: PostingInput): ReadonlyMap<string, readonly number[]> => {
  const read = readCharges(transaction);
  const delivered = deliveredLinesOfAll(read);
  return new Map(delivered.ok ? read.charges.map(({ id }, at) => [id, delivered.value[at] ?? []]) : []);
};

type ListExemptParts = (charge: TransactionCharge, row: TaxRowResponse) => readonly ExemptPart[];

/**
 * Returns a function that lists the reasons for which certificates exempt a row of a line or shipping charge, each with
 * its weight. Shipping has the recorded reasons, or else the reasons of the exempt lines that it delivers. SNAP
 * benefits do not exempt deliveries.
 */
const exemptPartsLister = (posting: PostingInput): ListExemptParts => {
  const { transaction, exemptShipping = {} } = posting;
  const exponent = minorDigits(transaction.currency);
  let delivered: ReturnType<typeof deliveredLines> | null = null;
  return (charge, row) => {
    if ('applied_exemption' in charge) return [toExemptPart(charge.applied_exemption, 1n)];
    const { jurisdiction_code: code } = row;
    const recordedIn = (place: string) => exemptShipping[shippingIn(charge.id, place)];
    const recorded = recordedIn(code) ?? recordedIn(rowState(row) ?? '');
    if (recorded) return recorded;
    delivered ??= deliveredLines(posting);
    const parts = (delivered.get(charge.id) ?? []).flatMap((index) => {
      const { applied_exemption, net_amount, taxes } = transaction.line_items[index] as LineItemResponse;
      const isThere = taxes.some((own) => own.jurisdiction_code === code && isExempt(own, posting));
      if (applied_exemption?.reason === 'snap' || !isThere) return [];
      return [toExemptPart(applied_exemption, parseAmount(net_amount, exponent))];
    });
    return sumExemptParts(parts);
  };
};

const splitByWeight = (amount: bigint, parts: readonly WeightedPart[]): bigint[] =>
  parts.length === 0
    ? []
    : allocate(
        amount,
        parts.map((part) => part.amount),
      );

/** Returns the parts that an untaxed amount is counted in, with their weights; empty if the product is exempt. */
const listParts = (
  row: TaxRowResponse,
  charge: TransactionCharge,
  posting: PostingInput,
  listExemptParts: ListExemptParts,
): readonly WeightedPart[] => {
  const all = (reason: Part): WeightedPart[] => [{ reason, amount: 1n }];
  switch (calculatedReason(row, posting)) {
    case 'customer_exempt':
      return listExemptParts(charge, row);
    case 'marketplace_collects':
      return all('marketplace');
    case 'not_collecting':
      // Some states leave out these sales when they measure economic nexus.
      return all(posting.transaction.collected_by === 'marketplace' ? 'marketplace' : 'not_registered');
    case 'not_supported':
      return all('not_covered');
    default:
      return [];
  }
};

// A place outside the US has its country's code and no state.
const rowState = ({ jurisdiction_code }: TaxRowResponse): string | null =>
  jurisdiction_code.startsWith('US-') ? jurisdictionCode(stateOfJurisdiction(jurisdiction_code)) : null;

/**
 * Returns the state that a line or shipping charge is shipped from, by the address of the charge, the document or the
 * account, in this order; `null` if unknown or abroad, or if a ZIP code without a state is in several states.
 */
const originState = (holder: Pick<LineItemResponse, 'ship_from'>, posting: PostingInput): string | null => {
  const origin = chooseOrigin(holder, posting.transaction, posting.settingsSnapshot);
  const address = origin && readAddress(origin, '');
  if (!address?.ok || address.value.state === null || address.value.isStateGuessed) return null;
  return jurisdictionCode(address.value.state);
};

const isCharge = ({ product_tax_code }: LineItemResponse): boolean => mayBeCharge(product_tax_code);

/**
 * Returns the states whose first line is shipped from within the state. Shipping charges and fees without a separate
 * address are treated like this line. Credits of the sale store these states, because they may lack the line. Empty
 * without shipping charges and fees.
 */
export const findShippedInside = (posting: PostingInput): string[] => {
  const { line_items, shipping } = posting.transaction;
  if (!shipping && !line_items.some(isCharge)) return [];
  const firstLines = new Map<string, LineItemResponse>();
  // Goods come first: a charge is the first line only if the state has no goods.
  for (const line of line_items.toSorted((left, right) => Number(isCharge(left)) - Number(isCharge(right))))
    for (const state of line.taxes.flatMap((row) => rowState(row) ?? []))
      if (!firstLines.has(state)) firstLines.set(state, line);
  return [...firstLines].flatMap(([state, line]) => (originState(line, posting) === state ? [state] : []));
};

const isReduced = ({ jurisdiction_type, taxability_reason }: TaxRowResponse): boolean =>
  jurisdiction_type === 'state' && /reduced_rated$/.test(taxability_reason);

// A code can be sent as its label alone, such as `DRUGS`.
const isFoodOrHealth = ({ product_tax_code }: LineItemResponse): boolean =>
  /^(FOOD|BEVERAGES|HEALTH)\./.test(findProduct(product_tax_code ?? '')?.path ?? '');

const rateKey = ({ jurisdiction_code, rate }: TaxRowResponse): string => `${jurisdiction_code} ${rate}`;

/**
 * Returns the states' reduced rates (`US-NJ 0.033125`) whose first goods, such as boats, are not food or health
 * products. Shipping and fees have the rate of goods. Credits of the sale store these rates, because they may lack the
 * goods.
 */
export const findOtherReducedRates = ({ transaction }: PostingInput): string[] => {
  const first = new Map<string, LineItemResponse>();
  for (const line of transaction.line_items.filter((line) => !isCharge(line)))
    for (const key of line.taxes.filter(isReduced).map(rateKey)) if (!first.has(key)) first.set(key, line);
  return [...first].flatMap(([key, line]) => (isFoodOrHealth(line) ? [] : [key]));
};

/**
 * Returns the column of a row. `otherRates` lists the reduced rates of shipping and fees for goods other than food and
 * health products.
 */
const taxColumn = (
  row: TaxRowResponse,
  line: LineItemResponse | null,
  isInState: boolean,
  otherRates: readonly string[],
): TaxColumn => {
  if (row.tax_type === 'fee') return 'fee';
  const isOfFood = line && !isCharge(line) ? isFoodOrHealth(line) : !otherRates.includes(rateKey(row));
  return isReduced(row) && isOfFood ? 'food_drug' : isInState ? 'in_state' : undefined;
};

const rowAmounts = (
  row: TaxRowResponse,
  calculated: bigint,
  parts: readonly WeightedPart[],
  exponent: number,
): Amounts => {
  const exempt = parseAmount(row.exempt_amount, exponent);
  const tax = parseAmount(row.tax_amount, exponent);
  const shares = splitByWeight(exempt, parts);
  const named: Partial<Record<Part, bigint>> = Object.fromEntries(parts.map(({ reason }, at) => [reason, shares[at]]));
  return {
    taxable: parseAmount(row.taxable_amount, exponent),
    exempt: 'not_covered' in named ? 0n : exempt,
    tax,
    difference: tax - calculated,
    ...named,
  };
};

// A state that does not levy the tax also has a row. Ignore it if a local jurisdiction has a row.
const withoutUntaxing = (rows: readonly Row[]): readonly Row[] => {
  const others = rows.filter((row) => row.row.taxability_reason !== 'not_subject_to_tax' || isTaxed(row));
  return others.length > 0 ? others : rows;
};

/** Lists the rows of each line and shipping charge by state. Places outside the US have no rows. */
const listEntryCharges = (posting: PostingInput): Charge[] => {
  const { transaction } = posting;
  const { line_items, shipping } = transaction;
  const exponent = minorDigits(transaction.currency);
  const { shippedInside = [], otherReducedRates = [] } = transaction.parent_transaction_id
    ? posting
    : { shippedInside: findShippedInside(posting), otherReducedRates: findOtherReducedRates(posting) };
  const charges = [
    ...line_items.map((line) => ({ charge: line, line, follows: isCharge(line) })),
    ...shippingList(shipping).map((charge) => ({ charge, line: null, follows: true })),
  ];
  const calculated = listCalculatedTaxes(posting);
  const listExemptParts = exemptPartsLister(posting);
  let position = 0;
  return charges.flatMap(({ charge, line, follows }) => {
    const origins = follows && !addressIn(charge.ship_from) ? shippedInside : [originState(charge, posting)];
    const ofCharge = charge.taxes.flatMap((row) => {
      const state = rowState(row);
      const tax = calculated[position++] as bigint;
      if (state === null) return [];
      const column = taxColumn(row, line, origins.includes(state), otherReducedRates);
      const parts = listParts(row, charge, posting, listExemptParts);
      return [{ row, amounts: rowAmounts(row, tax, parts, exponent), column, state, parts }];
    });
    return [...Map.groupBy(ofCharge, ({ state }) => state)].map(([state, ofState]) => ({
      state,
      line,
      rows: withoutUntaxing(ofState),
    }));
  });
};

const sumRows = (rows: readonly Row[]): Amounts =>
  rows.map(({ amounts }) => amounts).reduce<Amounts>(plusAmounts, zeroSum);

const largestSum = (rows: readonly Row[]): Amounts =>
  [...Map.groupBy(rows, ({ row }) => row.jurisdiction_code).values()]
    .map(sumRows)
    .reduce((largest, sum) => (grossAmount(sum) > grossAmount(largest) ? sum : largest));

/** Returns the amounts of the jurisdiction that represents a charge in its state. Fees are not sales. */
const chargeBase = ({ state, rows: all }: Charge): Amounts => {
  const rows = all.filter(({ row }) => row.tax_type !== 'fee');
  const own = rows.filter(({ row }) => row.jurisdiction_code === state);
  if (own.length > 0 || rows.length === 0) return sumRows(own);
  // On a tie, prefer the jurisdiction that collects tax.
  return largestSum([...rows].sort((a, b) => Number(isLiability(b)) - Number(isLiability(a))));
};

/**
 * Returns the over-collected tax. For a credit that takes its calculated tax from its sale, this is the full
 * difference, positive or negative. It is zero if the sale recorded less than the calculated tax. The credits of a sale
 * therefore add up to its over-collected tax, even with supplied taxes.
 */
const overCollected = (
  { transaction, calculatedTaxes, isUnderCollected }: PostingInput,
  { tax, difference = 0n }: Amounts,
): bigint => {
  if (transaction.parent_transaction_id && calculatedTaxes) return isUnderCollected ? 0n : difference;
  return (tax < 0n ? -difference : difference) > 0n ? difference : 0n;
};

/** Sums the rows by jurisdiction and rate, in order of first appearance. */
const sumByJurisdiction = (posting: PostingInput, rows: readonly Row[], sign: Sign): JurisdictionAmounts[] =>
  [...Map.groupBy(rows, ({ row }) => `${row.jurisdiction_code} ${row.rate}`).values()].map((group) => {
    const { jurisdiction_code, jurisdiction_name, jurisdiction_type, reporting_code, rate } = (group[0] as Row).row;
    const sum = timesSign(sumRows(group), sign);
    const over_collected = overCollected(posting, sum);
    // The difference of a sum is over-collected as a whole or not at all.
    const dues = taxColumns.map((column) => {
      const { tax, difference = 0n } = timesSign(sumRows(group.filter((row) => row.column === column)), sign);
      return [column, over_collected === 0n ? tax - difference : tax] as const;
    });
    return {
      jurisdiction_code,
      jurisdiction_name,
      jurisdiction_type,
      reporting_code,
      rate,
      ...sum,
      ...(over_collected !== 0n && { over_collected }),
      ...Object.fromEntries(dues.filter(([, due]) => due !== 0n)),
    };
  });

/** Lists the reasons to review an entry before its return is filed. */
const listExceptions = (charges: readonly Charge[], gross: bigint, sign: Sign): EntryException[] => {
  const differences = charges.flatMap(({ rows }) => rows.map(({ amounts: { difference = 0n } }) => difference));
  const uncovered = charges
    .map(({ rows }) => rows.filter(({ amounts }) => (amounts.not_covered ?? 0n) !== 0n))
    .filter((rows) => rows.length > 0);
  // A local jurisdiction may be the only one that is not covered.
  const notCovered = uncovered.reduce((sum, rows) => sum + (largestSum(rows).not_covered ?? 0n), 0n);
  return [
    ...(uncovered.length > 0 ? [{ reason: 'not_covered', gross: sign * notCovered } as const] : []),
    ...(differences.some((tax) => tax > 0n) ? [{ reason: 'over_collected', gross: sign * gross } as const] : []),
    ...(differences.some((tax) => tax < 0n) ? [{ reason: 'under_collected', gross: sign * gross } as const] : []),
  ];
};

type StateCharges = { readonly state: string; readonly charges: readonly Charge[]; readonly isAwaited: boolean };

/** Returns the states that get an entry, and whether the transaction's `filed` status depends on their filing. */
const groupByState = (posting: PostingInput): StateCharges[] => {
  const { settingsSnapshot, statesOfSale = [] } = posting;
  const registered = listRegistrations(settingsSnapshot)?.map(({ state }) => stateJurisdiction(state)) ?? null;
  return [...Map.groupBy(listEntryCharges(posting), ({ state }) => state)].flatMap(([state, charges]) => {
    const rows = charges.flatMap((charge) => charge.rows);
    const isCollecting = rows.some(({ row }) => row.taxability_reason !== 'not_collecting');
    const isOfSale = statesOfSale.includes(state);
    const isPosted = isOfSale || rows.some(isRecorded) || (registered ? registered.includes(state) : isCollecting);
    // A state without a registration or recorded tax may never be filed, so the transaction must not wait for it.
    const isAwaited =
      isOfSale || rows.some(registered ? isRecorded : isLiability) || (registered !== null && isCollecting);
    return isPosted ? [{ state, charges, isAwaited }] : [];
  });
};

/**
 * Lists the states in which a finalized transaction must be filed. Once all of them are filed, its status becomes
 * `filed`.
 */
export const statesToFile = (posting: PostingInput): readonly string[] =>
  groupByState(posting).flatMap(({ state, isAwaited }) => (isAwaited ? [state] : []));

const entryDocument = (posting: PostingInput, charges: readonly Charge[]): LiabilityEntry['document'] => {
  const { transaction } = posting;
  const line = charges.find((charge) => charge.line !== null)?.line ?? transaction.line_items[0];
  const address =
    line?.fulfillment === 'pickup'
      ? chooseOrigin(line, transaction, posting.settingsSnapshot)
      : (addressIn(line?.customer) ?? addressIn(transaction.customer));
  const parts = charges.flatMap(({ rows }) => rows.flatMap((row) => row.parts));
  const certificates = [...new Set(parts.flatMap(({ certificate_numbers = [] }) => certificate_numbers))];
  return {
    type: transaction.type,
    tax_day: transaction.tax_date.slice(0, 10),
    reference_id: transaction.reference_id,
    customer_id: line?.customer?.id ?? transaction.customer?.id ?? null,
    postal_code: fiveDigitZip(address?.postal_code ?? ''),
    ...(certificates.length > 0 && { certificate_numbers: certificates }),
  };
};

const buildEntry = (posting: PostingInput, state: string, charges: readonly Charge[]): LiabilityEntry => {
  const { id: transactionId, currency, tax_date, version, type } = posting.transaction;
  const sign = type === 'credit' ? -1n : 1n;
  const { difference: _, ...sum } = charges.map(chargeBase).reduce<Amounts>(plusAmounts, zeroSum);
  const exceptions = listExceptions(charges, grossAmount(sum), sign);
  const rows = charges.flatMap((charge) => charge.rows);
  const review = posting.review?.[state];
  return {
    transactionId,
    state,
    month: tax_date.slice(0, 7),
    currency,
    version,
    base: { ...timesSign(sum, sign), tax: 0n },
    amounts: sumByJurisdiction(posting, rows, sign),
    document: entryDocument(posting, charges),
    ...(exceptions.length > 0 && { exceptions }),
    ...(review && { review }),
  };
};

/**
 * Lists the open entries of a finalized transaction. A state gets an entry if the account has a registration there,
 * regardless of its dates, or if the document has tax there. If registrations are not set, each state of the document
 * gets one. A credit has negative amounts, and also gets an entry wherever its sale has one. Pure.
 */
export const listLiabilityEntries = (posting: PostingInput): LiabilityEntry[] =>
  groupByState(posting).map(({ state, charges }) => buildEntry(posting, state, charges));

/** Like `listLiabilityEntries`, but for each state of the document, whether or not the account is registered there. */
export const entriesOfEachState = (posting: PostingInput): LiabilityEntry[] =>
  [...Map.groupBy(listEntryCharges(posting), ({ state }) => state)].map(([state, charges]) =>
    buildEntry(posting, state, charges),
  );

/**
 * Adds to a finalized credit the states in which it has an entry only because its sale has one. Without these entries,
 * the state's return would miss the refund of a line without recorded tax.
 */
export const withStatesOfSale = (credit: NextTransaction, sale: PostingInput): NextTransaction => {
  const { statesOfSale: _, ...alone } = credit;
  const statesIn = (posting: PostingInput) => new Set(groupByState(posting).map(({ state }) => state));
  const own = new Set(listEntryCharges(alone).map(({ state }) => state));
  const statesOfSale = [...own.intersection(statesIn(sale)).difference(statesIn(alone))];
  return statesOfSale.length > 0 ? { ...alone, statesOfSale } : alone;
};

/**
 * Adds to a finalized credit the exempt parts of the shipping charges that it takes from its sale, given the sale with
 * its other live credits. The part of each reason is its share of all credits of the charge, minus its share of the
 * earlier ones, so the credits of a charge add up to the parts of the sale.
 */
export const withExemptShipping = (credit: NextTransaction, sale: StoredTransaction): NextTransaction => {
  const { shipping, currency, redacted_at } = credit.transaction;
  const exemptShipping: ExemptShipping = {};
  const listExemptParts = exemptPartsLister(sale);
  // List each certificate of a state once: up to a thousand for each row would exceed the item limit.
  const listed = new Set<string>();
  const isFirst = (row: TaxRowResponse, number: string): boolean => {
    const key = `${rowState(row)} ${number}`;
    const isNew = !listed.has(key);
    listed.add(key);
    return isNew;
  };
  for (const charge of shippingList(shipping))
    for (const [index, row] of charge.taxes.entries()) {
      if (!isExempt(row, sale)) continue;
      const parts = listExemptParts(charge, row);
      const before = sale.credited.charges.get(charge.id)?.rows[index]?.exempt ?? 0n;
      const after = splitByWeight(before + parseAmount(row.exempt_amount, minorDigits(currency)), parts);
      const earlier = splitByWeight(before, parts);
      exemptShipping[shippingIn(charge.id, row.jurisdiction_code)] = parts.map((part, at) => ({
        reason: part.reason,
        certificate_numbers: part.certificate_numbers.filter((number) => isFirst(row, number)),
        // With three or more reasons, rounding can take a minor unit back.
        amount: positive((after[at] as bigint) - (earlier[at] as bigint)),
      }));
    }
  if (Object.keys(exemptShipping).length === 0) return { ...credit, exemptShipping: undefined };
  return { ...credit, exemptShipping: redacted_at === undefined ? exemptShipping : withoutNumbers(exemptShipping) };
};

const stateCodes = (rows: readonly TaxRowResponse[]): string[] => rows.map(rowState).filter((state) => state !== null);

/**
 * Lists the states that a warning concerns: those of its line or shipping charge, otherwise all states of the document.
 */
const statesOfWarning = (
  { line_items, shipping }: StoredTransaction['transaction'],
  { code, pointer }: StoredTransaction['transaction']['warnings'][number],
): string[] => {
  const [, name, index] = (pointer ?? '').split('/');
  const charges = shippingList(shipping);
  const ofShipping = name === 'shipping' ? charges[Array.isArray(shipping) ? Number(index) : 0] : undefined;
  const charge = name === 'line_items' ? line_items[Number(index)] : ofShipping;
  // This warning is returned once, regardless of the states of the lines without a code.
  if (charge && code !== 'product_tax_code_missing') return stateCodes(charge.taxes);
  return [...line_items, ...charges].flatMap(({ taxes }) => stateCodes(taxes));
};

/**
 * Adds to a finalized transaction the codes to review by state. A warning is returned once, at the first line that it
 * applies to, so a code counts for the whole transaction in the state. A credit returns the tax of its sale and takes
 * over the codes of the sale.
 */
export const withReview = (stored: NextTransaction, sale: StoredTransaction | null): NextTransaction => {
  const { review: _, ...others } = stored;
  const { transaction } = stored;
  const found = new Map<string, Set<ReviewCode>>(
    Object.entries(sale?.review ?? {}).map(([state, codes]) => [state, new Set(codes)]),
  );
  for (const warning of transaction.warnings)
    if (isReviewCode(warning.code))
      for (const state of statesOfWarning(transaction, warning))
        found.set(state, (found.get(state) ?? new Set<ReviewCode>()).add(warning.code));
  if (found.size === 0) return others;
  const inOrder = (codes: ReadonlySet<ReviewCode>) => reviewCodes.filter((code) => codes.has(code));
  return { ...others, review: Object.fromEntries([...found].map(([state, codes]) => [state, inOrder(codes)])) };
};
