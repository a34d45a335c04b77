import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { catalog, selectItems } from '../../shared/vocabulary/catalog.ts';
import { listStems, resultsMax } from '../../shared/vocabulary/search.ts';

const search = (text: string): string[] => selectItems({ q: text }).map(({ code }) => code);

/** Product names of shops, and the place among which their code must be. */
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

  it.each([
    ['headph', 'GENERAL'],
    ['vitmains', 'FOOD.DIETARY_SUPPLEMENTS'],
    ['chocolte bars', 'FOOD.CANDY'],
    ['head phones', 'GENERAL'],
    ['CAFÉ LATTE', 'FOOD.PREPARED_FOOD'],
    ['latte in a cup', 'FOOD.PREPARED_FOOD'],
  ])('normalizes %s', (phrase, code) => expect(search(phrase)[0]).toBe(code));

  it.each(
    'xyzzy; qqqq wwww; 12345; ?!; the; blorp; cbd oil; pest control; cookie zzzz; smoke zzzz; towing'.split('; '),
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

it('has five distinct lower-case synonyms per code, and none repeats a name or an example', () => {
  const all = catalog().flatMap(({ synonyms }) => synonyms);
  expect(catalog().filter(({ synonyms }) => synonyms.length < 5)).toEqual([]);
  expect(all.filter((text, at) => all.indexOf(text) !== at)).toEqual([]);
  for (const { name, examples, synonyms } of catalog()) {
    const texts = [...synonyms, name, ...examples].map((text) => listStems(text).join(' '));
    expect(synonyms.filter((_, at) => texts.lastIndexOf(texts[at] ?? '') !== at)).toEqual([]);
  }
  expect(all.filter((text) => text !== text.toLowerCase().trim() || text === '')).toEqual([]);
});
