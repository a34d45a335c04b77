import type { Release, Rule } from '../../content/release.ts';
import type { Decimal } from '../../money/decimal.ts';
import type { TaxRow, Treatment } from '../../tax/document.ts';
import { definitionOf } from '../../tax/effects/effects.ts';
import { chooseRule } from '../../tax/rule-choice.ts';
import { effectInWords, limitsInWords } from '../../tax/rule-words.ts';
import type { ProductTaxCode } from '../../vocabulary/product-tax-code.ts';
import type { Exemption } from '../fields.ts';
import type { Writer } from '../figures.ts';
import { decimalText, forAll } from './step.ts';

/** What a row is of: goods in a place, and who buys them. */
export type Goods = {
  readonly product: ProductTaxCode;
  readonly quantity: Decimal;
  /** The buyer's certificate, and where it stands in the request. */
  readonly exemption: { readonly certificate: Exemption; readonly pointer: string } | null;
  readonly day: string;
  readonly release: Release | null;
  readonly treatments: readonly Treatment[];
  /** Its share of the charge for shipping. */
  readonly shipping: bigint;
};

type Row = TaxRow & { readonly write: Writer };

const per = ({ quantity }: Goods, amount: string): string => {
  const all = decimalText(forAll(amount, quantity));
  const units = decimalText(quantity);
  return units === '1' ? amount : `${amount} for each of ${units}, together ${all}`;
};

/** The price that a threshold is compared with: some count the shipping in. */
const priceOf = ({ taxable, exempt, write }: Row, { shipping }: Goods, rule: Rule): string => {
  const net = taxable + exempt;
  return rule.threshold_includes_shipping && shipping > 0n
    ? `${write(net)} (${write(net + shipping)} with its share of the shipping)`
    : write(net);
};

/** The arithmetic of a threshold, cap, band or fee, with the figures of the row. */
const arithmeticOf = (rule: Rule, row: Row, goods: Goods): string => {
  const { taxable, exempt, write, reason, rate } = row;
  return (
    definitionOf(rule.effect).explain?.(rule.effect, {
      taxable: write(taxable),
      exempt: write(exempt),
      isTaxed: taxable > 0n,
      rate,
      reason,
      price: priceOf(row, goods, rule),
      perUnit: (amount) => per(goods, amount),
    }) ?? ''
  );
};

const certificateText = ({ exemption, day }: Goods, name: string): string =>
  exemption
    ? `${name}: the buyer's certificate of ${exemption.pointer} (${exemption.certificate.type}) holds on ${day}: nothing is collected.`
    : `${name}: the buyer of the goods is exempt.`;

const stateOf = ({ release }: Goods): string => release?.state ?? 'the place';

/** Why nothing is collected whatever the rule says, or `null`. */
const reliefText = ({ reason, jurisdiction: { name } }: Row, goods: Goods): string | null => {
  switch (reason) {
    case 'customer_exempt':
      return certificateText(goods, name);
    case 'not_collecting':
      return `${name}: none of the account's registrations is for ${stateOf(goods)} on ${goods.day}, so it collects nothing.`;
    case 'marketplace_collects':
      return `${name}: collected_by is marketplace, which collects the tax of this sale; the seller collects none.`;
    case 'not_supported': {
      const said = goods.treatments.flatMap(({ doubts }) => doubts).find(({ code }) => code === 'not_covered');
      return said?.message ?? `${name}: the content does not cover it. No tax was calculated.`;
    }
    case 'over_collected':
      return `${name}: tax was collected where none was calculated.`;
    default:
      return null;
  }
};

// Goods whose price is above a holiday's limit are taxed as if there were none.
const missedHoliday = ({ jurisdiction, reason }: Row, { release, product, day }: Goods): string => {
  if (!release || reason === 'product_exempt_holiday') return '';
  const holiday = chooseRule(release, jurisdiction, product, day, ({ effect }) => effect.type === 'holiday');
  return holiday ? ` The sales-tax holiday of rule ${holiday.id} is on, but the price is beyond its limit.` : '';
};

const spanOf = (rule: Rule): string => {
  const { from, to, effect, season } = rule;
  const days =
    effect.type === 'holiday' && !season ? `from ${from} to ${to}` : from === null ? '' : `in force since ${from}`;
  return [days, ...limitsInWords(rule)].map((clause) => (clause === '' ? '' : `, ${clause}`)).join('');
};

/** What a rule says of goods, and how that comes out for these: sentences for an auditor. */
export const ruleText = (row: Row, rule: Rule | undefined, goods: Goods): string => {
  const { name } = row.jurisdiction;
  const relief = reliefText(row, goods);
  if (relief !== null) return relief;
  if (!rule)
    return row.reason === 'not_subject_to_tax'
      ? `${name} has no general sales tax.`
      : `${name}: no rule names ${goods.product.path}, which is taxed as general goods.`;
  const words = `${name}: ${goods.product.canonical} is ${effectInWords(rule.effect).replace(/^(a fee|of each)/, 'subject to this: $1')} (rule ${rule.id}${spanOf(rule)}).`;
  return `${words} ${arithmeticOf(rule, row, goods)}`.trim() + missedHoliday(row, goods);
};
