import { describe, expect, it } from 'vitest';
import { firstDayOn, inForce, mayBeInForce, settingOn } from '../../shared/catalog/effective.ts';
import { statesOfZip } from '../../shared/catalog/location/zip-states.ts';
import { rateOn, stateRateOn } from '../../shared/catalog/rates.ts';
import type { Rate } from '../../shared/catalog/release-values.ts';
import { isStreamlinedMember } from '../../shared/catalog/streamlined.ts';
import { showZip } from '../../shared/cli/content/show.ts';
import { stateCode } from '../../shared/vocabulary/jurisdiction.ts';
import { always, buildLocation, getRelease } from '../support/builders.ts';
import { readings } from '../support/facts.ts';

describe('the output of `content show` for a ZIP', () => {
  const halfYear = { from: '2026-01-01', to: '2026-06-30' };
  const release = getRelease({
    of: [
      { code: 'US-XX', type: 'state', rate: '0.04' },
      { code: 'CITY', type: 'city', rate: '0.03' },
    ],
    locations: [buildLocation({ ...halfYear, zips: [['55012', '55012']], alternatives: [['CITY']] })],
  });
  const part = { key: '55012', jurisdictions: [], rates: [], locations: release.locations };
  const shownOn = (day: string) => showZip({ ...release, locations: [] }, part, '55012', day).locations[0];

  it.each([
    ['2025-12-31', false, null, null, null],
    ['2026-01-01', true, '0.07', '0.04', '0.03'],
    ['2026-06-30', true, '0.07', '0.04', '0.03'],
    ['2026-07-01', false, null, null, null],
  ])('shows a rate only on days when the location is in force: %s, %s', (day, in_force, rate, state, city) => {
    const jurisdictions = [{ rate: state }, { code: 'CITY', rate: city }];
    expect(shownOn(day)).toMatchObject({ in_force, alternatives: [{ rate, jurisdictions }] });
  });
});

describe('states of ZIPs', () => {
  /** `48933 MI, 02861 MA RI`: ZIP codes with their states. */
  const zips = (text: string): [string, string[]][] =>
    text.split(',').map((row) => {
      const [zip = '', ...states] = row.trim().split(' ');
      return [zip, states];
    });

  describe('statesOfZip', () => {
    it.each(
      zips(`48933 MI, 10001 NY, 00501 NY, 00926 PR, 00802 VI, 01001 MA, 05501 MA, 05401 VT, 20001 DC, 56901 DC,
    20101 VA, 73301 TX, 88510 TX, 96910 GU, 09012 AE, 34001 AA, 96201 AP, 99501 AK`),
    )('maps a ZIP3: %s', (zip, states) => expect(statesOfZip(zip)).toEqual(states));

    it.each(
      zips(`06390 NY, 20588 MD, 20598 VA, 73949 OK TX, 73960 TX, 83414 WY, 96799 AS, 96939 PW, 96942 FM,
    96950 MP, 96970 MH`),
    )('maps an exception: %s', (zip, states) => expect(statesOfZip(zip)).toEqual(states));

    it.each(zips(`57717 MT SD WY, 82082 CO NE WY, 89061 CA NV, 42223 KY TN, 02861 MA RI, 99362 OR WA`))(
      'maps a border ZIP: %s',
      (zip, states) => expect(statesOfZip(zip)).toEqual(states),
    );

    it.each(['00000', '00401', '21301', '26901', '41901', '55201', '99999X', '4893', '489333', '', 'ABCDE'])(
      'returns no state for an unused ZIP: %j',
      (zip) => expect(statesOfZip(zip)).toEqual([]),
    );

    it('covers 931 ZIP3s', () => {
      const zips = Array.from({ length: 1000 }, (_, index) => `${String(index).padStart(3, '0')}98`);
      expect(zips.filter((zip) => statesOfZip(zip).length > 0)).toHaveLength(931);
    });
  });

  it.each(readings('state'))('reads "$text" as the state $result', ({ text, result }) => {
    expect(stateCode(text)).toBe(result || null);
  });
});

describe('values in force', () => {
  const established = '2026-01-01';
  const old = { from: '2018-10-01', to: '2026-09-30' };
  const next = { from: '2026-10-01', to: null };
  const unknown = { from: null, to: null };

  it.each([
    ['2018-09-30', []],
    ['2018-10-01', [old]],
    ['2025-12-31', [old]],
    ['2026-01-01', [old, unknown]],
    ['2026-09-30', [old, unknown]],
    ['2026-10-01', [next, unknown]],
    ['2999-12-31', [next, unknown]],
  ])('selects the value in force on %s', (day, values) =>
    expect(inForce([old, next, unknown], day, established)).toEqual(values),
  );

  describe('seasons', () => {
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
    ])('may be in force: %o on %s: %s', (value, day, holds) => expect(mayBeInForce(value, day)).toBe(holds));

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
    ])('returns the first day $2 for $0 on $1', (value, day, first) => expect(firstDayOn(value, day)).toBe(first));
  });
});

describe('rates on a day', () => {
  const rate = (jurisdiction: string, text: string, from: string | null, to: string | null): Rate => {
    return { ...always, jurisdiction, rate: text, from, to };
  };
  const release = {
    ...getRelease({ id: 'US-MN@2030-01-01.1', of: [{ code: 'US-MN', type: 'state', rate: '0.06' }] }),
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
    ])('returns the rate $is for $code on $day: $because', ({ code, day, is }) => {
      expect(rateOn(release, code, day)?.rate).toBe(is);
    });

    it('returns the state rate in force on the day', () => {
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

it('accepts returns of a state that left the Agreement for periods up to its last day', () => {
  const left = { MN: '2026-09-30' };
  const days = ['2026-09-30', '2026-10-31'];
  expect(days.map((day) => isStreamlinedMember('US-MN', day, left))).toEqual([true, false]);
  expect(days.map((day) => isStreamlinedMember('US-OH', day, left))).toEqual([true, true]);
});
