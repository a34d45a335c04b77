import { shippingList } from '../../calculations/charges.ts';
import { listCharges, listTaxRows } from '../../calculations/figures.ts';
import type { LineItemResponse, ShippingResponse, TaxRowResponse } from '../../calculations/response.ts';
import { allocate } from '../../money/allocate.ts';
import { formatAmount, minorDigits, parseAmount } from '../../money/currency.ts';
import { decimal, digits, divideHalfUp, rescale } from '../../money/decimal.ts';
import type { Amounts, Bases, Credited, RowAmounts, Share, StoredTransaction, Transaction } from '../transaction.ts';

/** The arithmetic of credits, in minor units. Pure. */

export const zeroShare: Share = { net: 0n, tax: 0n };
export const plus = (a: Share, b: Share): Share => ({ net: a.net + b.net, tax: a.tax + b.tax });
export const minus = (a: Share, b: Share): Share => ({ net: a.net - b.net, tax: a.tax - b.tax });
export const isNothing = ({ net, tax }: Share): boolean => net === 0n && tax === 0n;

/** A line or a shipping charge of a sale: the recorded amounts, and the amounts of live credits. */
export type Balance = { readonly whole: Amounts; readonly credited: Amounts };

export const remainingShare = ({ whole, credited }: Balance): Share => minus(whole, credited);

const noRow: RowAmounts = { taxable: 0n, exempt: 0n, tax: 0n, calculated: 0n };
export const noAmounts: Amounts = {
  ...zeroShare,
  taxable: 0n,
  exempt: 0n,
  discount: 0n,
  third_party_discount: 0n,
  rows: [],
};

export const nothingCredited: Credited = { charges: new Map(), unmatched: zeroShare };

/** The recorded amounts of a line or a shipping charge. The calculated tax of its rows is the recorded one unless given. */
export const chargeAmounts = (
  charge: LineItemResponse | ShippingResponse,
  exponent: number,
  calculated?: readonly bigint[],
): Amounts => {
  const read = (text: string) => parseAmount(text, exponent);
  return {
    net: read(charge.net_amount),
    tax: read(charge.tax_amount),
    discount: read(charge.applied_discount_amount),
    third_party_discount:
      'applied_third_party_discount_amount' in charge ? read(charge.applied_third_party_discount_amount) : 0n,
    taxable: read(charge.taxable_amount),
    exempt: read(charge.exempt_amount),
    rows: charge.taxes.map(({ taxable_amount, exempt_amount, tax_amount }, index) => {
      const tax = read(tax_amount);
      return {
        taxable: read(taxable_amount),
        exempt: read(exempt_amount),
        tax,
        calculated: calculated ? (calculated[index] ?? 0n) : tax,
      };
    }),
  };
};

/** The credited amounts after adding (`1n`) or removing (`-1n`) a credit. */
export const moved = (before: Amounts, by: Amounts, sign: 1n | -1n): Amounts => {
  const sum = (name: Exclude<keyof Amounts, 'rows'>) => before[name] + sign * by[name];
  return {
    net: sum('net'),
    tax: sum('tax'),
    discount: sum('discount'),
    third_party_discount: sum('third_party_discount'),
    taxable: sum('taxable'),
    exempt: sum('exempt'),
    // A sale without credits has no credited rows, so iterate over the longer list.
    rows: (before.rows.length > by.rows.length ? before : by).rows.map((_, index) => {
      const [left, right] = [before.rows[index] ?? noRow, by.rows[index] ?? noRow];
      return {
        taxable: left.taxable + sign * right.taxable,
        exempt: left.exempt + sign * right.exempt,
        tax: left.tax + sign * right.tax,
        calculated: left.calculated + sign * right.calculated,
      };
    }),
  };
};

/** The balance of a charge after another credit of it. */
export const afterCredit = ({ whole, credited }: Balance, by: Amounts): Balance => ({
  whole,
  credited: moved(credited, by, 1n),
});

/** A credited portion: the part before, the part now, and the whole. */
type Progress = { readonly before: bigint; readonly now: bigint; readonly of: bigint };

const between = (value: bigint, least: bigint, most: bigint) => (value < least ? least : value > most ? most : value);
const positive = (a: bigint) => (a > 0n ? a : 0n);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * The share of an amount for a part: the cumulative share up to now, minus the amount credited before.
 *
 * Every share is within a cent of its proportion. Parts that exhaust the whole add up to the whole amount, whatever credits
 * came before and whichever of them were voided. Never negative.
 */
