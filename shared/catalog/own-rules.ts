/** Applies the operator's custom rules on top of a state's releases (decision 0021). */
import { dayAfter, dayBefore, earlierEnd } from '../base/calendar.ts';
import { getOrAdd } from '../base/collections.ts';
import type { ReleaseHead } from './content.ts';
import { firstInForce, mayBeInForce } from './effective.ts';
import type { OwnRules, Release, Rule } from './release.ts';
import type { Evidence } from './release-values.ts';

/** The import format of custom rules: the `format` of a release that changes nothing else. */
export const ownFormat = 'rules';

/** Returns whether a release contains only custom rules. Its fallback releases then cover every address. */
export const isOwnOnly = ({ format }: Pick<ReleaseHead, 'format'>): boolean => format === ownFormat;

/** The prefix of the source keys of custom rules. Keys of other sources have no colon. */
export const ownSource = 'own:';

/** Returns whether a value comes from custom rules. */
export const isOwn = ({ source }: Pick<Evidence, 'source'>): boolean => source.startsWith(ownSource);

/** Returns the prefix of the codes of custom jurisdictions. No imported file or table uses it. */
export const ownCodePrefix = (state: string): string => `${state}-OWN-`;

export const isOwnCode = (code: string): boolean => code.startsWith('-OWN-', 'US-MN'.length);

const later = (left: string | null, right: string): string => (left !== null && left > right ? left : right);

const hasDays = ({ from, to }: Rule): boolean => from === null || to === null || from <= to;

/** Returns a rule limited to the days before and after a custom rule. */
const outsideDays = (rule: Rule, { from, to }: Rule): readonly Rule[] => {
  const before = from === null ? [] : [{ ...rule, to: earlierEnd(rule.to, dayBefore(from)) }];
  const after = to === null ? [] : [{ ...rule, from: later(rule.from, dayAfter(to)) }];
  return [...before, ...after].filter(hasDays);
};

/**
 * Returns a rule limited to the days on which no custom rule with its id replaces it, including gaps between custom
 * rules.
 */
const outsideOwn = (rule: Rule, own: readonly Rule[]): readonly Rule[] =>
  own.reduce<readonly Rule[]>((rules, one) => rules.flatMap((left) => outsideDays(left, one)), [rule]);

const mergedRules = (rules: Release['rules'], own: OwnRules): Release['rules'] => {
  const byId = Map.groupBy(own.rules, ({ id }) => id);
  const others = rules.flatMap((rule) => {
    const replacing = byId.get(rule.id);
    return replacing ? outsideOwn(rule, replacing) : [rule];
  });
  return [...own.rules, ...others];
};

// Keyed by the list of rules, because all views of a release share it.
const merged = new WeakMap<OwnRules, WeakMap<Release['rules'], Release['rules']>>();

const rulesWith = (rules: Release['rules'], own: OwnRules): Release['rules'] =>
  getOrAdd(
    getOrAdd(merged, own, () => new WeakMap()),
    rules,
    () => mergedRules(rules, own),
  );

/** Puts custom rates before the release's rates, because the first rate in force applies. */
export const withOwnRates = (release: Release): Release => {
  const { own, rates } = release;
  if (!own || own.rates.length === 0) return release;
  const known = new Set(release.jurisdictions.map(({ code }) => code));
  const first = own.rates.filter(({ jurisdiction }) => known.has(jurisdiction));
  return { ...release, rates: [...first, ...rates.filter((rate) => !first.includes(rate))] };
};

/**
 * Adds custom rules to a loaded release. They come first, replace rules with the same ids on their days, and add their
 * jurisdictions. The parts of an imported release must already be merged, because a part has either all rates of a
 * jurisdiction or none. Custom rules stored with `release` itself are ignored: the active release's custom rules apply
 * to all its fallback releases.
 */
export const withOwnRules = (release: Release, own: OwnRules | undefined): Release => {
  if (!own) {
    const { own: _, ...without } = release;
    return release.own ? without : release;
  }
  const { settings } = release;
  const [state, ...others] = release.jurisdictions;
  const sources = Object.entries(own.sources).map(([key, text]) => [key, `Own rules: ${text}`]);
  return withOwnRates({
    ...release,
    own,
    sources: { ...release.sources, ...Object.fromEntries(sources) },
    jurisdictions: [state, ...others, ...own.jurisdictions.map(({ zips: _, ...jurisdiction }) => jurisdiction)],
    rules: rulesWith(release.rules, own),
    settings: {
      sourcing: [...own.settings.sourcing, ...settings.sourcing],
      shipping: [...own.settings.shipping, ...settings.shipping],
      rounding: [...own.settings.rounding, ...settings.rounding],
      coupons: [...own.settings.coupons, ...settings.coupons],
    },
  });
};

/** Returns the custom jurisdictions with a rate on a day. */
const jurisdictionsOn = (own: Release['own'], day: string) =>
  (own?.jurisdictions ?? []).filter(({ code }) =>
    firstInForce(own?.rates.filter(({ jurisdiction }) => jurisdiction === code) ?? [], day, ''),
  );

/**
 * Returns the codes of the custom jurisdictions that tax a five-digit ZIP on a day. A jurisdiction without a rate on
 * that day is left out.
 */
export const ownCodesAt = ({ own }: Pick<Release, 'own'>, zip5: string | null, day: string): readonly string[] =>
  zip5 === null
    ? []
    : jurisdictionsOn(own, day)
        .filter(({ zips }) => zips.some(([low, high]) => low <= zip5 && zip5 <= high))
        .map(({ code }) => code);

/** The parts of an address that custom rules depend on: its five-digit ZIP and its county; `null` if unknown. */
type RulePlace = { readonly zip5: string | null; readonly county: string | null };

/**
 * Returns whether a custom rule limited to ZIPs or counties may apply on a day because the ZIP or county is unknown.
 */
export const mayHaveOwnRules = ({ own }: Pick<Release, 'own'>, { zip5, county }: RulePlace, day: string): boolean =>
  own?.rules.some(
    (rule) => ((rule.zips && zip5 === null) || (rule.counties && county === null)) && mayBeInForce(rule, day),
  ) === true;

/** Returns whether custom rates or rules limited to places may apply on a day because an address is incomplete. */
export const mayDependOnPlace = (release: Pick<Release, 'own'>, place: RulePlace, day: string): boolean =>
  mayHaveOwnRules(release, place, day) || (place.zip5 === null && jurisdictionsOn(release.own, day).length > 0);
