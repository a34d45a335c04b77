import { describe, expect, it } from 'vitest';
import type { Rate } from '../../shared/catalog/release-values.ts';
import {
  addToRateBook,
  compareRates,
  newRateBook,
  type RateBook,
} from '../../shared/importers/releases/compare-rates.ts';
import { jurisdiction } from '../support/builders.ts';

const rate = (
  code: string,
  value: string,
  from: string | null,
  to: string | null = null,
  others: object = {},
): Rate => ({
  jurisdiction: code,
  rate: value,
  from,
  to,
  source: 'test',
  confidence: 'high',
  ...others,
});

const bookOf = (rates: readonly Rate[], establishedFrom = '2026-01-01'): RateBook => {
  const book = newRateBook({ established_from: establishedFrom });
  const codes = [...new Set(rates.map((each) => each.jurisdiction))];
  addToRateBook(book, { jurisdictions: codes.map((code) => jurisdiction(code, 'city')), rates });
  return book;
};

const changes = (old: RateBook, next: RateBook) =>
  compareRates(old, next).map(({ jurisdiction: code, kind, from, to, old, new: after }) =>
    [code, kind, from, to, old, after].join(' '),
  );

describe('which rates of jurisdictions differ between two releases', () => {
  it('omits equal rates, however they are written', () => {
    const old = bookOf([rate('A', '0.0050', '2020-01-01', '2024-03-31'), rate('A', '0.015', '2024-04-01')]);
    const next = bookOf([rate('A', '0.005', '2020-01-01', '2024-03-31'), rate('A', '0.0150', '2024-04-01')]);
    expect(changes(old, next)).toEqual([]);
  });

  it('prints a rate that changes on a day before and after that day', () => {
    const old = bookOf([rate('A', '0.005', '2020-01-01')]);
    const next = bookOf([rate('A', '0.005', '2020-01-01', '2026-12-31'), rate('A', '0.0075', '2027-01-01')]);
    expect(changes(old, next)).toEqual(['A general 2027-01-01  0.005 0.0075']);
  });

  it('prints the days that a past correction affects, and no others', () => {
    const old = bookOf([rate('A', '0.01', '2020-01-01', '2021-06-30'), rate('A', '0.02', '2021-07-01')]);
    const next = bookOf([rate('A', '0.01', '2020-01-01', '2021-03-31'), rate('A', '0.02', '2021-04-01')]);
    expect(changes(old, next)).toEqual(['A general 2021-04-01 2021-06-30 0.01 0.02']);
  });

  it('joins adjacent days with equal changes, even if the rows are divided differently', () => {
    const old = bookOf([rate('A', '0.01', '2020-01-01')]);
    const next = bookOf([rate('A', '0.02', '2020-01-01', '2020-12-31'), rate('A', '0.02', '2021-01-01')]);
    expect(changes(old, next)).toEqual(['A general 2020-01-01  0.01 0.02']);
  });

  it('names a jurisdiction that is new, and one that is gone', () => {
    const old = bookOf([rate('A', '0.01', '2020-01-01')]);
    const next = bookOf([rate('B', '0.02', '2020-01-01', '2020-12-31')]);
    expect(changes(old, next)).toEqual(['A general 2020-01-01  0.01 ', 'B general 2020-01-01 2020-12-31  0.02']);
  });

  it('counts a first day that is not established from the day that its release names', () => {
    const old = bookOf([rate('A', '0.01', null)], '2026-10-01');
    const next = bookOf([rate('A', '0.01', '2020-01-01')]);
    expect(changes(old, next)).toEqual(['A general 2020-01-01 2026-09-30  0.01']);
  });

  it('distinguishes food and sales across the border from the general rate', () => {
    const old = bookOf([rate('A', '0.04', '2020-01-01', null, { food_rate: '0', interstate: { rate: '0.03' } })]);
    const next = bookOf([rate('A', '0.04', '2020-01-01', null, { food_rate: '0.01', interstate: { rate: '0.04' } })]);
    expect(changes(old, next)).toEqual(['A food 2020-01-01  0 0.01', 'A general_interstate 2020-01-01  0.03 0.04']);
  });

  it('takes a jurisdiction that many parts repeat once', () => {
    const book = newRateBook({ established_from: '2026-01-01' });
    const part = { jurisdictions: [jurisdiction('A', 'city')], rates: [rate('A', '0.01', '2020-01-01')] };
    addToRateBook(book, part);
    addToRateBook(book, part);
    expect(changes(book, bookOf([rate('A', '0.02', '2020-01-01')]))).toEqual(['A general 2020-01-01  0.01 0.02']);
  });
});
