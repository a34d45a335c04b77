import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { textLengthMax } from '../../shared/vocabulary/product-tax-code.ts';
import productTaxCodeTexts from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import { ProductAttributeItem } from '../../shared/vocabulary/schema.ts';
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';

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
