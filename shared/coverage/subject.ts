import { assert } from '../base/assert.ts';
import type { Release, Rule } from '../catalog/release.ts';
import type { Confidence } from '../catalog/release-values.ts';
import { effectDefinition } from '../tax/effects/effects.ts';
import { effectInWords, seasonInWords, sentence } from '../tax/rule-words.ts';
import { type ProductTaxCode, parseProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { TreatmentName } from '../vocabulary/treatment.ts';
import { type Decision, decisionsOn, holdsOn, knowsLocals, names } from './decisions.ts';
import { generalRateOn } from './general-rate.ts';
import type { SubjectCoverage } from './response.ts';

const order: readonly Confidence[] = ['low', 'medium', 'medium-high', 'high'];

/** The lowest of several confidences; `null` without any. */
const lowest = (confidences: readonly Confidence[]): Confidence | null =>
  order.find((confidence) => confidences.includes(confidence)) ?? null;

/** The coverage by rules or settings, each source and id once. */
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

/** The coverage of a state without general sales tax and without other known taxes. */
const untaxed = (release: Release): SubjectCoverage => {
  const [treatment, text] =
    release.coverage === 'complete'
      ? (['not_subject_to_tax', 'The state has no general sales tax.'] as const)
      : (['not_established', 'The state has no general sales tax; what local taxes do is not established.'] as const);
  return coveredBy(release, treatment, text, [], []);
};

/** Parse a product tax code of the coverage itself: an invalid one is a bug. */
const findProductByPath = (text: string): ProductTaxCode => {
  const parsed = parseProductTaxCode(text);
  assert(parsed.ok, `Coverage uses an unknown product tax code: ${text}.`);
  return parsed.value;
};

// An import can have a rule for each of many cities.
const namesMax = 6;

/** Names joined by `or`; with many names, the first two and a count. */
const listed = (names: readonly string[]): string => {
  if (names.length < 2) return names.join('');
  const last = names.length > namesMax ? `one of ${names.length - 2} others` : names.at(-1);
  return `${names.slice(0, names.length > namesMax ? 2 : -1).join(', ')} or ${last}`;
};

const asGeneral = 'not established; taxed as general goods, with a warning';

/** The effects of the rules of all levels, as sentences. */
const describeDecisions = (decisions: readonly Decision[]): string => {
  const clause = ({ rule, isUntaxed }: Decision) => {
    if (isUntaxed) return 'no general tax';
    return rule ? [effectInWords(rule.effect), seasonInWords(rule)].filter(Boolean).join(' ') : asGeneral;
  };
  const clauses =
    decisions.length === 1
      ? decisions.map(clause)
      : decisions.map((decision) => `by ${listed(decision.who)}: ${clause(decision)}`);
  return clauses.map(sentence).join(' ');
};

/** The attributes that rules for a product depend on. */
const listAttributes = (release: Release, product: ProductTaxCode, day: string): string[] => {
  const required = release.rules
    .filter((rule) => names(rule, product) && holdsOn(release, day)(rule))
    .flatMap(({ attributes: { any, all = [] } }) => [...any, ...all]);
  return [...new Set(required)].filter((code) => canCarry(product, code));
};

const canCarry = ({ canonical }: ProductTaxCode, code: string): boolean =>
  parseProductTaxCode(`${canonical}.${code}`).ok;

/** The treatment of a product with one more attribute. */
type Variant = { readonly attribute: string; readonly text: string; readonly rules: readonly Rule[] };

/** The treatment of a product with each attribute that a rule depends on. */
const listVariants = (release: Release, product: ProductTaxCode, day: string): Variant[] =>
  listAttributes(release, product, day).map((attribute) => {
    const decisions = decisionsOn(release, findProductByPath(`${product.canonical}.${attribute}`), day);
    return { attribute, text: describeDecisions(decisions), rules: decisions.flatMap(({ rule }) => rule ?? []) };
  });

/** How a state treats one product tax code on a day, at every level of its jurisdictions. */
const coverageOfCode = (release: Release, code: string, day: string): SubjectCoverage => {
  const product = findProductByPath(code);
  const known = generalRateOn(release, day);
  const general = known ?? 0n;
  const decisions = decisionsOn(release, product, day);
  const rules = decisions.flatMap(({ rule }) => rule ?? []);
  const isUntaxed = known === 0n && !knowsLocals(release) && !rules.some(hasOwnRate);
  if (isUntaxed && (rules.length === 0 || release.coverage === 'complete')) return untaxed(release);
  const [only, ...others] = decisions;
  const treatment =
    others.length > 0
      ? 'by_level'
      : only?.rule
        ? effectDefinition(only.rule.effect).coverageTerm(only.rule.effect, general)
        : 'not_established';
  const text = describeDecisions(decisions);
  const variants = listVariants(release, product, day).filter((variant) => variant.text !== text);
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

/** How a state treats goods of several codes: one treatment if all are equal, otherwise one per code. */
export const subjectCoverage = (release: Release, codes: readonly string[], day: string): SubjectCoverage => {
  const each = codes.map((code) => ({ code, ...coverageOfCode(release, code, day) }));
  const [first, ...others] = each;
  assert(first !== undefined, 'A subject of coverage has at least one product tax code.');
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
