import type { ReleaseHead } from '../content/content.ts';
import { coversDay, possiblyInForce } from '../content/effective.ts';
import type { Jurisdiction, Release, Rule } from '../content/release.ts';
import { chooseRule } from '../tax/rule-choice.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';

type Level = { readonly name: string; readonly jurisdiction: Jurisdiction };

/** Whether a rule names a product, or the family that it is of. */
export const names = ({ ptcs }: Rule, { path }: ProductTaxCode): boolean =>
  ptcs.some((ptc) => path === ptc || path.startsWith(`${ptc}.`));

// An imported release keeps its local content beside its head, which counts it.
const countsOf = (release: Release) => (release as Partial<ReleaseHead>).counts;

/** Whether a release has local jurisdictions of its own. */
export const knowsLocals = (release: Release): boolean =>
  release.jurisdictions.length > 1 || release.locals === 'listed' || (countsOf(release)?.locations ?? 0) > 0;

/** Every kind of jurisdiction that a rule could tell apart: the state, each local type, and those that rules name. */
const levelsOf = (release: Release, product: ProductTaxCode): Level[] => {
  const [state, ...known] = release.jurisdictions;
  const { tax_type } = state;
  const hasLocal = knowsLocals(release) || release.coverage !== 'complete';
  const types = hasLocal ? (['county', 'city', 'district'] as const) : [];
  const named = release.rules.flatMap((rule) =>
    names(rule, product)
      ? (rule.jurisdictions ?? []).map(
          (code) =>
            known.find((jurisdiction) => jurisdiction.code === code) ??
            ({ code, name: code, type: rule.levels?.[0] ?? 'city', tax_type } satisfies Jurisdiction),
        )
      : [],
  );
  return [
    { name: 'the state', jurisdiction: state },
    ...types.map((type) => ({
      name: `a ${type}`,
      jurisdiction: { code: `${release.state}-*`, name: type, type, tax_type },
    })),
    ...[...new Map(named.map((jurisdiction) => [jurisdiction.code, jurisdiction])).values()].map((jurisdiction) => ({
      name: jurisdiction.name,
      jurisdiction,
    })),
  ];
};

/** Whether a rule counts on a day. A holiday is told in the notes; what is not established counts from the release's day. */
export const holdsOn =
  ({ established_from }: Release, day: string) =>
  (rule: Rule): boolean =>
    rule.effect.type !== 'holiday' && coversDay(rule, day, established_from) && possiblyInForce(rule, day);

/** A rule, and the levels on which it decides; `undefined`: none names the product. */
export type Decision = { readonly who: readonly string[]; readonly rule: Rule | undefined };

/** Which rule decides on each level, those with the same one together. */
export const decisionsOn = (release: Release, product: ProductTaxCode, day: string): Decision[] => {
  const chosen = levelsOf(release, product).map(({ name, jurisdiction }) => ({
    name,
    rule: chooseRule(release, jurisdiction, product, day, holdsOn(release, day)),
  }));
  const byEffect = Map.groupBy(chosen, ({ rule }) => JSON.stringify(rule?.effect ?? null));
  return [...byEffect.values()].map((same) => ({ who: same.map(({ name }) => name), rule: same[0]?.rule }));
};
