import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { Effect, Rule } from '../../shared/catalog/release.ts';
import { decidingAttributes, findRule, uncertaintiesAboutAttributes } from '../../shared/tax/deciding-attributes.ts';
import { catalog, selectItems } from '../../shared/vocabulary/catalog.ts';
import { crosswalk, crosswalkRows, equivalentRow } from '../../shared/vocabulary/crosswalk.ts';
import { stateJurisdictions, stateOfJurisdiction, taxStates } from '../../shared/vocabulary/jurisdiction.ts';
import { attributesFor, parseProductTaxCode, textLengthMax } from '../../shared/vocabulary/product-tax-code.ts';
import texts from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import { ProductAttributeItem } from '../../shared/vocabulary/schema.ts';
import { listStems, resultsMax } from '../../shared/vocabulary/search.ts';
import { appliesTo, vocabulary } from '../../shared/vocabulary/vocabulary.ts';
import { getProduct, getRelease, jurisdiction, rule } from '../support/builders.ts';
import { readings } from '../support/facts.ts';
import { builtIn } from '../support/local-content.ts';

const search = (text: string): string[] => selectItems({ q: text }).map(({ code }) => code);

/** Product names of shops, and the number of first results that must contain their code. */
const rows = parse<Record<'place' | 'code' | 'phrases', string>>(
  readFileSync(new URL('../fixtures/search-phrases.csv', import.meta.url)),
  { columns: true },
);

