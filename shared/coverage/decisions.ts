import type { ReleaseHead } from '../catalog/content.ts';
import { coversDay, mayBeInForce, settingOn } from '../catalog/effective.ts';
import type { Release, Rule } from '../catalog/release.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { chooseRule, shippingRule, type Taxing } from '../tax/rule-choice.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import { generalRateOn } from './general-rate.ts';
import { summarizeTables } from './rate-summary.ts';

/** Places of one type that rules name: the state's three digits of a county, or jurisdiction codes. */
type NamedPlaces = {
  readonly unit: 'county' | 'city' | 'district' | 'ZIP code' | 'place';
  readonly keys: readonly string[];
};

const plurals = {
  county: 'counties',
  city: 'cities',
  district: 'districts',
  'ZIP code': 'ZIP codes',
  place: 'places',
} as const;

/** The county of `US-IL-00-031` and `US-IL-031`, the city of `US-IL-01-14000` and `US-IL-031-14000`, or a district. */
const codePattern =
  /^US-[A-Z]{2}-(?:00-(?<county>\d{3})|(?<remainder>\d{3})$|(?:01|\d{3})-(?<city>.+)|63-(?<district>.+))/;

/** The place of a jurisdiction code. Codes of imports that do not state the type are of the unit `place`. */
const placeOfCode = (code: string): NamedPlaces => {
  const { remainder, county = remainder, city, district } = codePattern.exec(code)?.groups ?? {};
  if (county) return { unit: 'county', keys: [county] };
  if (city) return { unit: 'city', keys: [code] };
  return district ? { unit: 'district', keys: [code] } : { unit: 'place', keys: [code] };
};

/** The ZIP codes or counties of a rule. */
const placesOfRule = ({ zips, counties }: Rule): NamedPlaces =>
  zips
    ? { unit: 'ZIP code', keys: zips.map(String) }
    : { unit: 'county', keys: (counties ?? []).map((fips) => fips.slice(2)) };

/**
 * Places as phrases with their number: `one of 22 named cities`. The codes mean nothing to a reader, and the tables with
 * the names are not in the bundle of functions that report coverage.
 */
const placesInWords = (places: readonly NamedPlaces[]): string[] => {
  const byUnit = Map.groupBy(places, ({ unit }) => unit);
  // Such codes repeat the counties and cities of a rule for imports.
  if (byUnit.size > 1) byUnit.delete('place');
  return [...byUnit].map(([unit, members]) => {
    const { size } = new Set(members.flatMap(({ keys }) => keys));
    // A ZIP key is a range of ZIP codes.
    if (unit === 'ZIP code') return 'one of the named ZIP codes';
    return size === 1 ? `a named ${unit}` : `one of ${size} named ${plurals[unit]}`;
  });
};

/** A level with its name, or with the places that rules name, which are counted together. */
type Level = { readonly name: string | NamedPlaces; readonly jurisdiction: Taxing };

/** Whether a rule names a product, or the family that it is of. */
export const names = ({ ptcs }: Rule, { path }: ProductTaxCode): boolean =>
  ptcs.some((ptc) => path === ptc || path.startsWith(`${ptc}.`));

/** The counts of an import, which stores its local content outside the head. */
export const releaseCounts = (release: Release) => (release as Partial<ReleaseHead>).counts;

const hasTaxedTable = (release: Release): boolean =>
  release.local !== undefined && !summarizeTables(release).is_untaxed;

/** Whether a release, or the one that it falls back to, has local jurisdictions. */
export const knowsLocals = (release: Release): boolean =>
  release.jurisdictions.length > 1 ||
  (releaseCounts(release)?.locations ?? 0) > 0 ||
  hasTaxedTable(release) ||
  (release.fallback !== undefined && knowsLocals(release.fallback));

/** Every kind of jurisdiction that rules distinguish: the state, each local type, and those that rules name. */
const listLevels = (release: Release, product: ProductTaxCode): Level[] => {
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
      name: known.includes(jurisdiction) ? jurisdiction.name : placeOfCode(jurisdiction.code),
      jurisdiction,
    })),
    ...byPlace(release, product),
    ...byKind(release, product),
  ];
};

