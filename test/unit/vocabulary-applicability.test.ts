import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributesFor } from '../../shared/vocabulary/product-tax-code.ts';
import { appliesTo, vocabulary } from '../../shared/vocabulary/vocabulary.ts';

const { productAttributes, productTaxCodes } = vocabulary();
const _path = '/product-attributes';

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

const _anyPath = fc.constantFrom(...productTaxCodes);

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
