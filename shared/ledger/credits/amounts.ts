import { shippingList } from '../../calculations/charges.ts';
import { listCharges, listTaxRows } from '../../calculations/figures.ts';
import type { LineItemResponse, ShippingResponse, TaxRowResponse } from '../../calculations/response.ts';
import { allocate } from '../../money/allocate.ts';
import { formatAmount, minorDigits, parseAmount } from '../../money/currency.ts';
import { divideHalfUp } from '../../money/decimal.ts';
import {
  type Amounts,
  type Bases,
  type Credited,
  isLive,
  type NextTransaction,
  type RowAmounts,
  type Share,
  type StoredTransaction,
  type Transaction,
} from '../transaction.ts';

/** Pure arithmetic of credits, in minor units. */

export const zeroShare: Share = { net: 0n, tax: 0n };
export const plus = (a: Share, b: Share): Share => ({ net: a.net + b.net, tax: a.tax + b.tax });
export const minus = (a: Share, b: Share): Share => ({ net: a.net - b.net, tax: a.tax - b.tax });
export const isNothing = ({ net, tax }: Share): boolean => net === 0n && tax === 0n;

/** The recorded and credited amounts of a sale's line or shipping charge. Only live credits count. */
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

/** Returns the recorded amounts of a line or shipping charge. The calculated tax of each row defaults to its recorded tax. */
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
        calculated: calculated?.[index] ?? tax,
      };
    }),
  };
};

/** Returns the credited amounts after adding (`1n`) or removing (`-1n`) a credit. */
export const moved = (before: Amounts, by: Amounts, sign: 1n | -1n): Amounts => {
  const sum = (name: Exclude<keyof Amounts, 'rows'>) => before[name] + sign * by[name];
  return {
    net: sum('net'),
    tax: sum('tax'),
    discount: sum('discount'),
    third_party_discount: sum('third_party_discount'),
    taxable: sum('taxable'),
    exempt: sum('exempt'),
    rows: by.rows.map((row, index) => {
      // A sale without credits has no credited rows.
      const credited = before.rows[index] ?? noRow;
      return {
        taxable: credited.taxable + sign * row.taxable,
        exempt: credited.exempt + sign * row.exempt,
        tax: credited.tax + sign * row.tax,
        calculated: credited.calculated + sign * row.calculated,
      };
    }),
  };
};

/** Returns the balance of a charge after one more credit. */
export const afterCredit = ({ whole, credited }: Balance, by: Amounts): Balance => ({
  whole,
  credited: moved(credited, by, 1n),
});

/** Progress of crediting a total: the portion credited before, and the portion credited now. */
type Progress = { readonly before: bigint; readonly now: bigint; readonly total: bigint };

const between = (value: bigint, least: bigint, most: bigint) => (value < least ? least : value > most ? most : value);
/** Returns the amount, or zero if it is negative. */
export const positive = (a: bigint) => (a > 0n ? a : 0n);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * Returns a part's share of an amount: the cumulative share including this part, minus the amount already credited.
 *
 * Each share is within one minor unit of its exact proportion and never negative. Parts that exhaust the whole add up
 * to the full amount, regardless of earlier credits and voids.
 */
const cumulative = (whole: bigint, credited: bigint, { before, now, total }: Progress): bigint => {
  const left = positive(whole - credited);
  if (before + now >= total) return left;
  // Negative if a sent discount exceeds the amount, which is refused later.
  if (now <= 0n) return 0n;
  return between(divideHalfUp(whole * (before + now), total) - credited, 0n, left);
};

/** The discounts that reduce the price of a charge. A third-party discount does so only under some states' rules. */
export type Reducing = readonly ('discount' | 'third_party_discount')[];

/**
 * Returns the discount that a credit line inherits, prorated by amount to within one minor unit, and at most the
 * remaining discount. `reducing` lists all discounts that reduce the amount to the net.
 */
export const inheritedDiscount = (
  { whole, credited }: Balance,
  amount: bigint,
  name: Reducing[number] = 'discount',
  reducing: Reducing = [name],
): bigint => {
  const gross = (amounts: Amounts) => reducing.reduce((all, one) => all + amounts[one], amounts.net);
  const wholeGross = gross(whole);
  if (wholeGross === 0n) return 0n;
  const least = (whole[name] * amount) / wholeGross;
  const most = least * wholeGross === whole[name] * amount ? least : least + 1n;
  const share = divideHalfUp(whole[name] * (gross(credited) + amount), wholeGross) - credited[name];
  return smaller(between(share, least, most), positive(whole[name] - credited[name]));
};

/**
 * Returns the inherited share of a coupon that does not reduce the price. The customer does not get it back, so it
 * follows the credited net.
 */
export const inheritedCoupon = ({ whole, credited }: Balance, net: bigint): bigint => {
  const progress = { before: credited.net, now: net, total: whole.net };
  // If earlier credits sent other coupon amounts, the remaining coupon can exceed the remaining net.
  return smaller(cumulative(whole.third_party_discount, credited.third_party_discount, progress), positive(net));
};

