import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Effect, Rule } from '../../shared/catalog/release.ts';
import { decidingAttributes } from '../../shared/tax/deciding-attributes.ts';
import { catalog } from '../../shared/vocabulary/catalog.ts';
import { crosswalk, crosswalkRows } from '../../shared/vocabulary/crosswalk.ts';
import { attributesFor, parseProductTaxCode, textLengthMax } from '../../shared/vocabulary/product-tax-code.ts';
import productTaxCodeTexts from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import productTaxCodes from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import { ProductAttributeItem } from '../../shared/vocabulary/schema.ts';
import { appliesTo, vocabulary } from '../../shared/vocabulary/vocabulary.ts';
import { jurisdiction, productOf, releaseOf, rule } from '../support/builders.ts';
import { builtIn } from '../support/local-content.ts';

describe('vocabulary', () => {
  const { productAttributes, productTaxCodes } = vocabulary();

  const paths = productTaxCodes;
  const lastOf = (path: string) => path.split('.').at(-1);

  describe('the vocabulary', () => {
    it('has 123 product tax codes and 59 attributes in 23 groups', () => {
      expect(productTaxCodes).toHaveLength(123);
      expect(productAttributes).toHaveLength(59);
      expect(new Set(productAttributes.map(({ group }) => group.key)).size).toBe(23);
    });

    it.each(productTaxCodeTexts)('describes $code in one sentence: what belongs to it and what does not', (item) => {
      const { name, description, examples } = item;
      expect(Object.keys(item)).toEqual(['code', 'name', 'description', 'examples', 'synonyms', 'fulfillment']);
      expect(name).toMatch(/^[A-Z].*[a-z)]$/);
      expect(description).toMatch(/^[A-Z][^.]{40,200}\.$/);
      expect(description).toMatch(/; not /);
      expect(examples.length).toBeGreaterThanOrEqual(1);
      expect(examples.length).toBeLessThanOrEqual(3);
      for (const example of examples) expect(example).toMatch(/^[A-Z][^.;]{2,50}$/);
    });

    it('gives no two product tax codes the same name, description or example', () => {
      for (const texts of [
        productTaxCodeTexts.map(({ name }) => name),
        productTaxCodeTexts.map(({ description }) => description),
        productTaxCodeTexts.flatMap(({ examples }) => examples),
      ])
        expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
    });

    it('has no two product tax codes that end alike: a label names one path (spec 2.1)', () => {
      expect(new Set(paths.map(lastOf)).size).toBe(paths.length);
    });

    it('has no family that is a product tax code or a label as well: a name means one thing', () => {
      const families = new Set(paths.filter((path) => path.includes('.')).map((path) => path.split('.')[0]));
      expect(paths.flatMap((path) => [path, lastOf(path)]).filter((name) => families.has(name))).toEqual([]);
    });

    it('is sorted by attribute code as a string, each code once', () => {
      const codes = productAttributes.map(({ code }) => code);
      expect(codes).toEqual([...new Set(codes)].sort());
    });

    it('has attributes in the exact shape of specification 2.1, nothing more', () => {
      expect(z.array(ProductAttributeItem).safeParse(productAttributes).error).toBeUndefined();
      expect(ProductAttributeItem.safeParse({ ...productAttributes[0], effect: 'x' }).success).toBe(false);
    });

    it('has the same group object in each of its attributes', () => {
      const said = Map.groupBy(productAttributes, ({ group }) => group.key);
      for (const members of said.values())
        expect(new Set(members.map(({ group }) => JSON.stringify(group))).size).toBe(1);
    });

    it('writes codes as components: attributes start with an underscore, and only they', () => {
      for (const path of paths) expect(path).toMatch(/^[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)?$/);
      for (const { code } of productAttributes) expect(code).toMatch(/^_[A-Z0-9_]+$/);
    });

    it('names in ptcs only labels that exist, each once', () => {
      const labels = new Set(paths.map(lastOf));
      for (const { ptcs } of productAttributes) {
        expect(ptcs.filter((label) => !labels.has(label))).toEqual([]);
        expect(new Set(ptcs).size).toBe(ptcs.length);
      }
    });

    it('has no product tax code that outgrows the longest text with every attribute that applies', () => {
      const lengths = paths.map((path) => {
        const applying = productAttributes.filter(({ ptcs }) => ptcs.includes(lastOf(path) ?? ''));
        return [path, ...applying.map(({ code }) => code)].join('.').length;
      });
      expect(Math.max(...lengths)).toBeLessThanOrEqual(textLengthMax);
    });
  });
});