describe('the search for product tax codes', () => {
  it.each(rows)('finds $code among the first $place: $phrases', ({ place, code, phrases }) => {
    for (const phrase of phrases.split('; '))
      expect([phrase, search(phrase).slice(0, Number(place))]).toEqual([phrase, expect.arrayContaining([code])]);
  });

  it.each([
    // Each row is in the crosswalk.
    ['TXCD_30011000', ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']],
    ['pc040100', ['CLOTHING.APPAREL']],
    [' food.candy ', ['FOOD.CANDY']],
    ['txcd_20030000', catalog().flatMap(({ code, family }) => (family === 'SERVICES' ? [code] : []))],
  ])('finds only the products of the code %s', (text, codes) => expect(search(text)).toEqual(codes));

  it('ranks the names, examples and synonyms of a code above other codes that contain some of their words', () => {
    const texts = catalog().flatMap(({ code, name, examples, synonyms }) =>
      [name, ...examples, ...synonyms].map((text) => ({ code, text })),
    );
    const owners = Map.groupBy(texts, ({ text }) => listStems(text).join(' '));
    for (const { code, text } of texts) {
      const others = new Set(owners.get(listStems(text).join(' '))?.map((owner) => owner.code)).size;
      const place = search(text).indexOf(code);
      expect([text, code, place >= 0 && place <= others]).toEqual([text, code, true]);
    }
  });

  it.each(
    [
      'xyzzy; qqqq wwww; 12345; ?!; the; blorp; cbd oil; pest control; cookie zzzz; smoke zzzz; towing; zzzz subscription',
      'alarm monitoring; security system monitoring; boat slip; boat motor; cable tv; crane with operator; teeth cleaning',
      'ice; livestock; puppy; raffle ticket; train ticket; trash pickup; welding gas; therapy session; prepaid phone card',
      'hemp seeds; vegan cbd gummies; kratom tea; delta 8 gummies; dog toothpaste; dog sweater; dog haircut; pet hotel; kitten shampoo; ferret vitamins; canine diapers; horse boots; microchip',
      'meeting room rental; storage unit rental; child care; house painting; golf cart; loose diamonds; eye exam; cruise',
      'cigar; pipe tobacco; premium cigars; hookah tobacco; tobacco',
    ].flatMap((line) => line.split('; ')),
  )('finds nothing for %s, which is in no code', (phrase) => expect(search(phrase)).toEqual([]));

  it.each([
    ['wine glass', 'BEVERAGES.WINE'],
    ['smoke alarm', 'TOBACCO.CIGARETTES'],
    ['milk frother', 'FOOD.GROCERY'],
  ])('does not match a code by a modifier only: %s is not %s', (phrase, code) =>
    expect(search(phrase)).not.toContain(code),
  );

  it('returns at most 20 codes, each once, that match the other filters', () => {
    for (const phrase of ['service', 'digital', 'food', 'equipment supplies for home school software']) {
      const codes = search(phrase);
      expect(codes.length).toBeLessThanOrEqual(resultsMax);
      expect(new Set(codes).size).toBe(codes.length);
    }
    const found = selectItems({ q: 'book', family: 'DIGITAL' }).map(({ family }) => family);
    expect(found.length).toBeGreaterThan(1);
    expect(new Set(found)).toEqual(new Set(['DIGITAL']));
  });
});

it('contains five distinct lower-case synonyms per code, and none repeats a name or an example', () => {
  const all = catalog().flatMap(({ synonyms }) => synonyms);
  expect(catalog().filter(({ synonyms }) => synonyms.length < 5)).toEqual([]);
  expect(all.filter((text, at) => all.indexOf(text) !== at)).toEqual([]);
  for (const { name, examples, synonyms } of catalog()) {
    const texts = [...synonyms, name, ...examples].map((text) => listStems(text).join(' '));
    expect(synonyms.filter((_, at) => texts.lastIndexOf(texts[at] ?? '') !== at)).toEqual([]);
  }
  expect(all.filter((text) => text !== text.toLowerCase().trim() || text === '')).toEqual([]);
});

const { productAttributes, productTaxCodes: paths } = vocabulary();
const getLast = (path: string) => path.split('.').at(-1) ?? '';
const families = [...new Set(paths.filter((path) => path.includes('.')).map((path) => path.split('.')[0] as string))];
const listMembers = (family: string) => paths.filter((code) => code.startsWith(`${family}.`));
const repeated = <Value>(values: readonly Value[]) => values.filter((value, at) => values.indexOf(value) !== at);
/** Matches codes as the API documents `ptcs`: a label covers any path that ends in it. */
const covers = (label: string, path: string) => `.${path}`.endsWith(`.${label}`);

const listProblems = (text: string) => {
  const result = parseProductTaxCode(text);
  return result.ok ? [] : result.problems;
};
const listCodes = (text: string) => listProblems(text).map(({ code }) => code);
const unknownCode = 'validation_unknown_product_tax_code';
const notApplicable = 'validation_product_attribute_not_applicable';
const conflict = 'validation_product_attribute_conflict';
const invalid = 'validation_invalid_format';

describe('the vocabulary', () => {
  it('gives all attributes of a group the same group description', () => {
    const groups = Map.groupBy(productAttributes, ({ group }) => group.key);
    for (const members of groups.values())
      expect(new Set(members.map(({ group }) => JSON.stringify(group))).size).toBe(1);
  });

  // The search reads only the part of a description before "; not".
  it('describes each code in one unique sentence with its inclusions and exclusions', () => {
    for (const { name, description, examples } of texts) {
      expect(name).toMatch(/^[A-Z].*[a-z)]$/);
      expect(description).toMatch(/^[A-Z](?=[^.;]*; not )[^.]{40,200}\.$/);
      expect(examples.length >= 1 && examples.length <= 3).toBe(true);
      for (const example of examples) expect(example).toMatch(/^[A-Z][^.;]{2,50}$/);
    }
    expect(repeated(texts.flatMap(({ name, description }) => [name, description]))).toEqual([]);
    expect(repeated(texts.flatMap(({ examples }) => examples))).toEqual([]);
  });

  it('contains labels that identify one path, and families that are neither codes nor labels', () => {
    for (const path of paths) expect(path).toMatch(/^[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)?$/);
    expect(repeated(paths.map(getLast))).toEqual([]);
    expect(paths.flatMap((path) => [path, getLast(path)]).filter((name) => families.includes(name))).toEqual([]);
  });

  it('contains attributes in the documented format, sorted, each with existing labels', () => {
    const codes = productAttributes.map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)].sort());
    // Parsing drops fields that are not documented.
    expect(z.array(ProductAttributeItem).parse(productAttributes)).toEqual(productAttributes);
    expect(ProductAttributeItem.parse({ ...productAttributes[0], effect: 'x' })).not.toHaveProperty('effect');
    const labels = new Set(paths.map(getLast));
    for (const { code, ptcs } of productAttributes) {
      expect(code).toMatch(/^_[A-Z0-9_]+$/);
      expect([ptcs.filter((label) => !labels.has(label)), repeated(ptcs)]).toEqual([[], []]);
    }
  });

  it('contains no product tax code that exceeds the maximum length with every applicable attribute', () => {
    for (const path of paths) {
      const applying = productAttributes.filter(({ ptcs }) => ptcs.includes(getLast(path)));
      expect([path, ...applying.map(({ code }) => code)].join('.').length).toBeLessThanOrEqual(textLengthMax);
    }
  });
});

