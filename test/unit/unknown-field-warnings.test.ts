import { describe, expect, it } from 'vitest';
import { unknownFieldWarnings } from '../../shared/calculations/sent-warnings.ts';

const namesIn = (pointer: string) =>
  unknownFieldWarnings([pointer]).flatMap(({ message }) => [...message.matchAll(/`(\w+)`/g)].map(([, name]) => name));

describe('the warning about an unknown field', () => {
  it.each([
    ['/customer/address/zip', 'zip', 'postal_code'],
    ['/line_items/0/qty', 'qty', 'quantity'],
    ['/line_items/0/unitprice', 'unitprice', 'unit_price'],
    ['/customer/adress', 'adress', 'address'],
    ['/curency', 'curency', 'currency'],
  ])('the warning about %s names the field and the likely one', (pointer, ...names) => {
    expect(namesIn(pointer)).toEqual(names);
  });

  it.each(['/line_items/0/sku', '/email', '/constructor', '/rate', '/line_items/0/quantity'])(
    'the warning about %s makes no wrong suggestion',
    (pointer) => {
      expect(namesIn(pointer)).toEqual([pointer.slice(pointer.lastIndexOf('/') + 1)]);
    },
  );

  it('names the first 20 and counts the others', () => {
    const warnings = unknownFieldWarnings(Array.from({ length: 27 }, (_, index) => `/field_${index}`));
    expect(warnings).toHaveLength(21);
    expect(warnings.at(19)?.pointer).toBe('/field_19');
    expect(warnings.at(-1)).toMatchObject({ pointer: null, message: expect.stringMatching(/^7 /) });
  });
});
