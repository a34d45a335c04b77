import { expect, it } from 'vitest';
import { searchFor } from '../../shared/base/search-text.ts';

it.each([
  ['order', 'ORDER-12'],
  ['E\u0301TÉ', 'été 2026'],
  ['strasse', 'GROẞE STRAẞE'],
  ['ΟΔΟΣ', 'οδος 5'],
  ['łódź', 'ŁÓDŹ'],
  ['１２', 'order-12'],
])('finds %s in %s', (term, text) => {
  expect(searchFor(term)([null, text])).toBe(true);
});

it.each([
  ['ete', 'été'],
  ['a.c', 'abc'],
  ['ab', ''],
])('does not find %s in %s', (term, text) => {
  expect(searchFor(term)([undefined, text])).toBe(false);
});
