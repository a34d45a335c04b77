import { Decimal } from 'decimal.js';
import type { Amounts } from '../../shared/ledger/entries/entry.ts';
import { formatAmount } from '../../shared/money/currency.ts';

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

/** Returns why a document is an exception of a return, with the gross amount for each reason. */
export const listExceptions = ({ sign, gross, tax, calculated }: ReturnFigures, uncovered: Decimal): string[] => [
  ...(uncovered.gt(0) ? [`not_covered ${uncovered.times(sign).toFixed(2)}`] : []),
  ...(tax.gt(calculated) ? [`over_collected ${gross.times(sign).toFixed(2)}`] : []),
  ...(tax.lt(calculated) ? [`under_collected ${gross.times(sign).toFixed(2)}`] : []),
];

const reasons = exemptParts.filter((part) => part !== 'product');

/** Converts amounts from cents to decimal strings, without the tax. */
export const amountTexts = ({ taxable, exempt, not_covered, ...parts }: Amounts) => {
  const write = (minor: bigint) => formatAmount(minor, 2);
  const named = reasons.flatMap((reason) => (parts[reason] ? [[reason, write(parts[reason])]] : []));
  return {
    taxable_amount: write(taxable),
    exempt_amount: write(exempt),
    ...(named.length > 0 && { exempt: Object.fromEntries(named) }),
    ...(not_covered && { not_covered_amount: write(not_covered) }),
  };
};
