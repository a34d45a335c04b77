import { isOwn } from '../../content/own-rules.ts';
import { rateOn } from '../../content/rates.ts';
import type { Release, Rule } from '../../content/release.ts';
import { type Decimal, decimalText } from '../../money/decimal.ts';
import type { Treatment } from '../../tax/assessment.ts';
import type { TaxRow } from '../../tax/document.ts';
import { effectDefinition } from '../../tax/effects/effects.ts';
import { chooseRule } from '../../tax/rule-choice.ts';
import { effectInWords, limitsInWords } from '../../tax/rule-words.ts';
import type { ProductTaxCode } from '../../vocabulary/product-tax-code.ts';
import type { Writer } from '../figures.ts';
import { timesQuantity } from './step.ts';

/** The goods, place and buyer of a row. */
export type Goods = {
  readonly product: ProductTaxCode;
  readonly quantity: Decimal;
  /** Why the buyer is exempt, as a clause; `null` if no exemption applies. */
  readonly exemption: string | null;
  readonly day: string;
  readonly release: Release | null;
  readonly treatments: readonly Treatment[];
  /** The goods' share of the shipping. */
  readonly shipping: bigint;
};

type Row = TaxRow & { readonly write: Writer };

const per = ({ quantity }: Goods, amount: string): string => {
  const all = decimalText(timesQuantity(amount, quantity));
  const units = decimalText(quantity);
  return units === '1' ? amount : `${amount} for each of ${units} units, ${all} in total`;
};

/** The price that a threshold is compared with: for some rules, with its share of the shipping. */
const describePrice = ({ taxable, exempt, write }: Row, { shipping }: Goods, rule: Rule): string => {
  const net = taxable + exempt;
  return rule.threshold_includes_shipping && shipping > 0n
    ? `${write(net)} (${write(net + shipping)} with its share of the shipping)`
    : write(net);
};

/** The arithmetic of a threshold, cap, band or fee, with the figures of the row. */
const describeArithmetic = (rule: Rule, row: Row, goods: Goods): string => {
  const { taxable, exempt, write, reason, rate } = row;
  return (
    effectDefinition(rule.effect).explain?.(rule.effect, {
      taxable: write(taxable),
      exempt: write(exempt),
      isTaxed: taxable > 0n,
      rate,
      reason,
      price: describePrice(row, goods, rule),
      perUnit: (amount) => per(goods, amount),
    }) ?? ''
  );
};

const stateName = ({ release }: Goods): string => release?.state ?? 'the place';

/** Why nothing is collected under any rule, or `null`. */
const collectionExemptionText = ({ reason, jurisdiction: { name } }: Row, goods: Goods): string | null => {
  switch (reason) {
    case 'customer_exempt':
      return `${name}: no tax, because ${goods.exemption ?? 'the buyer is exempt'}.`;
    case 'not_collecting':
      return `${name}: no tax, because the account has no registration for ${stateName(goods)} on ${goods.day}.`;
    case 'marketplace_collects':
      return `${name}: no tax, because collected_by is marketplace: the marketplace collects it.`;
    case 'not_supported': {
      const uncertainty = goods.treatments
        .flatMap(({ uncertainties }) => uncertainties)
        .find(({ code }) => code === 'not_covered');
      return uncertainty?.message ?? `${name}: not covered by any content release. No tax was calculated.`;
    }
    case 'over_collected':
      return `${name}: tax was collected although none was calculated.`;
    default:
      return null;
  }
};

// Above a holiday's limit, the rule that applies without the holiday decides.
const missedHoliday = ({ jurisdiction, reason }: Row, { release, product, day }: Goods): string => {
  if (!release || reason === 'product_exempt_holiday') return '';
  const holiday = chooseRule(release, jurisdiction, product, day, ({ effect }) => effect.type === 'holiday');
  return holiday ? ` The price is above the limit of the sales-tax holiday (rule ${holiday.id}).` : '';
};

const describeSpan = (rule: Rule): string => {
  const { from, to, effect, season } = rule;
  const days =
    effect.type === 'holiday' && !season ? `from ${from} to ${to}` : from === null ? '' : `in force since ${from}`;
  return [isOwn(rule) ? 'an own rule' : '', days, ...limitsInWords(rule)]
    .map((clause) => (clause === '' ? '' : `, ${clause}`))
    .join('');
};

// For military mail, the note says why no state taxes it.
const untaxedNote = ({ jurisdiction: { code } }: Row, { release, day }: Goods): string =>
  (release && rateOn(release, code, day)?.note) ?? '';

/** The rule and its arithmetic for the goods of a row, as sentences. */
export const ruleText = (row: Row, rule: Rule | undefined, goods: Goods): string => {
  const { name } = row.jurisdiction;
  const collectionExemption = collectionExemptionText(row, goods);
  if (collectionExemption !== null) return collectionExemption;
  if (!rule)
    return row.reason === 'not_subject_to_tax'
      ? `${name} has no general sales tax. ${untaxedNote(row, goods)}`.trim()
      : `${name}: no rule for ${goods.product.path}; taxed as general goods.`;
  const words = `${name}: ${goods.product.canonical} is ${effectInWords(rule.effect)} (rule ${rule.id}${describeSpan(rule)}).`;
  return `${words} ${describeArithmetic(rule, row, goods)}`.trim() + missedHoliday(row, goods);
};