/** Returns the tax of a part: the recorded tax in proportion to the net. The last part gets the remainder. */
export const recordedTax = (net: bigint, balance: Balance): bigint => {
  const left = remainingShare(balance);
  if (net === left.net) return left.tax;
  if (net === 0n) return 0n;
  return smaller(divideHalfUp(balance.whole.tax * net, balance.whole.net), left.tax);
};

/** The recorded and credited amounts of a tax row. */
type RowBalance = { readonly whole: RowAmounts; readonly credited: RowAmounts };

const balanceRows = ({ whole, credited }: Balance): RowBalance[] =>
  whole.rows.map((row, index) => ({ whole: row, credited: credited.rows[index] ?? noRow }));

const sumRows = (rows: readonly RowBalance[], at: keyof RowBalance, name: keyof RowAmounts): bigint =>
  rows.reduce((sum, row) => sum + row[at][name], 0n);

/**
 * Splits an amount of a part by row, using largest remainder on each row's cumulative share minus its credited amount.
 *
 * No row gets more than its remaining amount, so credits that exhaust a line refund the recorded amount of every row.
 */
const splitByRow = (amount: bigint, rows: readonly RowBalance[], name: 'taxable' | 'exempt' | 'tax'): bigint[] => {
  const whole = sumRows(rows, 'whole', name);
  const taken = sumRows(rows, 'credited', name) + amount;
  return allocate(
    amount,
    rows.map((row) => positive(row.whole[name] * taken - row.credited[name] * whole)),
  );
};

/** Splits the tax of a part by row. */
export const rowTaxes = (tax: bigint, balance: Balance): bigint[] => splitByRow(tax, balanceRows(balance), 'tax');

// Scales taxable and exempt together by the net: if their recorded sum equals the net, the scaled sum equals the scaled
// net.
const remainingBases = (whole: Bases, credited: Bases, progress: Progress): Bases => {
  const both = cumulative(whole.taxable + whole.exempt, credited.taxable + credited.exempt, progress);
  const least = positive(both - (whole.exempt - credited.exempt));
  const most = smaller(both, whole.taxable - credited.taxable);
  const taxable = between(cumulative(whole.taxable, credited.taxable, progress), least, most);
  return { taxable, exempt: both - taxable };
};

/**
 * Returns the bases of a part by row. A charge can have several state rows, by reason, rate and state. The part's bases
 * are the sum over all state rows, and also the sum over the rows of each local jurisdiction.
 */
const rowBases = (taxes: readonly TaxRowResponse[], balance: Balance, progress: Progress): Bases[] => {
  const rows = balanceRows(balance);
  const bases: Bases[] = [];
  const isState = (code: string) => code.length <= 'US-MI'.length;
  const codes = taxes.map(({ jurisdiction_code: code }) => (isState(code) ? '' : code));
  for (const indexes of Map.groupBy(codes.keys(), (index) => codes[index]).values()) {
    const own = indexes.map((index) => rows[index] as RowBalance);
    const sum = (at: keyof RowBalance) => ({
      taxable: sumRows(own, at, 'taxable'),
      exempt: sumRows(own, at, 'exempt'),
    });
    const { taxable, exempt } = remainingBases(sum('whole'), sum('credited'), progress);
    const [taxables, exempts] = [splitByRow(taxable, own, 'taxable'), splitByRow(exempt, own, 'exempt')];
    for (const [part, index] of indexes.entries())
      bases[index] = { taxable: taxables[part] as bigint, exempt: exempts[part] as bigint };
  }
  return bases;
};

type Charge = Pick<LineItemResponse, 'taxable_amount' | 'exempt_amount' | 'tax_amount' | 'taxes'>;

/** Returns a part of a recorded charge with the given tax. Its rows are prorated from the recorded rows. */
export const scaleCharge = (
  { taxes }: Pick<Charge, 'taxes'>,
  balance: Balance,
  taken: Share,
  exponent: number,
): Charge => {
  const { whole, credited } = balance;
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const progress = { before: credited.net, now: taken.net, total: whole.net };
  const written = ({ taxable, exempt }: Bases) => ({ taxable_amount: write(taxable), exempt_amount: write(exempt) });
  const parts = rowTaxes(taken.tax, balance);
  const bases = rowBases(taxes, balance, progress);
  return {
    ...written(remainingBases(whole, credited, progress)),
    tax_amount: write(taken.tax),
    taxes: taxes.map((row, index): TaxRowResponse => {
      const base = written(bases[index] as Bases);
      return { ...row, ...base, tax_amount: write(parts[index] as bigint) };
    }),
  };
};

/** The fields of a transaction that `listCalculatedTaxes` reads. */
export type Taxed = Pick<StoredTransaction, 'transaction' | 'calculatedTaxes'>;

/**
 * Returns the calculated tax of each row in minor units: rows of the lines first, then of the shipping charges.
 * Over-collected rows have no calculated tax.
 */
