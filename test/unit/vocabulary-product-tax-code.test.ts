import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseProductTaxCode } from '../../shared/vocabulary/product-tax-code.ts';
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';

const { productAttributes, productTaxCodes } = vocabulary();

const problemsOf = (text: string) => {
  const result = parseProductTaxCode(text);
  return result.ok ? [] : [...result.problems];
};
const codesOf = (text: string) => problemsOf(text).map(({ code }) => code);
const said = (text: string) => problemsOf(text).map(({ title, detail }) => `${title}. ${detail}`);

const unknownCode = 'validation_unknown_product_tax_code';
const unknownAttribute = 'validation_unknown_product_attribute';
const notApplicable = 'validation_product_attribute_not_applicable';
const conflict = 'validation_product_attribute_conflict';

const anyPath = fc.constantFrom(...productTaxCodes);
const anyAttribute = fc.constantFrom(...productAttributes.map(({ code }) => code));

/** The matching rule, by specification 2.1: "a label covers any path ending in it". */
const covers = (label: string, path: string) => path === label || path.endsWith(`.${label}`);

describe('parseProductTaxCode', () => {
  it('reads a full path', () => {
    expect(parseProductTaxCode('CLOTHING.APPAREL')).toEqual({
      ok: true,
      value: {
        path: 'CLOTHING.APPAREL',
        attributes: [],
        canonical: 'CLOTHING.APPAREL',
      },
    });
  });

  it('reads attributes in any order', () => {
    expect(parseProductTaxCode('CLOTHING.APPAREL._FUR._ATHLETIC')).toEqual({
      ok: true,
      value: {
        path: 'CLOTHING.APPAREL',
        attributes: ['_ATHLETIC', '_FUR'],
        canonical: 'CLOTHING.APPAREL._ATHLETIC._FUR',
      },
    });
  });

  it('reads a label alone as the one path that ends in it', () => {
    expect(parseProductTaxCode('AUTOMOBILES._USED')).toMatchObject({
      ok: true,
      value: { canonical: 'MOTOR_VEHICLES.AUTOMOBILES._USED' },
    });
  });

  it.each([
    { text: '', because: 'it is empty' },
    { text: '.', because: 'it has only empty components' },
    { text: 'CLOTHING..APPAREL', because: 'a component is empty' },
    { text: 'CLOTHING.APPAREL.', because: 'the last component is empty' },
    { text: '.CLOTHING.APPAREL', because: 'the first component is empty' },
    { text: ' CLOTHING.APPAREL', because: 'it has a space' },
    { text: 'CLOTHING.APPAREL\n', because: 'it has a line end' },
    { text: 'clothing.apparel', because: 'it is not in upper case' },
    { text: 'CLOTHING.APPAREL._fur', because: 'the attribute is not in upper case' },
    { text: 'CLOTHING.APPAREL._', because: 'an underscore alone is no attribute' },
    { text: '_FUR', because: 'it has only an attribute' },
    { text: 'CLOTHING._FUR.APPAREL', because: 'an attribute is not at the end' },
    { text: 'GENERAL'.padEnd(256, 'X'), because: 'it is too long' },
    { text: 'CLOTHING', because: 'it is a family' },
    { text: 'FOOD.APPAREL', because: 'the path does not exist, though its label does' },
    { text: 'SHOP.CLOTHING.APPAREL', because: 'the path does not exist, though it ends in one' },
    { text: 'GENERAL.GENERAL', because: 'the path does not exist' },
    { text: '__proto__', because: 'it is nothing that an object has anyway' },
    { text: 'CONSTRUCTOR', because: 'it is unknown' },
    { text: 'ÄPPAREL', because: 'it has a letter outside the alphabet' },
  ])('refuses $text: $because', ({ text }) => {
    expect(codesOf(text)).toEqual([unknownCode]);
  });

  it('names what an attribute applies to that does not apply', () => {
    expect(said('JEWELRY.FINE_JEWELRY._FUR').join()).toContain('APPAREL, FOOTWEAR, CLOTHING_ACCESSORIES');
    expect(said('CLOTHING.APPAREL._FURR').join()).toContain('_FUR?');
  });

  it('looks up at most 255 characters', () => {
    expect(said('X'.repeat(255)).join()).toContain('Unknown product tax code X');
    expect(said('X'.repeat(256)).join()).toContain('at most 255 characters');
  });

  it('does not repeat a malformed text', () => {
    expect(said('<script>').join()).not.toContain('script');
  });

  it('refuses an attribute that does not exist, once however often it is written', () => {
    expect(codesOf('CLOTHING.APPAREL._SILK')).toEqual([unknownAttribute]);
    expect(problemsOf('CLOTHING.APPAREL._SILK')[0]?.meta).toEqual({ attribute: '_SILK' });
    expect(codesOf('CLOTHING.APPAREL._SILK._SILK')).toEqual([unknownAttribute, 'validation_invalid_format']);
  });

  it('refuses an attribute that does not apply to the code', () => {
    expect(codesOf('JEWELRY.FINE_JEWELRY._FUR')).toEqual([notApplicable]);
    expect(codesOf('GENERAL._NEW')).toEqual([notApplicable]);
  });

  it('refuses two of a mutually exclusive group and names the group and both', () => {
    expect(problemsOf('MOTOR_VEHICLES.AUTOMOBILES._USED._NEW')).toMatchObject([
      { code: conflict, meta: { group: 'condition', attributes: ['_NEW', '_USED'] } },
    ]);
  });

  it('refuses the same attribute twice as a format, for it contradicts nothing', () => {
    expect(codesOf('MOTOR_VEHICLES.AUTOMOBILES._NEW._NEW')).toEqual(['validation_invalid_format']);
    expect(codesOf('CLOTHING.APPAREL._FUR._FUR')).toEqual(['validation_invalid_format']);
  });

  it('returns all problems at once', () => {
    expect(codesOf('FOOD.APPLE._NEW._USED._USED._SILK')).toEqual([
      unknownCode,
      unknownAttribute,
      'validation_invalid_format',
      conflict,
    ]);
    expect(codesOf('CLOTHING.APPAREL._NEW._USED._SILK')).toEqual([
      unknownAttribute,
      notApplicable,
      notApplicable,
      conflict,
    ]);
  });

  it('gives the same result for attributes in every order', () => {
    const written = fc.array(fc.oneof(anyAttribute, fc.constantFrom('_SILK', '_NONE')), { maxLength: 6 });
    const shuffled = written.chain((codes) =>
      fc.tuple(fc.constant(codes), fc.shuffledSubarray(codes, { minLength: codes.length })),
    );
    fc.assert(
      fc.property(anyPath, shuffled, (path, [ordered, reordered]) => {
        const [first, second] = [ordered, reordered].map((codes) => parseProductTaxCode([path, ...codes].join('.')));
        expect(second).toEqual(first);
      }),
    );
  });

  it('accepts exactly what applies, is written once, and is alone in an exclusive group', () => {
    const byCode = new Map(productAttributes.map((attribute) => [attribute.code, attribute]));
    // Half of the draws are applicable attributes; otherwise hardly any code would be accepted.
    const applying = (path: string) =>
      productAttributes.filter(({ ptcs }) => ptcs.some((label) => covers(label, path))).map(({ code }) => code);
    const cases = anyPath.chain((path) => {
      const fitting = applying(path);
      const one = fitting.length > 0 ? fc.oneof(fc.constantFrom(...fitting), anyAttribute) : anyAttribute;
      return fc.tuple(fc.constant(path), fc.array(one, { maxLength: 4 }));
    });
    fc.assert(
      fc.property(cases, ([path, codes]) => {
        const isApplying = codes.every((code) => byCode.get(code)?.ptcs.some((label) => covers(label, path)));
        const isOnce = codes.every((code, index) => !codes.slice(0, index).includes(code));
        const isCompatible = codes.every((a) =>
          codes.every((b) => {
            const [{ group } = { group: undefined }, second] = [byCode.get(a), byCode.get(b)];
            return a === b || group?.key !== second?.group.key || group?.mutually_exclusive === false;
          }),
        );
        const result = parseProductTaxCode([path, ...codes].join('.'));
        const problems = result.ok ? [] : result.problems.map(({ code }) => code);
        expect(result.ok).toBe(isApplying && isOnce && isCompatible);
        expect(problems.includes(notApplicable)).toBe(!isApplying);
        expect(problems.includes('validation_invalid_format')).toBe(!isOnce);
        expect(problems.includes(conflict)).toBe(!isCompatible);
      }),
      { numRuns: 500 },
    );
  });

  it('reads its own canonical form as itself, from the path as from the label', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        const fromLabel = parseProductTaxCode(path.split('.').at(-1) ?? '');
        expect(fromLabel).toMatchObject({ ok: true, value: { canonical: path } });
        expect(parseProductTaxCode(path)).toMatchObject({ ok: true, value: { canonical: path } });
      }),
    );
  });

  it('answers any text, and throws for none', () => {
    const component = fc.constantFrom('CLOTHING', 'APPAREL', '_FUR', '_', '', 'x', 'GENERAL', '\u0000', '💎', '._');
    // Including lone surrogates.
    const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
    const text = fc.oneof(
      fc.string({ unit, maxLength: 300 }),
      fc.array(component).map((parts) => parts.join('.')),
    );
    fc.assert(
      fc.property(text, (any) => {
        for (const { title, detail } of problemsOf(any)) expect(title.length * detail.length).toBeGreaterThan(0);
      }),
    );
  });
});