export const cumulative = (whole: bigint, credited: bigint, { before, now, of }: Progress): bigint => {
  const left = positive(whole - credited);
  if (before + now >= of) return left;
  if (now === 0n) return 0n;
  return between(divideHalfUp(whole * (before + now), of) - credited, 0n, left);
};

/** Which discounts reduce the price of a charge: third-party discounts do where the state's rules say so. */
export type Reducing = readonly ('discount' | 'third_party_discount')[];

/**
 * A discount that a credit line inherits, pro rata by amount, within a cent of its proportion. `reducing` are all discounts
 * that are between the amount and the net.
 */
export const inheritedDiscount = (
  { whole, credited }: Balance,
  amount: bigint,
  name: Reducing[number] = 'discount',
  reducing: Reducing = [name],
): bigint => {
  const gross = (amounts: Amounts) => reducing.reduce((all, one) => all + amounts[one], amounts.net);
  const of = gross(whole);
  if (of === 0n) return 0n;
  const least = (whole[name] * amount) / of;
  const most = least * of === whole[name] * amount ? least : least + 1n;
  return between(divideHalfUp(whole[name] * (gross(credited) + amount), of) - credited[name], least, most);
};

/** The share of a coupon by the credited net of the line. */
export const couponByNet = ({ whole, credited }: Balance, net: bigint): bigint =>
  cumulative(whole.third_party_discount, credited.third_party_discount, {
    before: credited.net,
    now: net,
    of: whole.net,
  });

/** A coupon that does not reduce the price is not refunded to the customer: its share follows the credited net. */
export const inheritedCoupon = (balance: Balance, net: bigint): bigint =>
  // After credits with other coupons, the remaining coupon may exceed the remaining net.
  smaller(couponByNet(balance, net), positive(net));

/** The tax of a part: the recorded tax in proportion to the net; the last part gets the remainder. */
export const recordedTax = (net: bigint, balance: Balance): bigint => {
  const left = remainingShare(balance);
  if (net === left.net) return left.tax;
  if (net === 0n) return 0n;
  return smaller(divideHalfUp(balance.whole.tax * net, balance.whole.net), left.tax);
};

/**
 * The tax of a part by row: the cumulative share of each row minus its credited tax, by largest remainder.
 *
 * No row gets more than its remaining tax. So credits that exhaust a line refund the recorded tax of every row.
 */
export const rowTaxes = (tax: bigint, { whole, credited }: Balance): bigint[] =>
  allocate(
    tax,
    whole.rows.map((row, index) =>
      positive(row.tax * (credited.tax + tax) - (credited.rows[index]?.tax ?? 0n) * whole.tax),
    ),
  );

const noBases: Bases = { taxable: 0n, exempt: 0n };

// Taxable and exempt are scaled together by the net, so that their sum stays equal to it where the recorded sum is.
const remainingBases = (whole: Bases, credited: Bases = noBases, progress: Progress): Bases => {
  const both = cumulative(whole.taxable + whole.exempt, credited.taxable + credited.exempt, progress);
  const least = positive(both - (whole.exempt - credited.exempt));
  const most = smaller(both, whole.taxable - credited.taxable);
  const taxable = between(cumulative(whole.taxable, credited.taxable, progress), least, most);
  return { taxable, exempt: both - taxable };
};

type Charge = Pick<LineItemResponse, 'taxable_amount' | 'exempt_amount' | 'tax_amount' | 'taxes'>;

/** A part of a recorded charge with the given tax. Its rows are the recorded rows in proportion. */
export const scaleCharge = (
  charge: Pick<Charge, 'taxes'>,
  balance: Balance,
  taken: Share,
  exponent: number,
): Charge => {
  const { whole, credited } = balance;
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const progress = { before: credited.net, now: taken.net, of: whole.net };
  const written = ({ taxable, exempt }: Bases) => ({ taxable_amount: write(taxable), exempt_amount: write(exempt) });
  const taxes = rowTaxes(taken.tax, balance);
  return {
    ...written(remainingBases(whole, credited, progress)),
    tax_amount: write(taken.tax),
    taxes: charge.taxes.map((row, index): TaxRowResponse => {
      const bases = remainingBases(whole.rows[index] ?? noBases, credited.rows[index], progress);
      return { ...row, ...written(bases), tax_amount: write(taxes[index] as bigint) };
    }),
  };
};

