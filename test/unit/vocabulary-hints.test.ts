import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crosswalk } from '../../shared/vocabulary/crosswalk.ts';
import { parseProductTaxCode } from '../../shared/vocabulary/product-tax-code.ts';
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';

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
