import { assert } from '../base/assert.ts';
import { coversDay, mayBeInForce, settingOn } from '../catalog/effective.ts';
import { generalRateOn } from '../catalog/rates.ts';
import type { Release, Rule } from '../catalog/release.ts';
import { type Confidence, confidences, type Jurisdiction } from '../catalog/release-values.ts';
import { effectDefinition } from '../tax/effects/effects.ts';
import { chooseRule, shippingRule, type Taxing } from '../tax/rule-choice.ts';
import { effectInWords, seasonInWords, sentence } from '../tax/rule-words.ts';
import { findProduct, type ProductTaxCode, requireProduct } from '../vocabulary/product-tax-code.ts';
import type { TreatmentName } from '../vocabulary/treatment.ts';
import { knowsLocals } from './local-rates.ts';
import type { SubjectCoverage } from './response.ts';

/** Places of one type that rules name: three-digit county codes or jurisdiction codes. */
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

/**
 * Matches the county in `US-IL-00-031` and `US-IL-031`, the city in `US-IL-01-14000` and `US-IL-031-14000`, or a
 * district.
 */
const codePattern =
  /^US-[A-Z]{2}-(?:00-(?<county>\d{3})|(?<remainder>\d{3})$|(?:01|\d{3})-(?<city>.+)|63-(?<district>.+))/;

/** Returns the place of a jurisdiction code. Import codes without a type have the unit `place`. */
const placeOfCode = (code: string): NamedPlaces => {
  const { remainder, county = remainder, city, district } = codePattern.exec(code)?.groups ?? {};
  if (county) return { unit: 'county', keys: [county] };
  if (city) return { unit: 'city', keys: [code] };
  return district ? { unit: 'district', keys: [code] } : { unit: 'place', keys: [code] };
};

/** Returns the ZIP codes or counties of a rule. */
const placesOfRule = ({ zips, counties }: Rule): NamedPlaces =>
  zips
    ? { unit: 'ZIP code', keys: zips.map(String) }
    : { unit: 'county', keys: (counties ?? []).map((fips) => fips.slice(2)) };

/**
 * Describes places by their number: `one of 22 named cities`. Codes would mean nothing to a reader, and the functions
 * that report coverage do not bundle the tables with the names.
 */
const placesInWords = (places: readonly NamedPlaces[]): string[] => {
  const byUnit = Map.groupBy(places, ({ unit }) => unit);
  // Codes with the unit `place` repeat the counties and cities of a rule for use with imports.
  if (byUnit.size > 1) byUnit.delete('place');
  return [...byUnit].map(([unit, members]) => {
    const { size } = new Set(members.flatMap(({ keys }) => keys));
    // A key is a range of ZIP codes, so the number of ZIP codes is unknown.
    if (unit === 'ZIP code') return 'one of the named ZIP codes';
    return size === 1 ? `a named ${unit}` : `one of ${size} named ${plurals[unit]}`;
  });
};

/** A level with its name, or with the places that rules name. Such places are counted together. */
type Level = { readonly name: string | NamedPlaces; readonly jurisdiction: Taxing };

/** Returns whether a rule names a product or its family. */
const names = ({ ptcs }: Rule, { path }: ProductTaxCode): boolean =>
  ptcs.some((ptc) => path === ptc || path.startsWith(`${ptc}.`));

/**
 * Lists every kind of jurisdiction that rules distinguish: the state, each local type, and the jurisdictions, places
 * and kinds that rules name.
 */
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

/** Returns a representative local jurisdiction that a rule applies to. */
const boundBy = ({ state }: Release, { levels, kinds, zips, counties }: Rule): Taxing => ({
  code: `${state}-*`,
  type: levels?.find((level) => level !== 'state') ?? 'city',
  kind: kinds?.[0],
  zip5: zips?.[0]?.[0] ?? null,
  county: counties?.[0] ?? null,
});

const levelName = (rule: Rule): Level['name'] => {
  const places = placesOfRule(rule);
  const kinds = rule.kinds?.filter((kind) => kind !== 'combined') ?? [];
  return kinds.length > 0 ? `a tax of kind ${kinds.join(' or ')} in ${placesInWords([places]).join()}` : places;
};

/** Lists the ZIPs and counties that rules name, one level per rule. */
const byPlace = (release: Release, product: ProductTaxCode): Level[] =>
  release.rules
    .filter((rule) => (rule.zips || rule.counties) && names(rule, product))
    .map((rule) => ({ name: levelName(rule), jurisdiction: boundBy(release, rule) }));

/** Lists the distinct kinds of jurisdictions that rules name. */
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