type Taxed = Pick<Transaction, 'line_items' | 'shipping' | 'tax_amount' | 'calculated_tax_amount'>;

const rateUnits = ({ taxable_amount, rate }: TaxRowResponse, exponent: number): bigint =>
  parseAmount(taxable_amount, exponent) * rescale(decimal(rate), digits.fraction);

/**
 * The calculated tax of each row, of the lines and then of the shipping charges, in minor units. Only its sum is recorded where
 * another tax was: it is distributed in proportion to the recorded tax, or to taxable amount times rate where no tax was
 * recorded, by largest remainder. Nothing was calculated on a row that is over-collected.
 */
export const listCalculatedTaxes = (transaction: Taxed, exponent: number): bigint[] => {
  const rows = listTaxRows(transaction);
  const counts = rows.map(({ taxability_reason }) => taxability_reason !== 'over_collected');
  const weighted = (weigh: (row: TaxRowResponse) => bigint) =>
    rows.map((row, index) => (counts[index] ? weigh(row) : 0n));
  const recorded = weighted(({ tax_amount }) => parseAmount(tax_amount, exponent));
  if (transaction.tax_amount === transaction.calculated_tax_amount) return recorded;
  const total = parseAmount(transaction.calculated_tax_amount, exponent);
  const isSome = (weights: readonly bigint[]) => weights.some((weight) => weight > 0n);
  const weights = isSome(recorded) ? recorded : weighted((row) => rateUnits(row, exponent));
  if (isSome(weights)) return allocate(total, weights);
  // A fee without a rate.
  return rows.map((_, index) => (index === 0 ? total : 0n));
};

/** Split the values of all rows by the charges that they belong to: the lines and then the shipping charges. */
export const splitByCharge = <Value>(
  transaction: Pick<Transaction, 'line_items' | 'shipping'>,
  values: readonly Value[],
): readonly (readonly Value[])[] => {
  let position = 0;
  return listCharges(transaction).map(({ taxes }) => {
    const from = position;
    position += taxes.length;
    return values.slice(from, position);
  });
};

/** The remaining amounts of a sale: by the id of the line or shipping charge, and in total. */
export type Remaining = { readonly charges: ReadonlyMap<string, Balance>; readonly total: Share };

/** The remaining amounts of a sale after its live credits. */
export const calculateRemaining = ({ transaction, credited }: StoredTransaction): Remaining => {
  const exponent = minorDigits(transaction.currency);
  const calculated = splitByCharge(transaction, listCalculatedTaxes(transaction, exponent));
  const charges = new Map(
    listCharges(transaction).map((charge, at): [string, Balance] => [
      charge.id,
      {
        whole: chargeAmounts(charge, exponent, calculated[at]),
        credited: credited.charges.get(charge.id) ?? noAmounts,
      },
    ]),
  );
  const sum = [...charges.values()].map(remainingShare).reduce(plus, zeroShare);
  return { charges, total: minus(sum, credited.unmatched) };
};

/** The parent line of a credit line: the one that it names, otherwise the one with the same id. */
export const findParentLine = (
  line: { readonly id?: string | null | undefined; readonly parent_line_item_id?: string | null | undefined },
  { line_items }: Transaction,
) => line_items.find(({ id }) => id === (line.parent_line_item_id ?? line.id));

/** The parent's shipping charge that a credit's one credits: the one with the same id, otherwise the only one. */
export const parentShipping = ({ id }: { readonly id?: string | null | undefined }, { shipping }: Transaction) => {
  const [only, ...others] = shippingList(shipping);
  return id ? [only, ...others].find((charge) => charge?.id === id) : others.length > 0 ? undefined : only;
};

/** The id of the parent's line or shipping charge that each charge of a credit credits; `undefined` where it matches none. */
export const parentIds = (
  { line_items, shipping }: Pick<Transaction, 'line_items' | 'shipping'>,
  parent: Transaction,
): (string | undefined)[] => [
  ...line_items.map((line) => findParentLine(line, parent)?.id),
  ...shippingList(shipping).map((charge) => parentShipping(charge, parent)?.id),
];

type Credit = Pick<StoredTransaction, 'transaction' | 'calculatedTaxes'>;

