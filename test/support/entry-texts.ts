import type {
  Amounts,
  EntryException,
  JurisdictionAmounts,
  LiabilityEntry,
} from '../../shared/ledger/entries/entry.ts';
import { formatAmount, minorDigits, parseAmount } from '../../shared/money/currency.ts';
import { exemptParts } from './return-sums.ts';

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