describe('vocabulary hints', () => {
  const { productTaxCodes } = vocabulary();
  const membersOf = (family: string) => productTaxCodes.filter((code) => code.startsWith(`${family}.`));
  const families = [...new Set(productTaxCodes.filter((code) => code.includes('.')).map((code) => code.split('.')[0]))];

  /** The problem of a text that names no product tax code, with the codes that it suggests. */
  const refusalOf = (text: string) => {
    const result = parseProductTaxCode(text);
    if (result.ok) throw new Error(`${text} is a product tax code.`);
    const [{ code, detail, meta }] = result.problems;
    expect(code).toBe('validation_unknown_product_tax_code');
    return { detail, codes: (meta?.['did_you_mean'] ?? []) as string[] };
  };

  describe('suggestions for a refused product tax code', () => {
    it.each([
      ['HEALTH.DRUGS_PRESCRIPTION', ['HEALTH.DRUGS._PRESCRIPTION'], 'the dot of the attribute is missing'],
      ['HEALTH.DRUGS.PRESCRIPTION', ['HEALTH.DRUGS._PRESCRIPTION'], 'the underscore of the attribute is missing'],
      ['drugs_prescription', ['HEALTH.DRUGS._PRESCRIPTION'], 'it is a label in lower case, too'],
      ['clothing.apparel._fur', ['CLOTHING.APPAREL._FUR'], 'it is in lower case'],
      ['CLOTHING.APPARELS._FUR', ['CLOTHING.APPAREL._FUR'], 'a letter is too many, and the attribute is right'],
      ['CLOTHING.APPARELS._SILK', ['CLOTHING.APPAREL'], 'the attribute is wrong as well'],
      ['CLOTHING.APPARELS._NEW', ['CLOTHING.APPAREL'], 'the attribute does not apply'],
      ['FOOD.APPAREL', ['CLOTHING.APPAREL'], 'the label is of another family'],
      ['SHOP.CLOTHING.APPAREL', ['CLOTHING.APPAREL'], 'the path is too long'],
      ['FOOTWARE', ['CLOTHING.FOOTWEAR'], 'it is a misspelled label'],
      ['general', ['GENERAL'], 'it has no family'],
      ['PC040100', ['CLOTHING.APPAREL'], 'it is of Avalara'],
      ['pc040100', ['CLOTHING.APPAREL'], 'it is of Avalara, in lower case'],
      ['20010', ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR'], 'it is of TaxJar and covers two'],
      ['txcd_20080005', ['SERVICES.REPAIR._TANGIBLE_PROPERTY'], 'it is of Stripe and needs an attribute'],
    ])('%s: %j, for %s', (text, expected) => {
      const { codes, detail } = refusalOf(text);
      expect(codes).toEqual(expected);
      for (const code of expected) expect(detail).toContain(code);
    });

    it.each(['CLOTHING', 'clothing', 'CLOTHING.SHIRT', 'clothing.shirt', 'CLOTHING.', 'CLOTHING.QQQQQQ'])(
      'lists the whole family for %s',
      (text) => {
        const { codes, detail } = refusalOf(text);
        expect(codes).toEqual(membersOf('CLOTHING'));
        expect(codes.length).toBe(10);
        expect(detail).not.toContain('?family=');
      },
    );

    it('lists the family where its nearest code differs by three characters: CAKES is not CANDY', () => {
      expect(refusalOf('FOOD.CAKES').codes).toEqual(membersOf('FOOD'));
    });

    it.each(families)('lists up to ten codes of the family %s, and where the others are', (family = '') => {
      for (const text of [family, `${family}.QQQQQQ`]) {
        const { codes, detail } = refusalOf(text);
        expect(codes).toEqual(membersOf(family).slice(0, 10));
        expect(detail.includes(`GET /product-tax-codes?family=${family}`)).toBe(membersOf(family).length > 10);
      }
    });

    it('offers the families of a general code of another service, and the filter that lists them', () => {
      const services = refusalOf('txcd_20030000');
      expect(services.codes).toEqual(membersOf('SERVICES').slice(0, 10));
      expect(services.detail).toContain('GET /product-tax-codes?equivalent=stripe:txcd_20030000');
      const electronic = refusalOf('txcd_10000000').codes;
      expect(electronic).toEqual([...membersOf('DIGITAL').slice(0, 5), ...membersOf('SOFTWARE').slice(0, 5)]);
    });

    it('translates every code of the crosswalk', () => {
      for (const { code, levyCode, match } of crosswalk()) {
        const { codes } = refusalOf(code);
        if (match !== 'family') expect(codes).toContain(levyCode);
        else expect(codes.some((suggested) => suggested.startsWith(`${levyCode}.`))).toBe(true);
      }
    });

    it.each(['QQQQ', 'X', 'TOYS.CAR', 'txcd_12345678', '', '.', '<script>', 'A'.repeat(300)])(
      'suggests nothing for "%s", and names the endpoint with the codes',
      (text) => {
        const result = parseProductTaxCode(text);
        if (result.ok) throw new Error('it is no product tax code');
        expect(result.problems[0]).not.toHaveProperty('meta');
        expect(result.problems[0].detail).toContain('GET /product-tax-codes');
      },
    );

    it('suggests at most ten different codes, each of which is accepted, for any text', () => {
      const slip = fc
        .tuple(fc.constantFrom(...productTaxCodes), fc.nat(40), fc.constantFrom('', 'X', '.', '_', ' ', '._FUR'))
        .map(([code, at, text]) => code.slice(0, at) + text + code.slice(at + 1));
      const anything = fc.oneof(
        slip,
        slip.map((text) => text.toLowerCase()),
        fc.string({ unit: 'binary', maxLength: 300 }),
      );
      fc.assert(
        fc.property(anything, (text) => {
          const result = parseProductTaxCode(text);
          const suggested = result.ok ? [] : result.problems.flatMap(({ meta }) => meta?.['did_you_mean'] ?? []);
          expect(suggested.length).toBeLessThanOrEqual(10);
          expect(new Set(suggested).size).toBe(suggested.length);
          for (const code of suggested as string[]) expect(parseProductTaxCode(code).ok).toBe(true);
        }),
        { numRuns: 500 },
      );
    });
  });
});

describe('vocabulary applicability', () => {
  const { productAttributes, productTaxCodes } = vocabulary();
  const codesFor = (ptc: string) => {
    const result = attributesFor(ptc);
    return result.ok ? result.value.map(({ code }) => code) : result.problems.map(({ code }) => code);
  };

  /** The rule in the words of specification 2.1, over the file itself: none of the room's own look-ups. */
  const file = new URL('../../shared/vocabulary/attributes.json', import.meta.url);
  const items: { code: string; ptcs: string[] }[] = JSON.parse(readFileSync(file, 'utf8'));
  const expected = (path: string) =>
    items
      .filter(({ ptcs }) => ptcs.length === 0 || ptcs.some((label) => `.${path}`.endsWith(`.${label}`)))
      .map(({ code }) => code)
      .sort();

  describe('attributesFor', () => {
    it('lists what applies to a path', () => {
      expect(codesFor('CLOTHING.SWIMWEAR')).toEqual(['_ATHLETIC']);
      expect(codesFor('CLOTHING.APPAREL')).toEqual(['_ATHLETIC', '_FORMAL_WEAR', '_FUR', '_PROTECTIVE']);
    });

    it('lists the same for the label alone', () => {
      expect(codesFor('AUTOMOBILES')).toEqual(['_NEW', '_USED']);
    });

    it('lists nothing for a code that no attribute applies to', () => {
      expect(codesFor('GENERAL')).toEqual([]);
    });

    it('goes by the last component that is not an attribute, and ignores the attributes', () => {
      expect(codesFor('CLOTHING.APPAREL._FUR')).toEqual(codesFor('CLOTHING.APPAREL'));
      expect(codesFor('CLOTHING.APPAREL._NEW._USED._USED')).toEqual(codesFor('CLOTHING.APPAREL'));
    });

    it('refuses an unknown code and an unknown attribute, both at once', () => {
      expect(codesFor('CLOTHING')).toEqual(['validation_unknown_product_tax_code']);
      expect(codesFor('')).toEqual(['validation_unknown_product_tax_code']);
      expect(codesFor('CLOTHING.APPAREL._SILK')).toEqual(['validation_unknown_product_attribute']);
      expect(codesFor('CLOTHING._SILK')).toEqual([
        'validation_unknown_product_tax_code',
        'validation_unknown_product_attribute',
      ]);
    });

    it('agrees for every product tax code with a label that the path ends in', () => {
      for (const code of productTaxCodes) expect(codesFor(code)).toEqual(expected(code));
    });
  });

  describe('appliesTo', () => {
    it('covers every product with an attribute that names none (spec 2.1)', () => {
      const [any] = productAttributes;
      if (!any) throw new Error('the vocabulary is not empty');
      expect(appliesTo({ ...any, ptcs: [] }, 'GENERAL')).toBe(true);
      expect(appliesTo({ ...any, ptcs: ['APPAREL'] }, 'GENERAL')).toBe(false);
    });
  });
});

describe('code crosswalk', () => {
  /** The crosswalk as people edit it, read by another parser than the one that packs it. */

  const read = (name: string): Record<string, string>[] =>
    parse(readFileSync(new URL(`../../shared/vocabulary/${name}`, import.meta.url), 'utf8'), { columns: true });
  const rows = read('code-crosswalk.csv');
  const sources = read('code-crosswalk-sources.csv');
  const families = new Set(productTaxCodes.map(({ code }) => code.split('.')[0]));
  const keys = (columns: readonly string[]) => rows.map((row) => columns.map((column) => row[column]).join(' '));

  /** The patterns of their codes. */
  const shapes: Record<string, RegExp> = {
    stripe: /^txcd_\d{8}$/,
    taxjar: /^(\d{5}|\d{8}A\d{4})$/,
    avalara: /^([A-Z]{1,2}\d{6,7}|[A-Z]{2})$/,
  };

  describe('code-crosswalk.csv', () => {
    it('has the columns of its layout, and each system', () => {
      expect(Object.keys(rows[0] ?? {})).toEqual(['system', 'code', 'levy_code', 'match', 'confidence', 'source']);
      expect([...new Set(rows.map(({ system }) => system))]).toEqual(Object.keys(shapes));
    });

    it('has codes in the form of their system', () => {
      expect(rows.filter(({ system = '', code = '' }) => !shapes[system]?.test(code))).toEqual([]);
    });

    it('names a family for a general code, and else a product tax code that is accepted with its attributes', () => {
      const isRight = ({ match, levy_code = '' }: Record<string, string>) =>
        match === 'family' ? families.has(levy_code) : parseProductTaxCode(levy_code).ok;
      expect(rows.filter((row) => !isRight(row))).toEqual([]);
      // Full paths only: what `equivalents` are grouped by.
      const paths = new Set(productTaxCodes.map(({ code }) => code));
      const others = rows.filter(({ match }) => match !== 'family');
      expect(others.filter(({ levy_code = '' }) => !paths.has(levy_code.split('._')[0] ?? ''))).toEqual([]);
    });

    it('has no product tax code twice for a code of theirs', () => {
      const pairs = rows.map(({ system, code, levy_code = '' }) => `${system} ${code} ${levy_code.split('._')[0]}`);
      expect(pairs.filter((pair, index) => pairs.indexOf(pair) !== index)).toEqual([]);
    });

    it('has no code of two systems: a hint names one', () => {
      const systems = Map.groupBy(rows, ({ code = '' }) => code.toUpperCase());
      const shared = [...systems].filter(([, all]) => new Set(all.map(({ system }) => system)).size > 1);
      expect(shared).toEqual([]);
    });

    it('marks a code as general or has a known match value', () => {
      const isKnown = (match = '') => ['exact', 'broader', 'narrower', 'family'].includes(match);
      expect(rows.filter(({ match }) => !isKnown(match))).toEqual([]);
      const general = new Set(rows.filter(({ match }) => match === 'family').map(({ code }) => code));
      expect(rows.filter(({ code, match }) => general.has(code) && match !== 'family')).toEqual([]);
    });

    it('rests on sources of the system that it lists, and on none of low confidence', () => {
      expect(rows.filter(({ confidence = '' }) => !['high', 'medium'].includes(confidence))).toEqual([]);
      const known = new Set(sources.map(({ source, system }) => `${system} ${source}`));
      expect(new Set(keys(['system', 'source']))).toEqual(known);
      expect(known.size).toBe(sources.length);
      for (const { title } of sources) expect(title).not.toBe('');
    });

    it('is what the functions carry', () => {
      expect(crosswalk().map((row) => Object.values(row).join(' '))).toEqual(
        keys(['system', 'code', 'levy_code', 'match']),
      );
    });
  });

  describe('crosswalkRows', () => {
    it('finds a code in upper and lower case, and none that is not there', () => {
      expect(crosswalkRows('20010').map(({ levyCode }) => levyCode)).toEqual(['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR']);
      expect(crosswalkRows('pc040100')).toEqual(crosswalkRows('PC040100'));
      expect(crosswalkRows('PC040100')).toHaveLength(1);
      expect(crosswalkRows('TXCD_99999999')).toEqual(crosswalkRows('txcd_99999999'));
      expect(crosswalkRows('txcd_12345678')).toEqual([]);
      expect(crosswalkRows('')).toEqual([]);
    });
  });

  describe('the catalog', () => {
    it('lists every product tax code once, sorted by code, with its own texts and family', () => {
      const expected = productTaxCodes
        .map(({ code, ...texts }) => ({ code, ...texts, family: code.split('.')[0], object: 'product_tax_code' }))
        .sort((a, b) => (a.code < b.code ? -1 : 1));
      expect(catalog().map(({ equivalents: _, taxability: __, ...item }) => item)).toEqual(expected);
    });

    it('has every row of the crosswalk but the general codes as an equivalent of its code', () => {
      const listed = catalog().flatMap(({ code, equivalents }) =>
        equivalents.map((equivalent) => `${equivalent.system} ${equivalent.code} ${code} ${equivalent.match}`),
      );
      const expected = rows
        .filter(({ match }) => match !== 'family')
        .map(({ system, code, levy_code, match }) => `${system} ${code} ${levy_code?.split('._')[0]} ${match}`);
      expect(listed.toSorted()).toEqual(expected.toSorted());
    });
  });
});

describe('deciding attributes', () => {
  const day = '2026-11-26';

  /** The deciding attributes of a code in the built-in release of a state, with the type of the effect that then applies. */
  const inState = (state: string, code: string) => {
    const release = builtIn(state);
    return Object.fromEntries(
      decidingAttributes(release, release.jurisdictions[0], productOf(code), day).map(({ attribute, rule }) => [
        attribute.code,
        rule?.effect.type ?? 'general rate',
      ]),
    );
  };

  describe('the attributes that decide in the built-in content', () => {
    // The expected values follow from the laws, not from the rules: Tex. Tax Code 151.313 exempts drugs for people with and
    // without a prescription; 86 Ill. Adm. Code 130.310 treats candy with flour or that needs refrigeration as food;
    // Ohio R.C. 5739.01(B)(3)(e) taxes automatic data processing for use in business.
    it.each([
      { state: 'TX', code: 'HEALTH.DRUGS', expected: { _ANIMAL_USE: 'taxable' } },
      { state: 'IL', code: 'FOOD.CANDY', expected: { _CONTAINS_FLOUR: 'rate', _REFRIGERATED: 'rate' } },
      { state: 'OH', code: 'SOFTWARE.SAAS', expected: { _BUSINESS_USE: 'use_split', _PERSONAL_USE: 'use_split' } },
      { state: 'OH', code: 'SOFTWARE.SAAS._BUSINESS_USE', expected: {} },
      { state: 'TX', code: 'GENERAL', expected: {} },
    ])('are known for $code in $state', ({ state, code, expected }) => {
      expect(inState(state, code)).toEqual(expected);
    });
  });

  describe('the attributes that decide', () => {
    const exempt: Effect = { type: 'exempt' };
    const reduced: Effect = { type: 'rate', rate: '0.01' };
    const michigan = jurisdiction('US-MI', 'state');
    const codesOf = (rules: readonly Rule[], code: string, taxing = michigan) =>
      decidingAttributes(releaseOf({ rules }), taxing, productOf(code), day).map(({ attribute }) => attribute.code);
    const candy = ['FOOD.CANDY'];

    it('include one that a rule excludes, so that no rule applies', () => {
      const rules = [rule('no-flour', candy, exempt, { attributes: { any: [], none: ['_CONTAINS_FLOUR'] } })];
      const [only, ...others] = decidingAttributes(releaseOf({ rules }), michigan, productOf('FOOD.CANDY'), day);
      expect(only).toMatchObject({ attribute: { code: '_CONTAINS_FLOUR' }, rule: undefined });
      expect(others).toEqual([]);
    });

    it('leave out one whose rule has an equal effect, or the effect of no rule', () => {
      const flour = { attributes: { any: ['_CONTAINS_FLOUR'], none: [] } };
      expect(codesOf([rule('all', candy, reduced), rule('flour', candy, { ...reduced }, flour)], 'FOOD.CANDY')).toEqual(
        [],
      );
      expect(codesOf([rule('flour', candy, { type: 'taxable' }, flour)], 'FOOD.CANDY')).toEqual([]);
      expect(codesOf([rule('all', candy, reduced), rule('flour', candy, exempt, flour)], 'FOOD.CANDY')).toEqual([
        '_CONTAINS_FLOUR',
      ]);
    });

    it('leave out what the product carries or cannot carry', () => {
      const rules = [
        rule('prescription', ['HEALTH.DRUGS'], exempt, { attributes: { any: ['_PRESCRIPTION'], none: [] } }),
        rule('counter', ['HEALTH.DRUGS'], reduced, { attributes: { any: ['_OVER_THE_COUNTER'], none: [] } }),
        // It does not apply to drugs.
        rule('adults', ['HEALTH.DRUGS'], exempt, { attributes: { any: ['_FOR_ADULTS'], none: [] } }),
      ];
      expect(codesOf(rules, 'HEALTH.DRUGS')).toEqual(['_OVER_THE_COUNTER', '_PRESCRIPTION']);
      expect(codesOf(rules, 'HEALTH.DRUGS._PRESCRIPTION')).toEqual([]);
      expect(codesOf(rules, 'HEALTH.DRUGS._HUMAN_USE')).toEqual(['_OVER_THE_COUNTER', '_PRESCRIPTION']);
    });

    it('leave out holidays, seasons, other days and other jurisdictions', () => {
      const flour = { any: ['_CONTAINS_FLOUR'], none: [] };
      const holiday: Effect = { type: 'holiday', amount: null, inclusive: false };
      expect(codesOf([rule('holiday', candy, holiday, { attributes: flour })], 'FOOD.CANDY')).toEqual([]);
      const season = { from: '11-01', to: '12-31' };
      expect(codesOf([rule('season', candy, exempt, { attributes: flour, season })], 'FOOD.CANDY')).toEqual([]);
      expect(codesOf([rule('later', candy, exempt, { attributes: flour, from: '2027-01-01' })], 'FOOD.CANDY')).toEqual(
        [],
      );
      const local = [rule('local', candy, exempt, { attributes: flour, levels: ['county'] })];
      expect(codesOf(local, 'FOOD.CANDY')).toEqual([]);
      expect(codesOf(local, 'FOOD.CANDY', jurisdiction('US-MI-00-001', 'county'))).toEqual(['_CONTAINS_FLOUR']);
    });

    it('are attributes of the code, in every state', () => {
      for (const state of ['NY', 'CT', 'IA', 'WA']) {
        for (const code of ['CLOTHING.APPAREL', 'SHIPPING.DELIVERY', 'DIGITAL.EBOOKS']) {
          const applicable = attributesFor(code);
          const codes = applicable.ok ? applicable.value.map((attribute) => attribute.code) : [];
          expect(codes).toEqual(expect.arrayContaining(Object.keys(inState(state, code))));
        }
      }
    });
  });
});