/** The amounts that a recorded credit takes from its parent: finalizing adds them to the counters, voiding removes them. */
export const toCredited = ({ transaction: credit, calculatedTaxes }: Credit, parent: Transaction): Credited => {
  const exponent = minorDigits(credit.currency);
  const calculated = calculatedTaxes ? splitByCharge(credit, calculatedTaxes) : null;
  const ids = parentIds(credit, parent);
  const charges = new Map<string, Amounts>();
  let unmatched = zeroShare;
  for (const [at, charge] of listCharges(credit).entries()) {
    const id = ids[at];
    const taken = chargeAmounts(charge, exponent, calculated?.[at]);
    if (id === undefined) unmatched = plus(unmatched, taken);
    else charges.set(id, moved(charges.get(id) ?? noAmounts, taken, 1n));
  }
  return { charges, unmatched };
};

/** The parent after a credit is finalized (`1n`) or voided (`-1n`), with new counters, refund status and version. */
export const withCredited = (
  parent: StoredTransaction,
  taken: Credited,
  sign: 1n | -1n,
  at: string,
): StoredTransaction => {
  const exponent = minorDigits(parent.transaction.currency);
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const charges = new Map(parent.credited.charges);
  for (const [id, by] of taken.charges) charges.set(id, moved(charges.get(id) ?? noAmounts, by, sign));
  const unmatched = (sign === 1n ? plus : minus)(parent.credited.unmatched, taken.unmatched);
  const credited = { charges, unmatched };
  const sum = [...charges.values(), unmatched].reduce<Share>(plus, zeroShare);
  const counted = { ...parent, credited };
  return {
    ...counted,
    transaction: {
      ...parent.transaction,
      credited_amount: write(sum.net),
      credited_tax_amount: write(sum.tax),
      refund_status: isNothing(sum) ? 'none' : isNothing(calculateRemaining(counted).total) ? 'full' : 'partial',
      updated_at: at,
      version: parent.transaction.version + 1,
    },
  };
};

const isRecorded = ({ rows }: Amounts): boolean => rows.every(({ tax, calculated }) => tax === calculated);

/**
 * The calculated tax that a part takes, by row: the recorded tax of the part, or, where another tax than the calculated one
 * was ever recorded, the cumulative share by net. Parts that exhaust the net add up to the calculated tax of every row.
 */
const takenTaxes = ({ whole, credited }: Balance, part: Amounts, isSupplied: boolean): bigint[] => {
  if (!isSupplied && isRecorded(whole) && isRecorded(credited)) return part.rows.map(({ tax }) => tax);
  const progress = { before: credited.net, now: part.net, of: whole.net };
  return whole.rows.map(({ calculated }, index) =>
    cumulative(calculated, credited.rows[index]?.calculated ?? 0n, progress),
  );
};

/** A finalized credit with the calculated tax that it takes from its sale, given the sale with its other live credits. */
export const withCalculatedTaxes = (credit: StoredTransaction, sale: StoredTransaction): StoredTransaction => {
  const { transaction } = credit;
  const exponent = minorDigits(transaction.currency);
  const isSupplied = transaction.tax_amount !== transaction.calculated_tax_amount;
  const own = splitByCharge(transaction, listCalculatedTaxes(transaction, exponent));
  const balances = new Map(calculateRemaining(sale).charges);
  const ids = parentIds(transaction, sale.transaction);
  const taxes = listCharges(transaction).flatMap((charge, at) => {
    const id = ids[at];
    const balance = id === undefined ? undefined : balances.get(id);
    if (id === undefined || !balance) return own[at] ?? [];
    const taken = takenTaxes(balance, chargeAmounts(charge, exponent), isSupplied);
    // Several charges may credit the same one of the sale.
    balances.set(id, afterCredit(balance, chargeAmounts(charge, exponent, taken)));
    return taken;
  });
  const recorded = listTaxRows(transaction).map(({ tax_amount }) => parseAmount(tax_amount, exponent));
  const isKept = isSupplied || taxes.some((tax, index) => tax !== recorded[index]);
  if (!isKept) return { ...credit, calculatedTaxes: undefined, isUnderCollected: undefined };
  const { tax_amount, calculated_tax_amount } = sale.transaction;
  const isUnder = parseAmount(tax_amount, exponent) < parseAmount(calculated_tax_amount, exponent);
  return { ...credit, calculatedTaxes: taxes, isUnderCollected: isUnder || undefined };
};
