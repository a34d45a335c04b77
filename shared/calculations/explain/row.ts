import { mayBeInForce, settingOn } from '../../catalog/effective.ts';
import { isOwn } from '../../catalog/own-rules.ts';
import { rateOn } from '../../catalog/rates.ts';
import type { Release, Rule } from '../../catalog/release.ts';
import { type Rate, rateDecimals } from '../../catalog/release-values.ts';
import { type Decimal, decimal, decimalText, rescale } from '../../money/decimal.ts';
import type { Treatment } from '../../tax/assessment.ts';
import type { TaxRow } from '../../tax/document.ts';
import type { Use } from '../../tax/effects/definition.ts';
import { effectDefinition } from '../../tax/effects/effects.ts';
import { determineUse } from '../../tax/effects/use-split.ts';
import { chooseRule } from '../../tax/rule-choice.ts';
import { effectInWords, limitsInWords, policyInWords } from '../../tax/rule-words.ts';
import type { ProductTaxCode } from '../../vocabulary/product-tax-code.ts';
import type { Writer } from '../figures.ts';
import type { ExplanationStep } from '../response.ts';
import { cite, citeRate, step } from './step.ts';

/** The goods, place and buyer of a row. */
export type Goods = {
  readonly product: ProductTaxCode;
  readonly use: Use;
  readonly quantity: Decimal;
  /** Why the buyer is exempt, as a clause; `null` if no exemption applies. */
  readonly exemption: string | null;
  readonly day: string;
  readonly release: Release | null;
  readonly treatments: readonly Treatment[];
  /** The goods' share of the shipping. */
  readonly shipping: bigint;
  /** Returns the price of all goods in the document to which a rule of the place applies. */
  readonly sumGoods: (ruleId: string) => bigint;
};

type Row = TaxRow & { readonly write: Writer };

const per = ({ quantity }: Goods, amount: string): string => {
  const { units, scale } = decimal(amount);
  const all = { units: units * quantity.units, scale: scale + quantity.scale };
  const count = decimalText(quantity);
  return count === '1' ? amount : `${amount} for each of ${count} units, ${decimalText(all)} in total`;
};

/** Returns the price that a threshold is compared with; for some rules it includes the share of the shipping. */
const describePrice = ({ taxable, exempt, write }: Row, { shipping }: Goods, rule: Rule): string => {
  const net = taxable + exempt;
  return rule.threshold_includes_shipping && shipping > 0n
    ? `${write(net)} (${write(net + shipping)} with its share of the shipping)`
    : write(net);
};

/** Explains the arithmetic of a threshold, cap, band or fee, with the amounts of the row. */
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
      sumGoods: () => write(goods.sumGoods(rule.id)),
      perUnit: (amount) => per(goods, amount),
    }) ?? ''
  );
};

const stateName = ({ release }: Goods): string => release?.state ?? 'the place';

/** Returns why no tax is collected under any rule, or `null`. */
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

// Above a holiday's limit, and for a business if the holiday is for personal use, the rule without the holiday applies.
const missedHoliday = ({ jurisdiction, reason }: Row, { release, product, use, day }: Goods): string => {
  if (!release || reason === 'product_exempt_holiday') return '';
  const holiday = chooseRule(release, jurisdiction, product, day);
  if (holiday?.effect.type !== 'holiday') return '';
  const { inclusive, personal_use } = holiday.effect;
  const isForOthers = personal_use && determineUse({ product, use }) === 'business';
  const why = isForOthers ? 'the buyer is a business' : `the price is ${inclusive ? 'above' : 'not below'} its limit`;
  return ` The sales-tax holiday (rule ${holiday.id}) does not apply: ${why}.`;
};

const describeSpan = (rule: Rule): string => {
  const { from, to, effect, season } = rule;
  const days =
    effect.type === 'holiday' && !season ? `from ${from} to ${to}` : from === null ? '' : `in force since ${from}`;
  return [isOwn(rule) ? 'an own rule' : '', days, ...limitsInWords(rule)]
    .map((clause) => (clause === '' ? '' : `, ${clause}`))
    .join('');
};

// For military mail, the note explains why no state taxes it.
const untaxedNote = ({ jurisdiction: { code } }: Row, { release, day }: Goods): string =>
  (release && rateOn(release, code, day)?.note) ?? '';

