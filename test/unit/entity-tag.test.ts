import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entityTag, matches } from '../../shared/api/entity-tag.ts';

describe('entityTag', () => {
  it('is strong: quoted, and without the mark of a weak one', () => {
    expect(entityTag('aspen', '{}')).toMatch(/^"[A-Za-z0-9_-]{43}"$/);
  });

  it('is the same for the same parts and another for any others', () => {
    const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { maxLength: 3 });
    fc.assert(
      fc.property(parts, parts, (left, right) => {
        expect(entityTag(...left) === entityTag(...right)).toBe(JSON.stringify(left) === JSON.stringify(right));
      }),
    );
  });

  it('separates the parts', () => {
    expect(entityTag('ab', 'c')).not.toBe(entityTag('a', 'bc'));
    expect(entityTag('é')).not.toBe(entityTag('e\u0301'));
  });
});

describe('matches', () => {
  const tag = '"abc"';

  it.each([
    { values: ['"abc"'], because: 'it is the tag' },
    { values: ['W/"abc"'], because: 'the comparison is weak' },
    { values: ['*'], because: 'anything will do' },
    { values: [' * '], because: 'anything will do' },
    { values: ['"x", "abc"'], because: 'it is in the list' },
    { values: ['"x","abc","y"'], because: 'spaces are optional' },
    { values: ['"x"\t,\t W/"abc" '], because: 'tabs are spaces too' },
    { values: [',, "x",, "abc",'], because: 'a list may have empty elements' },
    { values: ['"x"', '"abc"'], because: 'it is in the second line' },
    { values: ['garbage', '"abc"'], because: 'garbage spoils its own line only' },
    { values: ['"a,b", "abc"'], because: 'a quoted comma separates nothing' },
    { values: ['"", "abc"'], because: 'a tag may be empty' },
  ])('finds it in $values: $because', ({ values }) => {
    expect(matches(values, tag)).toBe(true);
  });

  it.each([
    { values: [], because: 'there is no header' },
    { values: [''], because: 'it is empty' },
    { values: [' , '], because: 'it is an empty list' },
    { values: ['"x"'], because: 'it is another tag' },
    { values: ['"ABC"'], because: 'tags are compared by the byte' },
    { values: ['abc'], because: 'it is not quoted' },
    { values: ['"abc'], because: 'the quote does not end' },
    { values: ['"abc"x'], because: 'something is stuck to it' },
    { values: ['w/"abc"'], because: 'the mark of a weak tag is a capital' },
    { values: ['W/ "abc"'], because: 'the mark is stuck to the tag' },
    { values: ['"x,"abc","'], because: 'it is between two tags, not in one' },
    { values: ['"x" "abc"'], because: 'a comma is missing' },
    { values: ['"x,abc,y"'], because: 'it is inside another tag' },
    { values: ['"*"'], because: 'a quoted star is a tag' },
    { values: ['\\"abc\\"'], because: 'a backslash escapes nothing' },
  ])('does not find it in $values: $because', ({ values }) => {
    expect(matches(values, tag)).toBe(false);
  });

  it('finds a tag with a comma in it', () => {
    expect(matches(['"x", "a,b"'], '"a,b"')).toBe(true);
    expect(matches(['"a", "b"'], '"a,b"')).toBe(false);
  });

  it('finds a tag exactly in the lists that were made with it', () => {
    const opaque = fc.stringMatching(/^[!#-~]{0,6}$/);
    const elements = fc.array(fc.tuple(opaque, fc.boolean()), { maxLength: 5 });
    const separator = fc.constantFrom(',', ', ', ' ,', '\t,, ');
    fc.assert(
      fc.property(elements, separator, opaque, (list, comma, looked) => {
        const value = list.map(([text, isWeak]) => `${isWeak ? 'W/' : ''}"${text}"`).join(comma);
        expect(matches([value], `"${looked}"`)).toBe(list.some(([text]) => text === looked));
        for (const [text] of list) expect(matches([value], `"${text}"`)).toBe(true);
      }),
    );
  });

  it('takes time in proportion to a hostile header', () => {
    const started = performance.now();
    for (const value of [
      ' '.repeat(100_000),
      ','.repeat(100_000),
      `"x"${' \t'.repeat(50_000)}x`,
      '"x" ,'.repeat(20_000),
    ])
      expect(matches([value], tag)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
