/** The operator's own rules over the releases of a state (decision 0021). */
import { dayAfter, dayBefore } from '../base/calendar.ts';
import { getOrAdd } from '../base/collections.ts';
import type { ReleaseHead } from './content.ts';
import { earlierEnd } from './days.ts';
import { firstInForce } from './effective.ts';
import type { OwnRules, Release, Rule } from './release.ts';
import type { Evidence } from './release-values.ts';

/** The import format of own rules: the `format` of a release that changes nothing else. */
export const ownFormat = 'rules';

/** Whether a release has own rules only: its fallback releases cover every address. */
export const isOwnOnly = ({ format }: Pick<ReleaseHead, 'format'>): boolean => format === ownFormat;

/** The begin of the keys of own sources. Keys of other sources have no colon. */
export const ownSource = 'own:';

/** Whether a value comes from own rules. */
export const isOwn = ({ source }: Pick<Evidence, 'source'>): boolean => source.startsWith(ownSource);

/** The begin of the codes of own jurisdictions: no file and no table has such codes. */
export const ownCodePrefix = (state: string): string => `${state}-OWN-`;

export const isOwnCode = (code: string): boolean => code.startsWith('-OWN-', 'US-MN'.length);

const later = (left: string | null, right: string): string => (left !== null && left > right ? left : right);

const hasDays = ({ from, to }: Rule): boolean => from === null || to === null || from <= to;

/** A rule on its days before and after an own rule. */
const outsideDays = (rule: Rule, { from, to }: Rule): readonly Rule[] => {
  const before = from === null ? [] : [{ ...rule, to: earlierEnd(rule.to, dayBefore(from)) }];
  const after = to === null ? [] : [{ ...rule, from: later(rule.from, dayAfter(to)) }];
  return [...before, ...after].filter(hasDays);
};

/** A rule on the days on which no own rule with its id replaces it, including days between two own rules. */
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

// Caches are keyed by the list of rules, which all views of a release share.
const merged = new WeakMap<OwnRules, WeakMap<Release['rules'], Release['rules']>>();

const rulesWith = (rules: Release['rules'], own: OwnRules): Release['rules'] =>
  getOrAdd(
    getOrAdd(merged, own, () => new WeakMap()),
    rules,
    () => mergedRules(rules, own),
  );

/** Put the own rates of a release's jurisdictions first, because the first rate in force applies. */
export const withOwnRates = (release: Release): Release => {
  const { own, rates } = release;
  if (!own || own.rates.length === 0) return release;
  const known = new Set(release.jurisdictions.map(({ code }) => code));
  const first = own.rates.filter(({ jurisdiction }) => known.has(jurisdiction));
  return { ...release, rates: [...first, ...rates.filter((rate) => !first.includes(rate))] };
};

/**
 * A loaded release with own rules: they come first, replace rules with their ids on their days, and add their
 * jurisdictions. The parts of an imported release must be in it already, because a part has all rates of a jurisdiction
 * or none. Own rules that the release itself was stored with do not count: the own rules of the active release apply to
 * all fallback releases.
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

/** The codes of the own jurisdictions that tax a five-digit ZIP on a day. One without a rate on that day does not. */
export const ownCodesAt = ({ own }: Pick<Release, 'own'>, zip5: string | null, day: string): readonly string[] => {
  if (!own || zip5 === null) return [];
  return own.jurisdictions.flatMap(({ code, zips }) => {
    const isThere = zips.some(([low, high]) => low <= zip5 && zip5 <= high);
    const rates = own.rates.filter(({ jurisdiction }) => jurisdiction === code);
    return isThere && firstInForce(rates, day, '') ? [code] : [];
  });
};
