import { shippingList } from '../../calculations/charges.ts';
import { listCharges } from '../../calculations/figures.ts';
import { formatAmount, minorDigits } from '../../money/currency.ts';
import { listCalculatedTaxes, splitByCharge } from '../calculated-taxes.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import {
  type Amounts,
  type Balance,
  type Credited,
  chargeAmounts,
  isNothing,
  minus,
  moved,
  noAmounts,
  plus,
  remainingShare,
  type Share,
  zeroShare,
} from './arithmetic.ts';

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
export const parentLineId = (
  line: { readonly id?: string | null | undefined; readonly parent_line_item_id?: string | null | undefined },
  parent: Transaction,
): string | undefined => {
  const wanted = line.parent_line_item_id ?? line.id;
  return parent.line_items.find(({ id }) => id === wanted)?.id;
};

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
  ...line_items.map((line) => parentLineId(line, parent)),
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