describe('parseProductTaxCode', () => {
  const anyPath = fc.constantFrom(...paths);
  const anyAttribute = fc.constantFrom(...productAttributes.map(({ code }) => code));

  it.each([
    ['CLOTHING.APPAREL', 'CLOTHING.APPAREL', []],
    ['CLOTHING.APPAREL._FUR._ATHLETIC', 'CLOTHING.APPAREL', ['_ATHLETIC', '_FUR']],
    ['AUTOMOBILES._USED', 'MOTOR_VEHICLES.AUTOMOBILES', ['_USED']],
  ])('parses %s as %s with the attributes %j', (text, path, attributes) => {
    const value = { path, attributes, canonical: [path, ...attributes].join('.') };
    expect(parseProductTaxCode(text)).toEqual({ ok: true, value });
  });

  it.each(readings('product code problems'))('rejects "$text" with $result: $note', ({ text, result }) => {
    expect(listCodes(text)).toEqual(result.split(' ').map((code) => `validation_${code}`));
  });

  it('reports what is wrong with an attribute, without repeating malformed input', () => {
    const said = (text: string) => listProblems(text).map(({ title, detail }) => `${title}. ${detail}`);
    expect(said('JEWELRY.FINE_JEWELRY._FUR').join()).toContain('APPAREL, FOOTWEAR, CLOTHING_ACCESSORIES');
    expect(said('CLOTHING.APPAREL._FURR').join()).toContain('_FUR?');
    expect(said('X'.repeat(255)).join()).toContain('Unknown product tax code X');
    expect(said('X'.repeat(256)).join()).toContain('at most 255 characters');
    expect(said('<script>').join()).not.toContain('script');
    const exclusive = listProblems('MOTOR_VEHICLES.AUTOMOBILES._USED._NEW');
    expect(exclusive).toMatchObject([{ code: conflict, meta: { group: 'condition', attributes: ['_NEW', '_USED'] } }]);
    expect(listProblems('CLOTHING.APPAREL._SILK')[0]?.meta).toEqual({ attribute: '_SILK' });
  });

  it('accepts exactly the attributes that apply, are unique, and are alone in an exclusive group', () => {
    const byCode = new Map(productAttributes.map((attribute) => [attribute.code, attribute]));
    const applies = (code: string, path: string) => byCode.get(code)?.ptcs.some((label) => covers(label, path));
    // Half of the draws are applicable attributes; otherwise almost no code would be accepted.
    const cases = anyPath.chain((path) => {
      const fitting = [...byCode.keys()].filter((code) => applies(code, path));
      const one = fitting.length > 0 ? fc.oneof(fc.constantFrom(...fitting), anyAttribute) : anyAttribute;
      return fc.tuple(fc.constant(path), fc.array(one, { maxLength: 4 }));
    });
    fc.assert(
      fc.property(cases, ([path, codes]) => {
        const isApplying = codes.every((code) => applies(code, path));
        const isOnce = repeated(codes).length === 0;
        const groups = [...new Set(codes)].map((code) => byCode.get(code)?.group);
        const exclusive = groups.filter((group) => group?.mutually_exclusive).map((group) => group?.key);
        const problems = listCodes([path, ...codes].join('.'));
        expect(problems.includes(notApplicable)).toBe(!isApplying);
        expect(problems.includes(invalid)).toBe(!isOnce);
        expect(problems.includes(conflict)).toBe(repeated(exclusive).length > 0);
        expect(problems.length === 0).toBe(isApplying && isOnce && repeated(exclusive).length === 0);
      }),
      { numRuns: 500 },
    );
  });

  it('parses each path and each label as the path', () => {
    for (const path of paths)
      for (const text of [path, getLast(path)])
        expect(parseProductTaxCode(text)).toMatchObject({ ok: true, value: { canonical: path } });
  });
});