/** Explains the rule and its arithmetic for the goods of a row, as sentences. */
const ruleText = (row: Row, rule: Rule | undefined, goods: Goods): string => {
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

// A shipping policy has a rule id but is not a rule. Several rules can share an id, one per level or period.
const findRule = (release: Release | null, { ruleId, jurisdiction }: TaxRow, day: string): Rule | undefined =>
  release?.rules.find((rule) => {
    const { id, jurisdictions, levels } = rule;
    if (id !== ruleId || !mayBeInForce(rule, day)) return false;
    const isOfLevel = levels === null || levels.includes(jurisdiction.type);
    return isOfLevel && (!jurisdictions || jurisdictions.includes(jurisdiction.code));
  }) ?? release?.rules.find(({ id }) => id === ruleId);

/** Formats an exact tax before rounding, as a decimal of the currency. */
export const exactText = (exact: bigint, exponent: number): string =>
  decimalText({ units: exact, scale: exponent + rateDecimals });

type Named = { readonly name: string; readonly isOwn: boolean };

const nameOfRate = (rate: string, general: Rate | undefined): Named => {
  if (rate === general?.rate) return { name: 'the general rate', isOwn: false };
  if (rate === general?.food_rate) return { name: 'the rate on food', isOwn: false };
  if (rate === general?.interstate?.rate) return { name: 'the rate for goods from another state', isOwn: false };
  if (rate === general?.interstate?.food_rate) return { name: 'the rate on food from another state', isOwn: false };
  return { name: "the rule's rate", isOwn: true };
};

/** Returns the name of a row's rate. For a share of a visible rate, the name includes the rate behind it. */
const nameRate = ({ rate, grossedUp }: TaxRow, general: Rate | undefined): Named => {
  if (!grossedUp) return nameOfRate(rate, general);
  const { owed, owedTogether, visible } = grossedUp;
  const { name, isOwn } = nameOfRate(owed, general);
  const share =
    owed === owedTogether ? 'the highest visible rate' : `the share of ${owed} in the visible rate ${visible}`;
  return {
    name: `${share}, which passes on ${name} (${owedTogether} / (1 - ${owedTogether}), truncated to six decimals)`,
    isOwn,
  };
};

const rateText = (row: TaxRow, { name }: Named, exponent: number, write: Writer): string => {
  const { jurisdiction, taxable, exempt, rate } = row;
  const exact = exactText(row.exact, exponent);
  if (taxable === 0n && row.exact > 0n) return `${jurisdiction.name}: the fee is ${exact}.`;
  if (taxable === 0n) return `${jurisdiction.name}: 0 of ${write(exempt)} is taxed.`;
  const product = exactText(taxable * rescale(decimal(rate), rateDecimals), exponent);
  const most = product === exact ? '' : `, by the rule ${exact}`;
  const rest = exempt > 0n ? ` The remaining ${write(exempt)} is not taxed.` : '';
  return `${jurisdiction.name}: ${write(taxable)} times ${rate}, ${name}, is ${product}${most}.${rest}`;
};

// The buyer or the account determines these reasons, not a rule.
const collectionExemptions = new Set<TaxRow['reason']>(['customer_exempt', 'not_collecting', 'marketplace_collects']);
const untaxed = new Set<TaxRow['reason']>([...collectionExemptions, 'not_supported']);

/** Explains the rule of a row, and its rate with the tax before rounding. */
export const rowSteps = (
  row: TaxRow,
  goods: Goods,
  exponent: number,
  pointer: string,
  write: Writer,
): ExplanationStep[] => {
  const { release, day } = goods;
  const rule = findRule(release, row, day);
  const policy = rule ? undefined : settingOn(release?.settings.shipping ?? [], day);
  const isPolicy = policy !== undefined && row.ruleId !== null && !untaxed.has(row.reason);
  const general = release ? rateOn(release, row.jurisdiction.code, day) : undefined;
  const named = nameRate(row, general);
  const isOwn = rule !== undefined && row.exact > 0n && (named.isOwn || row.taxable === 0n);
  const text = isPolicy
    ? `${row.jurisdiction.name}: ${policyInWords[policy.policy]}. ${write(row.taxable)} of ${write(row.taxable + row.exempt)} is taxed.`
    : ruleText({ ...row, write }, rule, goods);
  const source = untaxed.has(row.reason) ? undefined : (rule?.source ?? (isPolicy ? policy.source : undefined));
  return [
    step('rule', pointer, text, collectionExemptions.has(row.reason) ? null : row.ruleId, cite(release, source)),
    step(
      'rate',
      pointer,
      rateText(row, named, exponent, write),
      isOwn ? row.ruleId : null,
      citeRate(release, isOwn ? rule.source : general?.source, row.exact > 0n ? row.grossedUp : null),
    ),
  ];
};
