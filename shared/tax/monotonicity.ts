/** Checks that net plus tax never falls as a price grows. The binary search in `tax-included.ts` relies on it. */

import { shareDays } from '../catalog/effective.ts';
import type { Release, Rule } from '../catalog/release.ts';
import type { Bracket, Rate } from '../catalog/release-values.ts';
import { scaledRate } from './assessment.ts';
import { effectDefinition } from './effects/effects.ts';
import { bracketTax, parseCents } from './rounding.ts';
import { appliesIn } from './rule-choice.ts';

/** Returns every rate at which a jurisdiction can tax goods that have no special rate. */
const listGeneralRates = ({ rate, food_rate, interstate }: Rate): readonly string[] =>
  [rate, food_rate, interstate?.rate, interstate?.food_rate].filter((text) => text !== undefined);

const ruleProblems = (rule: Rule, { rates, jurisdictions }: Release): readonly string[] => {
  const { isMonotonic } = effectDefinition(rule.effect);
  if (!isMonotonic) return [];
  // The ZIPs and counties of a jurisdiction are unknown here, so the rule's limits by county and ZIP are ignored.
  const { counties: _, zips: __, ...anywhere } = rule;
  return rates
    .filter((rate) => shareDays(rule, rate))
    .flatMap((rate) => {
      const jurisdiction = jurisdictions.find(({ code }) => code === rate.jurisdiction);
      if (!jurisdiction || !appliesIn(anywhere, jurisdiction)) return [];
      const lower = listGeneralRates(rate).filter((general) => !isMonotonic(rule.effect, scaledRate(general).units));
      return lower.map(
        (general) =>
          `Rule ${rule.id}: next to the general rate ${general} of ${jurisdiction.name}, the tax falls as the price grows.`,
      );
    });
};

const bracketProblems = ({ jurisdiction, rate, steps, nothing_below }: Bracket): readonly string[] => {
  const { units } = scaledRate(rate);
  const start = parseCents(nothing_below ?? '0.00');
  const taxes = Array.from({ length: 300 }, (_, index) =>
    bracketTax(start + BigInt(index), units, { jurisdiction, rate, steps, nothing_below }),
  );
  const isFalling = taxes.some((tax, index) => tax < (taxes[index - 1] ?? 0n));
  return isFalling ? [`The tax table of ${jurisdiction} at ${rate}: the tax falls as the total grows.`] : [];
};

/**
 * Describes the rules of a release that make the tax fall as a price grows. Included tax cannot be extracted exactly
 * for these rules.
 */
export const monotonicityProblems = (release: Release): readonly string[] => {
  const brackets = release.settings.rounding.flatMap(({ policy }) =>
    policy.method === 'bracket' ? policy.brackets : [],
  );
  return [
    ...new Set([...release.rules.flatMap((rule) => ruleProblems(rule, release)), ...brackets.flatMap(bracketProblems)]),
  ];
};