export const listCalculatedTaxes = ({ transaction, calculatedTaxes }: Taxed): readonly bigint[] => {
  const exponent = minorDigits(transaction.currency);
  const recorded = ({ taxability_reason, tax_amount }: TaxRowResponse) =>
    taxability_reason === 'over_collected' ? 0n : parseAmount(tax_amount, exponent);
  return calculatedTaxes ?? listTaxRows(transaction).map(recorded);
};

/** Groups the values of all rows by charge: the lines first, then the shipping charges. */
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

/** Returns the remaining amounts of a sale after its live credits. */
export const calculateRemaining = (stored: StoredTransaction): Remaining => {
  const { transaction, credited } = stored;
  const exponent = minorDigits(transaction.currency);
  const calculated = splitByCharge(transaction, listCalculatedTaxes(stored));
  const charges = new Map(
    listCharges(transaction).map((charge, at): [string, Balance] => {
      const whole = chargeAmounts(charge, exponent, calculated[at]);
      return [charge.id, { whole, credited: credited.charges.get(charge.id) ?? noAmounts }];
    }),
  );
  const sum = [...charges.values()].map(remainingShare).reduce(plus, zeroShare);
  return { charges, total: minus(sum, credited.unmatched) };
};

/** Finds the parent line of a credit line: by `parent_line_item_id` if sent, otherwise by the same id. */
export const findParentLine = (
  line: { readonly id?: string | null | undefined; readonly parent_line_item_id?: string | null | undefined },
  { line_items }: Transaction,
) => line_items.find(({ id }) => id === (line.parent_line_item_id ?? line.id));

/** Finds the parent's shipping charge for a credit's shipping charge: by id if sent, otherwise the parent's only charge. */
export const parentShipping = ({ id }: { readonly id?: string | null | undefined }, { shipping }: Transaction) => {
  const [only, ...others] = shippingList(shipping);
  return id ? [only, ...others].find((charge) => charge?.id === id) : others.length > 0 ? undefined : only;
};

/** Returns, for each charge of a credit, the id of the parent's line or shipping charge; `undefined` if none matches. */
export const parentIds = (
  { line_items, shipping }: Pick<Transaction, 'line_items' | 'shipping'>,
  parent: Transaction,
): (string | undefined)[] => [
  ...line_items.map((line) => findParentLine(line, parent)?.id),
  ...shippingList(shipping).map((charge) => parentShipping(charge, parent)?.id),
];

/**
 * Returns the amounts that a recorded credit takes from its parent. Finalizing adds them to the counters, voiding
 * removes them.
 */
export const toCredited = ({ transaction: credit, calculatedTaxes }: Taxed, parent: Transaction): Credited => {
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

/** Returns the parent after a credit is finalized (`1n`) or voided (`-1n`), with new counters and refund status. */
export const withCredited = (parent: StoredTransaction, taken: Credited, sign: 1n | -1n): StoredTransaction => {
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
    },
  };
};

/** Whether a credit is live and belongs to a sale. */
export const isCreditFor = ({ transaction: credit }: Taxed, { transaction }: StoredTransaction): boolean =>
  credit.parent_transaction_id === transaction.id && isLive(credit);

/** Returns a sale without one of its credits; unchanged unless it is a live credit of the sale. */
export const withoutCredit = (sale: StoredTransaction, credit: Taxed): StoredTransaction =>
  isCreditFor(credit, sale) ? withCredited(sale, toCredited(credit, sale.transaction), -1n) : sale;

const isRecorded = ({ rows }: Amounts): boolean => rows.every(({ tax, calculated }) => tax === calculated);

/**
 * Returns the calculated tax that a part takes, by row. This is the part's recorded tax, or the cumulative share by net
 * if the recorded tax ever differed from the calculated tax. Parts that exhaust the net add up to the calculated tax of
 * every row.
 */
const takenTaxes = ({ whole, credited }: Balance, part: Amounts, isSupplied: boolean): bigint[] => {
  if (!isSupplied && isRecorded(whole) && isRecorded(credited)) return part.rows.map(({ tax }) => tax);
  const progress = { before: credited.net, now: part.net, total: whole.net };
  return whole.rows.map(({ calculated }, index) =>
    cumulative(calculated, credited.rows[index]?.calculated ?? 0n, progress),
  );
};

/**
 * Returns a finalized credit with the calculated tax that it takes from its sale, given the sale with its other live
 * credits.
 */
export const withCalculatedTaxes = (credit: NextTransaction, sale: StoredTransaction): NextTransaction => {
  const { transaction } = credit;
  const exponent = minorDigits(transaction.currency);
  const isSupplied = transaction.tax_amount !== transaction.calculated_tax_amount;
  const own = splitByCharge(transaction, listCalculatedTaxes(credit));
  const balances = new Map(calculateRemaining(sale).charges);
  const ids = parentIds(transaction, sale.transaction);
  const taxes = listCharges(transaction).flatMap((charge, at) => {
    const id = ids[at];
    if (id === undefined) return own[at] as readonly bigint[];
    const balance = balances.get(id) as Balance;
    const taken = takenTaxes(balance, chargeAmounts(charge, exponent), isSupplied);
    // Several charges of a credit may credit the same charge of the sale.
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
