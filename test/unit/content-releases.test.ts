import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { builtInRelease, builtInReleaseById, builtInReleases } from '../../shared/catalog/built-in.ts';
import { listOffsets, readTax } from '../../shared/catalog/local/packed-table.ts';
import manifest from '../../shared/catalog/manifest.json' with { type: 'json' };
import type { Release, Rule } from '../../shared/catalog/release.ts';
import { packRates } from '../../shared/cli/pack/local-tables.ts';
import { generatedFiles, packedFiles } from '../../shared/cli/pack.ts';
import { fileSchema } from '../../shared/importers/rules/schema.ts';
import { isWithin } from '../../shared/vocabulary/product-tax-code.ts';
import { canonical } from '../support/committed-hash.ts';
import { schemaErrors } from '../support/facts.ts';
import { requireCurrentContent } from '../support/packed-content.ts';

describe('releases', () => {
  const folder = new URL('../../shared/catalog/releases/', import.meta.url);
  const files = readdirSync(folder);

  const datedValues = ({ rates, locations, rules, settings, remote_sales = [] }: Release) => [
    ...rates,
    ...remote_sales,
    ...locations,
    ...rules,
    ...settings.sourcing,
    ...settings.shipping,
    ...settings.rounding,
    ...(settings.coupons ?? []),
  ];

  const isDisjoint = <Value>(left: readonly Value[] | null | undefined, right: readonly Value[] | null | undefined) =>
    Boolean(left && right && !left.some((value) => right.includes(value)));

  const haveDisjointPlaces = (left: Rule, right: Rule): boolean =>
    isDisjoint(left.levels, right.levels) ||
    isDisjoint(left.jurisdictions, right.jurisdictions) ||
    isDisjoint(left.counties, right.counties) ||
    isDisjoint(left.kinds, right.kinds) ||
    isDisjoint(left.zips?.map(String), right.zips?.map(String));

  /** How specific a rule is about places: named places, places of a type, or all places. */
  const placeRank = ({ jurisdictions, kinds, zips, counties, levels }: Rule): number => {
    if (jurisdictions || kinds || zips || counties) return 2;
    return levels === null ? 0 : 1;
  };

  // New York's rules name the city by its ZIPs and by the import codes; both are equivalent.
  const waysToName = ({ jurisdictions, kinds, zips, counties }: Rule) =>
    JSON.stringify([jurisdictions, kinds, zips, counties].map(Boolean));
  const areAliases = (left: Rule, right: Rule): boolean =>
    waysToName(left) !== waysToName(right) && canonical(left.effect) === canonical(right.effect);

  const doAttributesDiffer = (left: Rule['attributes'], right: Rule['attributes']): boolean =>
    left.all?.join() !== right.all?.join() ||
    (left.any.length === 0) !== (right.any.length === 0) ||
    (left.any.length > 0 && left.any.every((attribute) => right.none.includes(attribute))) ||
    (right.any.length > 0 && right.any.every((attribute) => left.none.includes(attribute))) ||
    (left.any.length > 0 && left.any.every((attribute) => !right.any.includes(attribute)));

  /** Whether the order of two rules in the file does not matter. */
  const areDistinct = (left: Rule, right: Rule): boolean =>
    isDisjoint(left.ptcs, right.ptcs) ||
    haveDisjointPlaces(left, right) ||
    placeRank(left) !== placeRank(right) ||
    doAttributesDiffer(left.attributes, right.attributes) ||
    left.from !== right.from ||
    left.season?.from !== right.season?.from ||
    areAliases(left, right);

  describe('the built-in releases', () => {
    it('matches the files of the folder and the manifest', () => {
      const ids = builtInReleases()
        .map(({ id }) => id)
        .toSorted();
      expect(files.map((file) => file.replace(/\.json$/, '')).toSorted()).toEqual(ids);
      expect(Object.keys(manifest.releases).toSorted()).toEqual(ids);
    });

    it('uses no counter above 100, because imports use higher counters', () => {
      for (const { id } of builtInReleases()) expect(Number(id.split('.').at(-1))).toBeLessThanOrEqual(100);
    });

    it('contains one release per state, found by state code and by id', () => {
      expect(files).toHaveLength(55);
      for (const release of builtInReleases()) {
        expect(builtInReleaseById(release.id)).toBe(release);
        expect(builtInRelease(release.state.slice(3))).toBe(release);
      }
      expect(builtInRelease('GU')).toBeUndefined();
      expect(builtInRelease('mi')).toBeUndefined();
      expect(builtInReleaseById('US-MI@2026-11-22.2')).toBeUndefined();
    });
  });

  describe.each(builtInReleases().map((release) => [release.id, release] as const))('%s', (id, release) => {
    const codes = new Set(release.jurisdictions.map(({ code }) => code));
    const tables = release.local ? packRates(release.state.slice('US-'.length)) : { fips: '', counties: {}, taxes: '' };
    const tableTaxes = listOffsets(tables.taxes.split('\n')).map((offset) => readTax(tables.taxes, offset));
    const tableCodes = new Set(tableTaxes.map(({ code }) => code));

    it('matches the schema of a release', () => {
      const { sources, rates, rules, settings, ...others } = release;
      expect(schemaErrors('release', others)).toEqual([]);
      // The same fields as in a file of custom rules, where every value needs a first day.
      const text = JSON.stringify({
        state: release.state.slice(3),
        sources,
        jurisdictions: [],
        rates,
        rules,
        settings,
      });
      const file = JSON.parse(text.replaceAll('"from":null', `"from":"${release.established_from}"`));
      expect(fileSchema().parse(file)).toEqual(file);
      for (const rate of [...rates, ...rules.map(({ effect }) => effect)])
        if ('rate' in rate) expect(schemaErrors('rate', rate.rate)).toEqual([]);
      for (const { assumption = 'Assumed: ' } of rules) expect(assumption.startsWith('Assumed: ')).toBe(true);
      expect(id.startsWith(`${release.state}@`)).toBe(true);
      expect(release.jurisdictions[0]).toMatchObject({ code: release.state, type: 'state', name: release.name });
    });

    it('matches its hash in the manifest', () => {
      const hash = createHash('sha256').update(canonical(release)).digest('hex');
      expect(hash, 'the release has changed: its hash in manifest.json changes with it').toBe(
        (manifest.releases as Record<string, string>)[id],
      );
    });

    it('cites a source for every value, and lists no unused source', () => {
      const cited = new Set(datedValues(release).map(({ source }) => source));
      expect([...cited].toSorted()).toEqual(Object.keys(release.sources).toSorted());
    });

    it('contains unique rule ids that include the state', () => {
      const ids = release.rules.map((rule) => rule.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every((ruleId) => ruleId.startsWith(`${release.state.slice(3).toLowerCase()}-`))).toBe(true);
    });

    it('refers only to listed jurisdictions, each listed once with a rate', () => {
      expect(codes.size).toBe(release.jurisdictions.length);
      const named = release.locations.flatMap(({ alternatives }) => alternatives.flat());
      const bracketed = release.settings.rounding.flatMap(({ policy }) =>
        policy.method === 'bracket' ? policy.brackets.map(({ jurisdiction }) => jurisdiction) : [],
      );
      expect(named.filter((code) => !codes.has(code))).toEqual([]);
      for (const code of bracketed) expect(codes.has(code) || tableCodes.has(code), code).toBe(true);
      // Tennessee's single article tax and the delivery fees have no general rate.
      const additional = release.rules.flatMap(({ effect: { type }, jurisdictions }) =>
        type === 'band' || type === 'flat_fee' ? (jurisdictions ?? []) : [],
      );
      const rated = [...codes].filter((code) => !additional.includes(code));
      expect(new Set(release.rates.map(({ jurisdiction }) => jurisdiction))).toEqual(new Set(rated));
      for (const code of additional) expect(codes).toContain(code);
    });

    it('restricts rules only to counties, kinds and codes of their local rate tables', () => {
      if (!release.local) return;
      const kinds = new Set(tableTaxes.map(({ kind }) => kind));
      for (const { id: ruleId, counties, kinds: named, jurisdictions } of release.rules) {
        for (const county of counties ?? [])
          expect(county.startsWith(tables.fips) && county.slice(2) in tables.counties, `${ruleId} ${county}`).toBe(
            true,
          );
        for (const kind of named ?? []) expect(kinds, ruleId).toContain(kind);
        // In addition to a table's code, a rule can include import codes for the same place.
        if (jurisdictions)
          expect(
            jurisdictions.some((code) => codes.has(code) || tableCodes.has(code)),
            ruleId,
          ).toBe(true);
      }
    });

    it('contains no period that ends before it begins, and no two rates of a jurisdiction on one day', () => {
      const begin = (from: string | null) => from ?? release.established_from;
      // A value that ended before the release began is used as an approximation for earlier days.
      const earliest = release.approximate_from ?? release.established_from;
      expect(datedValues(release).filter(({ from, to }) => to !== null && (from ?? earliest) > to)).toEqual([]);
      const rows = [...release.rates.map((rate) => ({ ...rate, key: rate.jurisdiction }))];
      const policies = Object.entries(release.settings).flatMap(([key, values]) =>
        values.map((value) => ({ ...value, key: 'ptcs' in value ? `${key} ${value.ptcs}` : key })),
      );
      // The first sourcing rule of a product applies.
      const limited = release.settings.sourcing.flatMap(({ ptcs }) => ptcs ?? []);
      expect(release.settings.sourcing.findIndex(({ ptcs }) => !ptcs)).toBe(release.settings.sourcing.length - 1);
      expect(limited.filter((code) => limited.filter((other) => isWithin(code, other)).length > 1)).toEqual([]);
      for (const list of [rows, policies])
        for (const group of Map.groupBy<string, { key: string; from: string | null; to: string | null }>(
          list,
          ({ key }) => key,
        ).values()) {
          const sorted = group.toSorted((left, right) => (begin(left.from) < begin(right.from) ? -1 : 1));
          for (const [index, next] of sorted.slice(1).entries())
            expect((sorted[index]?.to ?? '9999-12-31') < begin(next.from)).toBe(true);
        }
    });

    it('contains no two rules for the same goods and days that differ only in their order', () => {
      const same = release.rules.flatMap((left, index) =>
        release.rules.slice(index + 1).flatMap((right) => (areDistinct(left, right) ? [] : [[left.id, right.id]])),
      );
      expect(same).toEqual([]);
    });

    it('contains ordered ranges of whole ZIPs, and each range or city in only one location', () => {
      const ranges = release.locations.flatMap(({ zips }) => zips);
      expect(ranges.filter(([low, high]) => !(low <= high && low.length === 5 && high.length === 5))).toEqual([]);
      expect(new Set(ranges.map(String)).size).toBe(ranges.length);
      const widths = ranges.map(([low, high]) => ({ low, high, width: Number(high) - Number(low) }));
      for (const one of widths)
        expect(
          widths.filter((other) => other.width === one.width && other.low <= one.high && one.low <= other.high),
          `a ZIP of ${one.low} to ${one.high} must have one narrowest range`,
        ).toHaveLength(1);
      const cities = release.locations.flatMap((location) => location.cities);
      expect(new Set(cities).size).toBe(cities.length);
    });
  });
});