describe('rejected product tax codes', () => {
  /** The problem of a string that is not a product tax code, with the suggested codes. */
  const getRefusal = (text: string) => {
    const [problem] = listProblems(text);
    expect(problem?.code).toBe(unknownCode);
    return { detail: problem?.detail, codes: (problem?.meta?.['did_you_mean'] ?? []) as string[] };
  };

  it.each(readings('suggestion'))('suggests $result for $text: $note', ({ text, result }) => {
    const expected = result.endsWith('.*') ? listMembers(result.slice(0, -2)) : result.split(' ');
    const { codes, detail } = getRefusal(text);
    expect(codes).toEqual(expected);
    for (const code of expected) expect(detail).toContain(code);
  });

  it('lists up to ten codes of each family, and where to find the rest', () => {
    for (const family of families)
      for (const text of [family, `${family}.QQQQQQ`]) {
        const { codes, detail } = getRefusal(text);
        expect(codes).toEqual(listMembers(family).slice(0, 10));
        expect(detail?.includes(`GET /product-tax-codes?family=${family}`)).toBe(listMembers(family).length > 10);
      }
  });

  it('suggests the code of the crosswalk, or the codes of its families for a general code', () => {
    for (const { code, levyCode, match } of crosswalk()) {
      const { codes } = getRefusal(code);
      if (match !== 'family') expect(codes).toContain(levyCode);
      else expect(codes.some((suggested) => suggested.startsWith(`${levyCode}.`))).toBe(true);
    }
    expect(getRefusal('txcd_20030000').detail).toContain('GET /product-tax-codes?equivalent=stripe:txcd_20030000');
    const electronic = [...listMembers('DIGITAL').slice(0, 5), ...listMembers('SOFTWARE').slice(0, 5)];
    expect(getRefusal('txcd_10000000').codes).toEqual(electronic);
  });

  it.each(['QQQQ', 'X', 'TOYS.CAR', 'txcd_12345678', '', '.', 'A'.repeat(300)])(
    'names the endpoint with the codes for "%s", and suggests nothing',
    (text) => {
      expect(listProblems(text)[0]).not.toHaveProperty('meta');
      expect(listProblems(text)[0]?.detail).toContain('GET /product-tax-codes');
    },
  );

  it('returns a title, a detail and at most ten suggestions, each of them valid, for any input', () => {
    const slip = fc
      .tuple(fc.constantFrom(...paths), fc.nat(40), fc.constantFrom('', 'X', '.', '_', ' ', '._FUR', '\0', '💎'))
      .map(([code, at, text]) => code.slice(0, at) + text + code.slice(at + 1));
    // The inputs include lone surrogates.
    const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
    const lower = slip.map((text) => text.toLowerCase());
    fc.assert(
      fc.property(fc.oneof(slip, lower, fc.string({ unit, maxLength: 300 })), (text) => {
        const suggested = listProblems(text).flatMap(({ title, detail, meta }) => {
          expect(title.length * detail.length).toBeGreaterThan(0);
          return (meta?.['did_you_mean'] ?? []) as string[];
        });
        expect(suggested.length).toBeLessThanOrEqual(10);
        expect(repeated(suggested)).toEqual([]);
        for (const code of suggested) expect(listCodes(code)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('attributes of a code', () => {
  const attributeCodes = (ptc: string) => {
    const result = attributesFor(ptc);
    return result.ok ? result.value.map(({ code }) => code) : result.problems.map(({ code }) => code);
  };

  it.each(readings('attributes of a code'))('lists the attributes "$result" for "$text"', ({ text, result }) => {
    expect(attributeCodes(text).join(' ')).toBe(result);
  });

  it('includes attributes whose label is the end of the path, and attributes without labels', () => {
    // Reads the file directly, without the module's lookups.
    const file = new URL('../../shared/vocabulary/attributes.json', import.meta.url);
    const items: { code: string; ptcs: string[] }[] = JSON.parse(readFileSync(file, 'utf8'));
    for (const path of paths) {
      const expected = items.filter(({ ptcs }) => ptcs.length === 0 || ptcs.some((label) => covers(label, path)));
      expect(attributeCodes(path)).toEqual(expected.map(({ code }) => code).sort());
    }
    const [any] = productAttributes;
    if (!any) throw new Error('the vocabulary is not empty');
    expect([[], ['APPAREL']].map((ptcs) => appliesTo({ ...any, ptcs }, 'GENERAL'))).toEqual([true, false]);
  });
});

describe('the crosswalk', () => {
  /** Reads a source file of the crosswalk with a different parser than the packer. */
  const read = (name: string): Record<string, string>[] =>
    parse(readFileSync(new URL(`../../shared/vocabulary/${name}`, import.meta.url), 'utf8'), { columns: true });
  const rows = read('code-crosswalk.csv');
  const sources = read('code-crosswalk-sources.csv');
  const keys = (columns: readonly string[]) => rows.map((row) => columns.map((column) => row[column]).join(' '));
  const isGeneral = ({ match }: Record<string, string>) => match === 'family';

  /** The patterns of each system's codes. */
  const shapes: Record<string, RegExp> = {
    stripe: /^txcd_\d{8}$/,
    taxjar: /^(\d{5}|\d{8}A\d{4})$/,
    avalara: /^([A-Z]{1,2}\d{6,7}|[A-Z]{2})$/,
  };

  it('contains the documented columns, and codes in the format of their system', () => {
    expect(Object.keys(rows[0] ?? {})).toEqual(['system', 'code', 'levy_code', 'match', 'confidence', 'source']);
    expect([...new Set(rows.map(({ system }) => system))]).toEqual(Object.keys(shapes));
    expect(rows.filter(({ system = '', code = '' }) => !shapes[system]?.test(code))).toEqual([]);
    expect(rows.filter(({ match = '' }) => !['exact', 'broader', 'narrower', 'family'].includes(match))).toEqual([]);
  });

  it('contains a family for a general code, and otherwise a valid full path with attributes, once', () => {
    const isRight = (row: Record<string, string>) => {
      const { levy_code = '' } = row;
      if (isGeneral(row)) return families.includes(levy_code);
      return listCodes(levy_code).length === 0 && paths.includes(levy_code.split('._')[0] ?? '');
    };
    expect(rows.filter((row) => !isRight(row))).toEqual([]);
    const general = new Set(rows.filter(isGeneral).map(({ code }) => code));
    expect(rows.filter((row) => general.has(row['code']) && !isGeneral(row))).toEqual([]);
    const targets = rows.map(({ system, code, levy_code = '' }) => `${system} ${code} ${levy_code.split('._')[0]}`);
    expect(repeated(targets)).toEqual([]);
    // A hint names one system.
    for (const all of Map.groupBy(rows, ({ code = '' }) => code.toUpperCase()).values())
      expect(new Set(all.map(({ system }) => system)).size).toBe(1);
  });

  it('cites sources of its system, and none of low confidence', () => {
    expect(rows.filter(({ confidence = '' }) => !['high', 'medium'].includes(confidence))).toEqual([]);
    const known = sources.map(({ source, system }) => `${system} ${source}`);
    expect([...new Set(keys(['system', 'source']))].sort()).toEqual(known.sort());
    expect(sources.filter(({ title }) => title === '')).toEqual([]);
  });

  it('bundles the crosswalk with the functions, and finds codes case-insensitively', () => {
    const packed = crosswalk().map((row) => Object.values(row).join(' '));
    expect(packed).toEqual(keys(['system', 'code', 'levy_code', 'match']));
    expect(crosswalkRows('20010').map(({ levyCode }) => levyCode)).toEqual(['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']);
    expect(crosswalkRows('pc040100')).toEqual(crosswalkRows('PC040100'));
    expect([crosswalkRows('txcd_12345678'), crosswalkRows('')]).toEqual([[], []]);
  });

  it('uses the exact code among several only if every rule treats all of them the same', () => {
    const several = Map.groupBy(
      crosswalk().filter(({ match }) => match !== 'family'),
      ({ code }) => code,
    );
    const alike = [...several.values()]
      .filter((all) => all.length > 1 && all.some(({ system, code }) => equivalentRow(system, code)))
      .map((all) => all.map(({ levyCode }) => levyCode));
    expect(alike).toEqual(Array(2).fill(['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']));
    const rules = stateJurisdictions.flatMap((state) => builtInRelease(stateOfJurisdiction(state))?.rules ?? []);
    const differing = ({ ptcs }: Rule) => ptcs.includes('CLOTHING.APPAREL') !== ptcs.includes('CLOTHING.FOOTWEAR');
    expect(rules.length).toBeGreaterThan(1000);
    expect(rules.filter(differing)).toEqual([]);
    expect(equivalentRow('taxjar', '20010')?.levyCode).toBe('CLOTHING.APPAREL');
    expect(equivalentRow('stripe', '20010')).toBeUndefined();
    // TaxJar: cleaning of clothing or fabrics. Stripe: cleaning of commercial premises.
    expect(equivalentRow('taxjar', '19006')?.levyCode).toBe('SERVICES.CLEANING._TANGIBLE_PROPERTY');
    expect(equivalentRow('stripe', 'txcd_20010004')?.levyCode).toBe('SERVICES.CLEANING._REAL_PROPERTY');
  });

  it('adds the equivalents to the catalog, which lists every product tax code once, sorted, with its descriptions', () => {
    const expected = texts
      .map(({ code, ...others }) => ({ code, ...others, family: code.split('.')[0], object: 'product_tax_code' }))
      .sort((a, b) => (a.code < b.code ? -1 : 1));
    expect(catalog().map(({ equivalents: _, taxability: __, ...item }) => item)).toEqual(expected);
    const listed = catalog().flatMap(({ code, equivalents }) =>
      equivalents.map((row) => `${row.system} ${row.code} ${code} ${row.product_tax_code} ${row.match}`),
    );
    const own = rows
      .filter((row) => !isGeneral(row))
      .map(
        ({ system, code, levy_code, match }) => `${system} ${code} ${levy_code?.split('._')[0]} ${levy_code} ${match}`,
      );
    expect(listed.toSorted()).toEqual(own.toSorted());
  });
});

describe('deciding attributes', () => {
  const day = '2026-11-26';

  // The expected values follow from the laws, not from the rules: Tex. Tax Code 151.313 exempts drugs for people with and
  // without a prescription; 86 Ill. Adm. Code 130.310 treats candy with flour or that needs refrigeration as food;
  // Ohio R.C. 5739.01(B)(3)(e) taxes automatic data processing for use in business; Tex. Tax Code 151.313 and 151.3131
  // exempt baby bottles and gun safes, and 151.336 bullion and coins; N.Y. Tax Law 1115(a)(11) exempts flags, and (27)
  // bullion above 1,000.
  it.each([
    { state: 'TX', code: 'HEALTH.DRUGS', expected: { _ANIMAL_USE: 'taxable' } },
    { state: 'IL', code: 'FOOD.CANDY', expected: { _CONTAINS_FLOUR: 'rate', _REFRIGERATED: 'rate' } },
    { state: 'OH', code: 'SOFTWARE.SAAS', expected: { _BUSINESS_USE: 'use_split', _PERSONAL_USE: 'use_split' } },
    { state: 'OH', code: 'SOFTWARE.SAAS._BUSINESS_USE', expected: {} },
    {
      state: 'TX',
      code: 'GENERAL',
      expected: { _BABY_BOTTLE: 'exempt', _BULLION: 'exempt', _COINS: 'exempt', _GUN_SAFE: 'exempt' },
    },
    { state: 'NY', code: 'GENERAL', expected: { _BULLION: 'exempt_above', _FLAG: 'exempt' } },
    { state: 'NM', code: 'GENERAL', expected: {} },
  ])('lists the deciding attributes for $code in $state', ({ state, code, expected }) => {
    const release = builtIn(state);
    const found = decidingAttributes(release, release.jurisdictions[0], getProduct(code), day);
    const effects = found.map(({ attribute, rule }) => [attribute.code, rule?.effect.type]);
    expect(Object.fromEntries(effects)).toEqual(expected);
  });

  const exempt: Effect = { type: 'exempt' };
  const reduced: Effect = { type: 'rate', rate: '0.01' };
  const holiday: Effect = { type: 'holiday', amount: null, inclusive: false };
  const season = { from: '11-01', to: '12-31' };
  const michigan = jurisdiction('US-MI', 'state');
  const county = jurisdiction('US-MI-00-001', 'county');
  const any = (...codes: string[]) => ({ attributes: { any: codes, none: [] } });
  const flour = any('_CONTAINS_FLOUR');
  const withoutFlour = { attributes: { any: [], none: ['_CONTAINS_FLOUR'] } };
  const candy = (effect: Effect, more: object = {}) =>
    rule('attributes' in more ? 'flour' : 'all', ['FOOD.CANDY'], effect, more);
  const zero = candy({ ...reduced, rate: '0' }, flour);
  const local = candy(exempt, { ...flour, levels: ['county'] });
  const drugs = (effect: Effect, attribute: string) => rule(attribute, ['HEALTH.DRUGS'], effect, any(attribute));
  // The attribute _FOR_ADULTS does not apply to drugs.
  const others = [drugs(reduced, '_OVER_THE_COUNTER'), drugs(exempt, '_FOR_ADULTS')];
  const ofDrugs = [drugs(exempt, '_PRESCRIPTION'), ...others];
  const bothOfDrugs = ['_OVER_THE_COUNTER', '_PRESCRIPTION'];

  it.each<[string, readonly Rule[], string, string[], typeof michigan?]>([
    ['an attribute that a rule excludes', [candy(exempt, withoutFlour)], 'FOOD.CANDY', ['_CONTAINS_FLOUR']],
    ['an attribute with a different effect', [candy(reduced), candy(exempt, flour)], 'FOOD.CANDY', ['_CONTAINS_FLOUR']],
    ['an attribute with another rate', [candy(reduced), zero], 'FOOD.CANDY', ['_CONTAINS_FLOUR']],
    ['none with an equal effect', [candy(reduced), candy({ ...reduced }, flour)], 'FOOD.CANDY', []],
    ['none with the same effect as without a rule', [candy({ type: 'taxable' }, flour)], 'FOOD.CANDY', []],
    ['the attributes that the product accepts', ofDrugs, 'HEALTH.DRUGS', bothOfDrugs],
    ['none next to an attribute that excludes it', ofDrugs, 'HEALTH.DRUGS._PRESCRIPTION', []],
    ['the attributes next to one of a different group', ofDrugs, 'HEALTH.DRUGS._HUMAN_USE', bothOfDrugs],
    ['none for a holiday', [candy(holiday, flour)], 'FOOD.CANDY', []],
    ['none for a season', [candy(exempt, { ...flour, season })], 'FOOD.CANDY', []],
    ['none for a different day', [candy(exempt, { ...flour, from: '2027-01-01' })], 'FOOD.CANDY', []],
    ['none for a different level', [local], 'FOOD.CANDY', []],
    ["the county's attribute", [local], 'FOOD.CANDY', ['_CONTAINS_FLOUR'], county],
  ])('returns %s', (_name, rules, code, expected, taxing = michigan) => {
    const found = decidingAttributes(getRelease({ rules }), taxing, getProduct(code), day);
    expect(found.map(({ attribute }) => attribute.code)).toEqual(expected);
  });

  it('names the attributes that confirm an assumption, for each code and state', () => {
    const unconfirmed = taxStates.flatMap((state) => {
      const release = builtIn(state);
      const [taxing] = release.jurisdictions;
      const messages = (code: string) => uncertaintiesAboutAttributes(release, getProduct(code), day);
      return paths.filter((path) => {
        const [warning] = messages(path);
        if (!warning) return false;
        const groups = /Otherwise, add (.*)\.$/.exec(warning.message)?.[1]?.split(' and ') ?? [];
        const codes = groups.reduce<string[]>(
          (begun, group) => begun.flatMap((code) => group.split(' or ').map((attribute) => `${code}.${attribute}`)),
          [path],
        );
        const getEffect = (code: string) => findRule(release, taxing, getProduct(code), day)?.effect;
        for (const code of codes) expect([code, getEffect(code)]).toEqual([code, getEffect(path)]);
        return codes.every((code) => messages(code).length > 0);
      });
    });
    // No attribute states that diesel fuel is not for farming (California), or that a right to a digital subscription is
    // permanent (Georgia).
    expect(unconfirmed).toEqual(['ENERGY.MOTOR_FUEL', 'DIGITAL.DIGITAL_SUBSCRIPTIONS']);
  });
});