/** Returns whether a rule is in force on a day. Holidays are listed in the notes instead. */
const holdsOn = ({ established_from }: Release, day: string, rule: Rule): boolean =>
  rule.effect.type !== 'holiday' && coversDay(rule, day, established_from) && mayBeInForce(rule, day);

const taxable = { type: 'taxable' } as const;

/** Returns the rule that applies at each level. Levels with equal effects are grouped. */
const decisionsOn = (release: Release, product: ProductTaxCode, day: string) => {
  const levels = listLevels(release, product);
  const isStateUntaxed = levels.length > 1 && generalRateOn(release, day) === 0n;
  const chosen = levels.map(({ name, jurisdiction }) => {
    const chosen = chooseRule(release, jurisdiction, product, day, (rule) => holdsOn(release, day, rule));
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
/** A rule or the shipping policy, and the levels that it applies to; `undefined` if no rule matches the product. */
type Decision = ReturnType<typeof decisionsOn>[number];

/** Returns the lowest of several confidences; `null` if there are none. */
const lowest = (found: readonly Confidence[]): Confidence | null =>
  confidences.findLast((confidence) => found.includes(confidence)) ?? null;

/** Returns the coverage by rules or settings, with each source and id once. */
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

/** Returns the coverage of a state without a general sales tax or other known taxes. */
const untaxed = (release: Release): SubjectCoverage => {
  const [treatment, text] =
    release.coverage === 'complete'
      ? (['not_subject_to_tax', 'The state has no general sales tax.'] as const)
      : ([
          'not_established',
          'The state has no general sales tax; the treatment by local taxes is not established.',
        ] as const);
  return coveredBy(release, treatment, text, [], []);
};

// An import can have a separate rule for each of many cities.
const namesMax = 6;

/** Joins names with `or`. A long list becomes the first two names and a count. */
const listed = (names: readonly string[]): string => {
  if (names.length < 2) return names.join('');
  const last = names.length > namesMax ? `one of ${names.length - 2} others` : names.at(-1);
  return `${names.slice(0, names.length > namesMax ? 2 : -1).join(', ')} or ${last}`;
};

const asGeneral = 'not established; taxed as general goods, with a warning';

/** Describes the effects of the rules at all levels, in sentences. */
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

/** Lists the attributes that rules for a product depend on. */
const listAttributes = (release: Release, product: ProductTaxCode, day: string): string[] => {
  const required = release.rules
    .filter((rule) => names(rule, product) && holdsOn(release, day, rule))
    .flatMap(({ attributes: { any, all = [] } }) => [...any, ...all]);
  return [...new Set(required)].filter((code) => findProduct(`${product.canonical}.${code}`) !== null);
};

/** Lists the treatments of a product with each attribute that a rule depends on. */
const listVariants = (release: Release, product: ProductTaxCode, day: string) =>
  listAttributes(release, product, day).map((attribute) => {
    const decisions = decisionsOn(release, requireProduct(`${product.canonical}.${attribute}`), day);
    return { attribute, text: describeDecisions(decisions), rules: decisions.flatMap(({ rule }) => rule ?? []) };
  });

/** Returns how a state treats a product tax code on a day, at every level of jurisdiction. */
const coverageOfCode = (release: Release, code: string, day: string): SubjectCoverage => {
  const product = requireProduct(code);
  const known = generalRateOn(release, day);
  const general = known ?? 0n;
  const decisions = decisionsOn(release, product, day);
  const rules = decisions.flatMap(({ rule }) => rule ?? []);
  const isUntaxed = known === 0n && !knowsLocals(release) && !rules.some(({ effect }) => effect.type === 'rate');
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

/** Returns how a state treats goods with several codes: a single treatment if all are equal, otherwise one per code. */
export const subjectCoverage = (release: Release, codes: readonly string[], day: string): SubjectCoverage => {
  const each = codes.map((code) => ({ code, ...coverageOfCode(release, code, day) }));
  const [first, ...others] = each;
  assert(first !== undefined, 'A subject of coverage has no product tax code.');
  const { code: _, ...common } = first;
  if (others.every(({ treatment, text }) => treatment === first.treatment && text === first.text)) return common;
  return {
    treatment: 'by_product',
    text: each.map(({ code, text }) => `${code}: ${text}`).join(' '),
    confidence: lowest(each.flatMap(({ confidence }) => confidence ?? [])),
    rule_ids: [...new Set(each.flatMap(({ rule_ids }) => rule_ids))],
    citations: [...new Set(each.flatMap(({ citations }) => citations))],
  };
};
