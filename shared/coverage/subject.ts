import type { Release, Rule } from '../content/release.ts';
import { definitionOf } from '../tax/effects/effects.ts';
import { decisionsOn, generalRateOn, knowsLocals } from './decisions.ts';
import { listed, textOf } from './decisions-in-words.ts';
import { productOf } from './product-of.ts';
import { coveredBy, lowest, type SubjectCoverage, untaxed } from './subject-coverage.ts';
import { variantsOf } from './variants.ts';

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
    others.length > 0
      ? 'by_level'
      : only?.rule
        ? definitionOf(only.rule.effect).coverageTerm(only.rule.effect, general)
        : 'not_established';
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
