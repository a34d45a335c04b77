import { describe, expect, it } from 'vitest';
import { firstDayOn, inForce, mayBeInForce, settingOn } from '../../shared/catalog/effective.ts';
import { rateOn, stateRateOn } from '../../shared/catalog/rates.ts';
import type { Rate } from '../../shared/catalog/release-values.ts';
import { releaseOf } from '../support/builders.ts';

describe('values in force', () => {
  const established = '2026-01-01';
  const old = { from: '2018-10-01', to: '2026-09-30' };
  const next = { from: '2026-10-01', to: null };
  const unknown = { from: null, to: null };

  describe('inForce', () => {
    it.each([
      ['2018-09-30', []],
      ['2018-10-01', [old]],
      ['2025-12-31', [old]],
      ['2026-01-01', [old, unknown]],
      ['2026-09-30', [old, unknown]],
      ['2026-10-01', [next, unknown]],
      ['2999-12-31', [next, unknown]],
    ])('selects the value on %s', (day, values) =>
      expect(inForce([old, next, unknown], day, established)).toEqual(values),
    );
  });

  describe('a season', () => {
    const summer = { ...unknown, season: { from: '06-01', to: '08-31' } };
    const winter = { from: '2020-01-15', to: null, season: { from: '09-01', to: '05-31' } };
    const february = { ...unknown, season: { from: '02-01', to: '02-29' } };

    it.each([
      [summer, '2026-05-31', false],
      [summer, '2026-06-01', true],
      [summer, '2026-08-31', true],
      [summer, '2026-09-01', false],
      [summer, '1999-07-04', true],
      [{ ...summer, to: '2026-07-31' }, '2026-08-01', false],
      [{ ...summer, from: '2026-07-01' }, '2026-06-30', false],
      [winter, '2026-08-31', false],
      [winter, '2026-09-01', true],
      [winter, '2026-12-31', true],
      [winter, '2027-01-01', true],
      [winter, '2027-05-31', true],
      [winter, '2027-06-01', false],
      [winter, '2019-12-31', false],
      [february, '2028-02-29', true],
      [february, '2027-02-28', true],
      [february, '2027-03-01', false],
    ])('%o on %s: %s', (value, day, holds) => expect(mayBeInForce(value, day)).toBe(holds));

    it.each([
      [summer, '2026-06-01', '2026-06-01'],
      [summer, '2026-08-31', '2026-06-01'],
      [{ ...summer, from: '2026-07-01' }, '2026-07-04', '2026-07-01'],
      [winter, '2026-09-01', '2026-09-01'],
      [winter, '2026-12-31', '2026-09-01'],
      [winter, '2027-05-31', '2026-09-01'],
      [winter, '2020-02-01', '2020-01-15'],
      [old, '2020-01-01', '2018-10-01'],
      [unknown, '2020-01-01', ''],
    ])('%o begins for %s on %s', (value, day, first) => expect(firstDayOn(value, day)).toBe(first));
  });
});

describe('rates on a day', () => {
  const evidence = { source: 'test', confidence: 'high' } as const;
  const rate = (jurisdiction: string, of: string, from: string | null, to: string | null): Rate => ({
    ...evidence,
    jurisdiction,
    rate: of,
    from,
    to,
  });
  const release = {
    ...releaseOf({ id: 'US-MN@2030-01-01.1', of: [{ code: 'US-MN', type: 'state', rate: '0.06' }] }),
    established_from: '2020-01-01',
    rates: [
      rate('US-MN-C', '0.001', null, '2021-12-31'),
      rate('US-MN', '0.06', null, '2024-06-30'),
      rate('US-MN-C', '0.002', '2023-01-01', null),
      rate('US-MN', '0.065', '2024-07-01', null),
    ],
  };

  describe('the rate of a jurisdiction', () => {
    it.each([
      { code: 'US-MN-C', day: '2019-12-31', is: undefined, because: 'nothing without a first day counts before then' },
      { code: 'US-MN-C', day: '2020-01-01', is: '0.001', because: 'the first day that is established is one of them' },
      { code: 'US-MN-C', day: '2022-01-01', is: undefined, because: 'between two rates there is none' },
      { code: 'US-MN-E', day: '2024-01-01', is: undefined, because: 'the release has no such jurisdiction' },
    ])('of $code on $day is $is: $because', ({ code, day, is }) => {
      expect(rateOn(release, code, day)?.rate).toBe(is);
    });

    it('is the state rate for the state', () => {
      expect(['2019-12-31', '2024-06-30', '2024-07-01'].map((day) => stateRateOn(release, day)?.rate)).toEqual([
        undefined,
        '0.06',
        '0.065',
      ]);
    });
  });

  it('uses the setting in force; a setting without a first day applies from the start', () => {
    const settings = [
      { from: null, to: '2021-12-31' },
      { from: '2022-02-01', to: null },
    ];
    const days = ['1990-01-01', '2021-12-31', '2022-01-01', '2022-02-01'];
    expect(days.map((day) => settingOn(settings, day))).toEqual([settings[0], settings[0], undefined, settings[1]]);
  });
});
