import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributesFor } from '../../shared/vocabulary/applicability.ts';
import { pageOf } from '../../shared/vocabulary/page.ts';
import { appliesTo, vocabulary } from '../../shared/vocabulary/vocabulary.ts';

const { productAttributes, productTaxCodes } = vocabulary();
const path = '/product-attributes';

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

const anyPath = fc.constantFrom(...productTaxCodes);

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

describe('pageOf', () => {
  it('is the whole vocabulary at the default limit', () => {
    expect(pageOf(path, productAttributes, 1000, undefined)).toEqual({
      object: 'list',
      url: '/product-attributes',
      has_more: false,
      data: items,
    });
  });

  it('has no more when the page ends with the last attribute', () => {
    expect(pageOf(path, productAttributes, productAttributes.length, undefined).has_more).toBe(false);
    expect(pageOf(path, productAttributes, 48, undefined).has_more).toBe(true);
    expect(pageOf(path, productAttributes, 1, '_UTENSILS_PROVIDED')).toMatchObject({ has_more: false });
  });

  it('starts after a code that is not, or no longer, in the list', () => {
    const pageAfter = (code: string) => pageOf(path, productAttributes, 1, code).data.map((item) => item.code);
    expect(pageAfter('_NEWER')).toEqual(['_OPTIONAL_CHARGE']);
    expect(pageAfter('_ATHLETIC')).toEqual(['_AT_ACTUAL_COST']);
    expect(pageAfter('')).toEqual(['_AGRICULTURAL']);
    expect(pageAfter('_ZZZ')).toEqual([]);
    expect(pageAfter('zzz')).toEqual([]);
    expect(pageAfter('A')).toEqual(['_AGRICULTURAL']);
  });

  it('gives every attribute exactly once and in order, whatever the limit and the product tax code', () => {
    const anyCode = fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: anyPath });
    fc.assert(
      fc.property(
        anyCode,
        fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1000 })),
        (ptc, limit) => {
          const result = ptc === undefined ? { ok: true as const, value: productAttributes } : attributesFor(ptc);
          if (!result.ok) throw new Error('every code of the vocabulary is known');
          const received: string[] = [];
          for (let cursor: string | undefined, more = true; more; cursor = received.at(-1)) {
            const page = pageOf(path, result.value, limit, cursor);
            expect(page.data.length).toBe(page.has_more ? limit : Math.min(limit, page.data.length));
            received.push(...page.data.map(({ code }) => code));
            expect(received.length).toBeLessThanOrEqual(items.length);
            more = page.has_more;
          }
          expect(received).toEqual(ptc === undefined ? items.map(({ code }) => code) : expected(ptc));
        },
      ),
    );
  });
});
