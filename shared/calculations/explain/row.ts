import { mayBeInForce, settingOn } from '../../content/effective.ts';
import { rateOn } from '../../content/rates.ts';
import type { Release, Rule } from '../../content/release.ts';
import { type Rate, rateDecimals } from '../../content/release-values.ts';
import { type Decimal, decimal, decimalText, rescale } from '../../money/decimal.ts';
import type { TaxRow } from '../../tax/document.ts';
import { policyInWords } from '../../tax/rule-words.ts';
import type { Writer } from '../figures.ts';
import type { ExplanationStep } from '../response.ts';
import { type Goods, ruleText } from './rule.ts';
import { cite, citeRate, step } from './step.ts';

// A shipping policy has a rule id but is not a rule. Several rules may share an id, one for each level or time.
const findRule = (release: Release | null, { ruleId, jurisdiction }: TaxRow, day: string): Rule | undefined =>
  release?.rules.find((rule) => {
    const { id, jurisdictions, levels } = rule;
    if (id !== ruleId || !mayBeInForce(rule, day)) return false;
    const isOfLevel = levels === null || levels.includes(jurisdiction.type);
    return isOfLevel && (!jurisdictions || jurisdictions.includes(jurisdiction.code));
  }) ?? release?.rules.find(({ id }) => id === ruleId);

/** The tax of a row before it is rounded, an exact decimal of the currency. */
export const exactTax = ({ exact }: Pick<TaxRow, 'exact'>, exponent: number): Decimal => ({
  units: exact,
  scale: exponent + rateDecimals,
});

type Named = { readonly name: string; readonly isOwn: boolean };

const nameOfRate = (rate: string, general: Rate | undefined): Named => {
  if (rate === general?.rate) return { name: 'the general rate', isOwn: false };
  if (rate === general?.food_rate) return { name: 'the rate on food', isOwn: false };
  if (rate === general?.interstate?.rate) return { name: 'the rate for goods from another state', isOwn: false };
  if (rate === general?.interstate?.food_rate) return { name: 'the rate on food from another state', isOwn: false };
  return { name: "the rule's rate", isOwn: true };
};

/** The name of a row's rate: for a share of a visible rate, with the rate that it passes on. */
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
  const exact = decimalText(exactTax(row, exponent));
  if (taxable === 0n && row.exact > 0n) return `${jurisdiction.name}: the fee is ${exact}.`;
  if (taxable === 0n) return `${jurisdiction.name}: 0 of ${write(exempt)} is taxed.`;
  const product = decimalText(exactTax({ ...row, exact: taxable * rescale(decimal(rate), rateDecimals) }, exponent));
  const most = product === exact ? '' : `, by the rule ${exact}`;
  const rest = exempt > 0n ? ` The remaining ${write(exempt)} is not taxed.` : '';
  return `${jurisdiction.name}: ${write(taxable)} times ${rate}, ${name}, is ${product}${most}.${rest}`;
};

// The buyer or the account decides these, not a rule.
const collectionExemptions = new Set<TaxRow['reason']>(['customer_exempt', 'not_collecting', 'marketplace_collects']);
const untaxed = new Set<TaxRow['reason']>([...collectionExemptions, 'not_supported']);

/** The rule of a row, and its rate with the tax before rounding. */
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
