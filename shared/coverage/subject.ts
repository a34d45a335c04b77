import { type Confidence, type Effect, type Release, type Rule, rateDecimals } from '../content/release.ts';
import { decimal, rescale } from '../money/decimal.ts';
import { appliesTo } from '../vocabulary/applicability.ts';
import { type ProductTaxCode, parseProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { vocabulary } from '../vocabulary/vocabulary.ts';
import { type Decision, decisionsOn, generalRateOn, holdsOn, knowsLocals, names } from './decisions.ts';
import { effectInWords, sentence } from './effect-in-words.ts';

/** How a state treats a kind of goods, in a word. */
export const treatments = [
  'taxable',
  'exempt',
  'reduced_rate',
  'higher_rate',
  'threshold',
  'capped',
  'part_of_price',
  'by_use',
  'by_level',
  'by_product',
  'follows_goods',
  'any_taxable',
  'exempt_if_stated',
  'not_subject_to_tax',
  'not_established',
] as const;
export type TreatmentName = (typeof treatments)[number];

/** How a state treats a kind of goods, and what says so. */
export type SubjectCoverage = {
  readonly treatment: TreatmentName;
  readonly text: string;
  /** The lowest of all that decides; `null` where nothing is established. */
  readonly confidence: Confidence | null;
  readonly rule_ids: readonly string[];
  readonly citations: readonly string[];
};

const order: readonly Confidence[] = ['low', 'medium', 'medium-high', 'high'];
const lowest = (confidences: readonly Confidence[]): Confidence | null =>
  order.find((confidence) => confidences.includes(confidence)) ?? null;

/** The answer of certain rules or settings, each source and id once. */
export const coveredBy = (
  release: Release,
  treatment: TreatmentName,
  text: string,
  rules: readonly Pick<Rule, 'source' | 'confidence'>[],
  ids: readonly string[],
): SubjectCoverage => ({
  treatment,
  text,
  confidence: lowest(rules.map(({ confidence }) => confidence)),
  rule_ids: [...new Set(ids)],
  citations: [...new Set(rules.map(({ source }) => release.sources[source] ?? source))],
});

const productOf = (text: string): ProductTaxCode => {
  const parsed = parseProductTaxCode(text);
  if (!parsed.ok) throw new Error(`Coverage asks for a product tax code that there is not: ${text}.`);
  return parsed.value;
};

const treatmentOf = (effect: Effect, general: bigint): TreatmentName => {
  switch (effect.type) {
    case 'rate':
      return rescale(decimal(effect.rate), rateDecimals) < general ? 'reduced_rate' : 'higher_rate';
    case 'threshold_cliff':
    case 'threshold_excess':
    case 'threshold_rate':
      return 'threshold';
    case 'base_cap':
    case 'band':
    case 'tax_cap':
      return 'capped';
    case 'base_percent':
      return 'part_of_price';
    case 'use_split':
      return 'by_use';
    case 'taxable':
    case 'exempt':
    case 'follows_goods':
      return effect.type;
    case 'flat_fee':
    case 'holiday':
      return 'taxable';
  }
};

/** The attributes of goods of a kind that any rule asks for. */
const attributesOf = (release: Release, product: ProductTaxCode, day: string): string[] => {
  const asked = release.rules
    .filter((rule) => names(rule, product) && holdsOn(release, day)(rule))
    .flatMap(({ attributes: { any } }) => any);
  return [...new Set(asked)].filter((code) => canCarry(product, code));
};

const canCarry = ({ label, attributes }: ProductTaxCode, code: string): boolean => {
  const attribute = vocabulary().attributeByCode.get(code);
  return attribute !== undefined && appliesTo(attribute, label) && !attributes.includes(code);
};

// New York's rules name each locality that elects, by every code that it has in a file.
const namesMax = 6;
const listed = (names: readonly string[]): string => {
  if (names.length < 2) return names.join('');
  const last = names.length > namesMax ? `one of ${names.length - 2} more that the rules name` : names.at(-1);
  return `${names.slice(0, names.length > namesMax ? 2 : -1).join(', ')} or ${last}`;
};
const asGeneral = 'not established; taxed as general goods, with a warning';

const textOf = (decisions: readonly Decision[]): string => {
  const clause = ({ rule, isUntaxed }: Decision) => {
    if (isUntaxed) return 'no general tax';
    return rule ? effectInWords(rule.effect) : asGeneral;
  };
  const clauses =
    decisions.length === 1
      ? decisions.map(clause)
      : decisions.map((decision) => `by ${listed(decision.who)}: ${clause(decision)}`);
  return clauses.map(sentence).join(' ');
};

type Variant = { readonly attribute: string; readonly text: string; readonly rules: readonly Rule[] };

// What the bare code gets, some of its kind may not: an attribute can say more.
const variantsOf = (release: Release, product: ProductTaxCode, day: string): Variant[] =>
  attributesOf(release, product, day).map((attribute) => {
    const decisions = decisionsOn(release, productOf(`${product.canonical}.${attribute}`), day);
    return { attribute, text: textOf(decisions), rules: decisions.flatMap(({ rule }) => rule ?? []) };
  });

const untaxed = (release: Release): SubjectCoverage => {
  const [treatment, text] =
    release.coverage === 'complete'
      ? (['not_subject_to_tax', 'The state has no general sales tax.'] as const)
      : (['not_established', 'The state has no general sales tax; what local taxes do is not established.'] as const);
  return coveredBy(release, treatment, text, [], []);
};

/** How a state treats one product tax code on a day, at every level of its jurisdictions. */
const coverageOfCode = (release: Release, code: string, day: string): SubjectCoverage => {
  const product = productOf(code);
  const known = generalRateOn(release, day);
  const general = known ?? 0n;
  const decisions = decisionsOn(release, product, day);
  const rules = decisions.flatMap(({ rule }) => rule ?? []);
  const isUntaxed = known === 0n && !knowsLocals(release) && !rules.some(hasOwnRate);
  if (isUntaxed && (rules.length === 0 || release.coverage === 'complete')) return untaxed(release);
  const [only, ...others] = decisions;
  const treatment =
    others.length > 0 ? 'by_level' : only?.rule ? treatmentOf(only.rule.effect, general) : 'not_established';
  const text = textOf(decisions);
  const variants = variantsOf(release, product, day).filter((variant) => variant.text !== text);
  const texts = [...Map.groupBy(variants, (variant) => variant.text)].map(
    ([same, members]) => `With ${listed(members.map(({ attribute }) => attribute))}: ${same}`,
  );
  const all = [...rules, ...variants.flatMap((variant) => variant.rules)];
  const covered = coveredBy(
    release,
    treatment,
    [text, ...texts].join(' '),
    all,
    all.map(({ id }) => id),
  );
  return { ...covered, confidence: lowest(rules.map(({ confidence }) => confidence)) };
};

const hasOwnRate = ({ effect }: Rule): boolean => effect.type === 'rate';

/** How a state treats goods of several codes: one answer where all get the same, else that of each. */
export const subjectCoverage = (release: Release, codes: readonly string[], day: string): SubjectCoverage => {
  const each = codes.map((code) => ({ code, ...coverageOfCode(release, code, day) }));
  const [first, ...others] = each;
  if (!first) throw new Error('A subject of coverage has at least one product tax code.');
  const { code: _, ...answer } = first;
  if (others.every(({ treatment, text }) => treatment === first.treatment && text === first.text)) return answer;
  return {
    treatment: 'by_product',
    text: each.map(({ code, text }) => `${code}: ${text}`).join(' '),
    confidence: lowest(each.flatMap(({ confidence }) => confidence ?? [])),
    rule_ids: [...new Set(each.flatMap(({ rule_ids }) => rule_ids))],
    citations: [...new Set(each.flatMap(({ citations }) => citations))],
  };
};