/** A representative local jurisdiction that a rule binds. */
const boundBy = ({ state, jurisdictions }: Release, { levels, kinds, zips, counties }: Rule): Taxing => {
  const type = levels?.find((level) => level !== 'state') ?? 'city';
  const kind = kinds?.[0];
  return {
    code: `${state}-*`,
    name: type,
    type,
    tax_type: jurisdictions[0].tax_type,
    ...(kind === undefined ? {} : { kind }),
    zip5: zips?.[0]?.[0] ?? null,
    county: counties?.[0] ?? null,
  };
};

const levelName = (rule: Rule): Level['name'] => {
  const places = placesOfRule(rule);
  const kinds = rule.kinds?.filter((kind) => kind !== 'combined') ?? [];
  return kinds.length > 0 ? `a tax of kind ${kinds.join(' or ')} in ${placesInWords([places]).join()}` : places;
};

/** The ZIPs and counties that rules name, one level per rule. */
const byPlace = (release: Release, product: ProductTaxCode): Level[] =>
  release.rules
    .filter((rule) => (rule.zips || rule.counties) && names(rule, product))
    .map((rule) => ({ name: levelName(rule), jurisdiction: boundBy(release, rule) }));

/** The kinds of jurisdictions that rules name, each once. */
const byKind = (release: Release, product: ProductTaxCode): Level[] => {
  const levels = release.rules
    .filter((rule) => !rule.zips && !rule.counties && names(rule, product))
    .flatMap((rule) => (rule.kinds ?? []).map((kind) => ({ kind, rule })))
    .map(({ kind, rule }) => ({
      name: `a tax of kind ${kind}`,
      jurisdiction: boundBy(release, { ...rule, kinds: [kind] }),
    }));
  return [...new Map(levels.map((level) => [`${level.name} ${level.jurisdiction.type}`, level])).values()];
};

/** Whether a rule is in force on a day. Holidays are in the notes instead. */
export const holdsOn =
  ({ established_from }: Release, day: string) =>
  (rule: Rule): boolean =>
    rule.effect.type !== 'holiday' && coversDay(rule, day, established_from) && mayBeInForce(rule, day);

const taxable = { type: 'taxable' } as const;

/** A rule, or the policy on shipping, and the levels that it decides; `undefined`: no rule matches the product. */
export type Decision = {
  readonly who: readonly string[];
  readonly rule: Rule | undefined;
  /** Whether it is the state, and its general rate is zero. */
  readonly isUntaxed: boolean;
};

/** The rule that decides on each level. Levels with equal effects are grouped. */
export const decisionsOn = (release: Release, product: ProductTaxCode, day: string): Decision[] => {
  const levels = listLevels(release, product);
  const isStateUntaxed = levels.length > 1 && generalRateOn(release, day) === 0n;
  const chosen = levels.map(({ name, jurisdiction }) => {
    const chosen = chooseRule(release, jurisdiction, product, day, holdsOn(release, day));
    const policy = settingOn(release.settings.shipping, day) ? shippingRule(release, product, day) : undefined;
    const rule = chosen ?? policy;
    const isState = jurisdiction.code === release.state;
    return { name, rule, isUntaxed: isStateUntaxed && isState && (rule?.effect ?? taxable).type === 'taxable' };
  });
  const byEffect = Map.groupBy(chosen, ({ rule, isUntaxed }) =>
    JSON.stringify([rule?.effect, rule?.season, isUntaxed]),
  );
  return [...byEffect.values()].map((group) => {
    const { name: _, ...decision } = group[0] as (typeof chosen)[number];
    const all = group.map(({ name }) => name);
    const places = all.filter((name) => typeof name !== 'string');
    return { ...decision, who: [...all.filter((name) => typeof name === 'string'), ...placesInWords(places)] };
  });
};
