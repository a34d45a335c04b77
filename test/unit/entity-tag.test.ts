import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entityTag, matches } from '../../shared/api/entity-tag.ts';

describe('an entity tag', () => {
  it('is a strong validator that depends on all parts', () => {
    expect(entityTag('aspen', '{}')).toMatch(/^"[A-Za-z0-9_-]{43}"$/);
    expect(entityTag('ab', 'c')).not.toBe(entityTag('a', 'bc'));
    const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { maxLength: 3 });
    fc.assert(
      fc.property(parts, parts, (left, right) => {
        expect(entityTag(...left) === entityTag(...right)).toBe(JSON.stringify(left) === JSON.stringify(right));
      }),
    );
  });
});

describe('If-None-Match', () => {
  const tag = '"abc"';

  it.each([
    [['W/"abc"'], 'the comparison is weak'],
    [[' * '], 'a star matches any tag'],
    [['"x","abc","y"'], 'whitespace is optional'],
    [['"x"\t,\t W/"abc" '], 'tabs count as whitespace'],
    [[',, "x",, "abc",'], 'a list can have empty elements'],
    [['garbage', '"abc"'], 'garbage invalidates only its own line'],
    [['"a,b", "abc"'], 'a quoted comma is not a separator'],
    [['"", "abc"'], 'a tag can be empty'],
  ])('%j matches: %s', (values) => expect(matches(values, tag)).toBe(true));

  it.each([
    [[], 'there is no header'],
    [[' , '], 'it is an empty list'],
    [['"ABC"'], 'tags are compared byte by byte'],
    [['abc'], 'it is not quoted'],
    [['"abc'], 'the quote is not closed'],
    [['"abc"x'], 'characters follow the quote'],
    [['w/"abc"'], 'the prefix of a weak tag is uppercase'],
    [['W/ "abc"'], 'no space is allowed after the weak prefix'],
    [['"x,"abc","'], 'it is between two tags'],
    [['"x" "abc"'], 'a comma is missing'],
    [['"x,abc,y"'], 'it is part of a different tag'],
    [['"*"'], 'a quoted star is a tag'],
    [['\\"abc\\"'], 'a backslash is not an escape character'],
  ])('%j does not match: %s', (values) => expect(matches(values, tag)).toBe(false));

  it('matches exactly the tags in its list', () => {
    const opaque = fc.stringMatching(/^[!#-~]{0,6}$/);
    const elements = fc.array(fc.tuple(opaque, fc.boolean()), { maxLength: 5 });
    fc.assert(
      fc.property(elements, fc.constantFrom(',', ', ', ' ,', '\t,, '), opaque, (list, comma, looked) => {
        const value = list.map(([text, isWeak]) => `${isWeak ? 'W/' : ''}"${text}"`).join(comma);
        for (const text of [looked, ...list.map(([text]) => text)])
          expect(matches([value], `"${text}"`)).toBe(list.some(([listed]) => listed === text));
      }),
    );
  });

  it('is parsed in linear time for a hostile header', () => {
    const [spaces, commas] = [' '.repeat(100_000), ','.repeat(100_000)];
    const started = performance.now();
    for (const value of [spaces, commas, `"x"${' \t'.repeat(50_000)}x`, '"x" ,'.repeat(20_000)])
      expect(matches([value], tag)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
