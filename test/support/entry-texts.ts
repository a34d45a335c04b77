import { Decimal } from 'decimal.js';
import type {
  Amounts,
  EntryException,
  JurisdictionAmounts,
  LiabilityEntry,
} from '../../shared/ledger/entries/entry.ts';
import { formatAmount, minorDigits, parseAmount } from '../../shared/money/currency.ts';

export const zero = new Decimal(0);
export const sum = (values: readonly Decimal.Value[]) => values.reduce<Decimal>((all, value) => all.plus(value), zero);
export const getSum = <Item>(items: readonly Item[], amount: (item: Item) => Decimal.Value) => sum(items.map(amount));

/** The parts of the exempt amount of a return. */
export const exemptParts = [
  ...(['resale', 'government', 'nonprofit', 'direct_pay', 'customer', 'snap'] as const),
  ...(['product', 'marketplace', 'not_registered'] as const),
] as const;
export type Part = (typeof exemptParts)[number] | 'taxable' | 'not_covered';

/** The amounts of a sale or credit in a state or jurisdiction. They are positive even for a credit, whose sign is -1. */
type ReturnFigures = {
  readonly sign: 1 | -1;
  readonly gross: Decimal;
  readonly tax: Decimal;
  readonly calculated: Decimal;
  readonly part: (name: Part) => Decimal;
};

/** Returns the expected sums of a return, independently of the service. */
export const returnSums = (documents: readonly ReturnFigures[]) => {
  const signed = (amount: (figures: ReturnFigures) => Decimal) =>
    getSum(documents, (figures) => amount(figures).times(figures.sign)).toFixed(2);
  const part = (name: Part) => signed((figures) => figures.part(name));
  const credits = documents.filter(({ sign }) => sign < 0);
  return {
    gross_amount: signed(({ gross }) => gross),
    exempt_amount: getSum(exemptParts, part).toFixed(2),
    exempt_by_reason: Object.fromEntries(exemptParts.map((name) => [name, part(name)])),
    not_covered_amount: part('not_covered'),
    taxable_amount: part('taxable'),
    calculated_tax_amount: signed(({ calculated }) => calculated),
    tax_amount: signed(({ tax }) => tax),
    over_collected_amount: signed(({ tax, calculated }) => Decimal.max(0, tax.minus(calculated))),
    credit_amount: getSum(credits, ({ gross }) => gross.neg()).toFixed(2),
    credit_count: credits.length,
    count: documents.length,
  };
};

/** Returns the reasons for which a document is an exception of a return, with their gross. */
export const listExceptions = ({ sign, gross, tax, calculated }: ReturnFigures, uncovered: Decimal): string[] => [
  ...(uncovered.gt(0) ? [`not_covered ${uncovered.times(sign).toFixed(2)}`] : []),
  ...(tax.gt(calculated) ? [`over_collected ${gross.times(sign).toFixed(2)}`] : []),
  ...(tax.lt(calculated) ? [`under_collected ${gross.times(sign).toFixed(2)}`] : []),
];

export const reasons = exemptParts.filter((part) => part !== 'product');

/** Amounts as decimal strings. */
export type TextAmounts = {
  readonly taxable_amount: string;
  readonly exempt_amount: string;
  readonly exempt?: { readonly [Reason in (typeof reasons)[number]]?: string } | undefined;
  readonly not_covered_amount?: string | undefined;
};
export type TextRow = Omit<JurisdictionAmounts, keyof Amounts> &
  TextAmounts & { readonly tax_amount: string; readonly calculated_tax_amount?: string };
type TextException = Pick<EntryException, 'reason'> & { readonly gross_amount: string };
export type TextEntry = Omit<LiabilityEntry, 'base' | 'amounts' | 'exceptions'> & {
  readonly base: TextAmounts;
  readonly amounts: readonly TextRow[];
  readonly exceptions?: readonly TextException[];
};

/**
 * Converts an entry of decimal strings to minor units. A tax difference counts as over-collected according to the sign
 * of the tax.
 */
export const entryFromTexts = ({ base, amounts, exceptions, ...entry }: TextEntry): LiabilityEntry => {
  const read = (text = '0') => parseAmount(text, minorDigits(entry.currency));
  const getAmounts = (texts: TextAmounts, tax = 0n, calculated = tax): Amounts => {
    const difference = tax - calculated;
    const isOver = (tax < 0n ? -difference : difference) > 0n;
    const parts = {
      ...Object.fromEntries(reasons.map((reason) => [reason, read(texts.exempt?.[reason])])),
      not_covered: read(texts.not_covered_amount),
      difference,
      over_collected: isOver ? difference : 0n,
    };
    const some = Object.fromEntries(Object.entries(parts).filter(([, minor]) => minor !== 0n));
    return { taxable: read(texts.taxable_amount), exempt: read(texts.exempt_amount), tax, ...some };
  };
  return {
    ...entry,
    base: getAmounts(base),
    amounts: amounts.map((row) => {
      const { taxable_amount, exempt_amount, exempt, not_covered_amount, tax_amount, calculated_tax_amount, ...place } =
        row;
      const texts = {
        taxable_amount,
        exempt_amount,
        ...(exempt && { exempt }),
        ...(not_covered_amount !== undefined && { not_covered_amount }),
      };
      return { ...place, ...getAmounts(texts, read(tax_amount), read(calculated_tax_amount ?? tax_amount)) };
    }),
    ...(exceptions && {
      exceptions: exceptions.map(({ reason, gross_amount }) => ({ reason, gross: read(gross_amount) })),
    }),
  };
};

/** Amounts in dollars as decimal strings, without tax. */
export const amountTexts = ({ taxable, exempt, not_covered, ...parts }: Amounts): TextAmounts => {
  const write = (minor: bigint) => formatAmount(minor, 2);
  const named = reasons.flatMap((reason) => (parts[reason] ? [[reason, write(parts[reason])]] : []));
  return {
    taxable_amount: write(taxable),
    exempt_amount: write(exempt),
    ...(named.length > 0 && { exempt: Object.fromEntries(named) }),
    ...(not_covered && { not_covered_amount: write(not_covered) }),
  };
};
