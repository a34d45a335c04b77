import { describe, expect, it } from 'vitest';
import { settingOn } from '../../shared/catalog/effective.ts';
import { rateOn, stateRateOn } from '../../shared/catalog/rates.ts';
import type { Rate } from '../../shared/catalog/release-values.ts';
import { releaseOf } from '../support/builders.ts';

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

  it('is the state’s own where the state is meant', () => {
    expect(['2019-12-31', '2024-06-30', '2024-07-01'].map((day) => stateRateOn(release, day)?.rate)).toEqual([
      undefined,
      '0.06',
      '0.065',
    ]);
  });
});

it('finds the setting of a day; a setting without a first day applies before anything is established', () => {
  const settings = [
    { from: null, to: '2021-12-31' },
    { from: '2022-02-01', to: null },
  ];
  const days = ['1990-01-01', '2021-12-31', '2022-01-01', '2022-02-01'];
  expect(days.map((day) => settingOn(settings, day))).toEqual([settings[0], settings[0], undefined, settings[1]]);
});