describe('packed files', () => {
  it.each(generatedFiles)('contains an up-to-date $path (`npm run pack`)', async ({ path, text }) => {
    const bytes = readFileSync(path);
    expect((path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString() === (await text())).toBe(true);
  });

  it('rejects packed files whose sources have changed since `npm run pack`, or before the first one', () => {
    expect(() => requireCurrentContent()).not.toThrow();
    for (const path of ['/nowhere/sources.sha256', fileURLToPath(import.meta.url)])
      expect(() => requireCurrentContent(path)).toThrow('run `npm run pack`');
  });

  it.each(packedFiles)('includes the packed file $name in a bundle', ({ readBy }) => {
    expect(existsSync(new URL(`../../${readBy}`, import.meta.url))).toBe(true);
  });
});

/** The evidence for local treatment, and the rules of the releases that use it. */

type Fact = Readonly<
  Record<'state' | 'topic' | 'product_family' | 'applies_to' | 'from' | 'confidence' | 'used_by' | 'reason', string>
>;

const text = readFileSync(new URL('../../shared/catalog/local/facts.csv', import.meta.url), 'utf8');
const facts: readonly Fact[] = parse<Fact>(text, { columns: true });
const byState = [...Map.groupBy(facts, ({ state }) => state)];
const listUsers = ({ used_by }: Fact): string[] => used_by.split(';').filter((user) => user !== '');
const getName = ({ state, topic, product_family, applies_to, from }: Fact) =>
  [state, topic, product_family, applies_to, from].join(' | ');

describe('the facts about local treatment', () => {
  it('contains all facts', () => expect(facts).toHaveLength(374));

  it.each(byState)('%s: uses each fact in rules or settings of the newest release, or gives a reason', (state, own) => {
    const release = builtInRelease(state);
    const known = new Set([...(release?.rules ?? []).map(({ id }) => id), 'settings.shipping']);
    for (const fact of own) {
      const users = listUsers(fact);
      for (const user of users) expect(known, getName(fact)).toContain(user);
      expect(users.length > 0 || fact.reason !== '', getName(fact)).toBe(true);
    }
  });

  it.each(byState)('%s: uses no fact of low confidence in a calculation', (_, own) => {
    for (const fact of own) {
      expect(['high', 'medium-high', 'medium', 'low'], getName(fact)).toContain(fact.confidence);
      if (fact.confidence === 'low') expect(listUsers(fact), getName(fact)).toEqual([]);
    }
  });

  it.each(byState)('%s: contains every rule that a reason mentions', (state, own) => {
    const ids = new Set(builtInRelease(state)?.rules.map(({ id }) => id));
    const named = new RegExp(`\\b${state.toLowerCase()}-[a-z]+(?:-[a-z]+)*(?:-20\\d\\d)?`, 'g');
    for (const fact of own) for (const [id] of fact.reason.matchAll(named)) expect(ids, getName(fact)).toContain(id);
  });
});
