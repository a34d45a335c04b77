import { describe, expect, it } from 'vitest';
import type { TaxAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { statesOfZip } from '../../shared/catalog/location/zip-states.ts';
import type { Location } from '../../shared/catalog/release.ts';
import { showZip } from '../../shared/cli/content/show.ts';
import { stateCode } from '../../shared/vocabulary/jurisdiction.ts';
import { locationOf, releaseOf } from '../support/builders.ts';

describe('places', () => {
  /** Examples of the look-up order, which `content-oracles.test.ts` checks on random content, and what that does not vary. */

  const day = '2026-09-15';
  const of = [
    { code: 'US-XX', type: 'state', rate: '0.04' },
    { code: 'COUNTY', type: 'county', rate: '0.01' },
    { code: 'CITY', type: 'city', rate: '0.03' },
    { code: 'TOWN', type: 'city', rate: '0.005' },
    { code: 'DISTRICT', type: 'district', rate: '0.02' },
  ] as const;

  type Area = readonly [low: string, high: string, codes: string, dates?: Partial<Location>];
  const area = ([low, high, codes, dates]: Area): Location =>
    locationOf({ zips: [[low, high]], alternatives: [codes.split(' ').filter(Boolean)], ...dates });

  const addressOf = (text: string): TaxAddress => {
    const [zip = '', city = null] = text.split('/');
    const [zip5, plus4] = zip.split('-');
    return {
      country: 'US',
      state: 'XX',
      zip5: zip5 || null,
      plus4: plus4 ?? null,
      city,
      county: null,
      isZipKnown: zip !== '',
      isStateGuessed: false,
    };
  };

  type Content = Parameters<typeof releaseOf>[0] & { readonly areas?: readonly Area[] };
  const find = (text: string, { areas = [], ...content }: Content, { on = day, highest = false } = {}) => {
    const release = releaseOf({ of, coverage: 'partial', locations: areas.map(area), ...content });
    const { place, resolution } = locate(addressOf(text), () => release, on, highest);
    const { level, ambiguous, coverage } = resolution;
    const local = place.jurisdictions.map(({ code }) => code).join(' ');
    return `${local || 'nothing'}; ${level}${ambiguous ? ', ambiguous' : ''}, ${coverage}`;
  };

  describe('a ZIP+4', () => {
    const areas: Area[] = [
      ['55000', '55999', 'COUNTY'],
      ['55012', '55012', 'COUNTY TOWN'],
      ['550120011', '550139999', 'COUNTY CITY'],
      ['550130100', '550130199', 'COUNTY CITY DISTRICT'],
      ['550140000', '550149999', ''],
      ['550150001', '550150001', 'TOWN'],
    ];
    it.each([
      ['55012-0011', 'US-XX COUNTY TOWN; zip9, complete', 'the ZIP is narrower than the range of two ZIPs'],
      ['55013-0000', 'US-XX COUNTY CITY; zip9, complete', 'a range that begins in another ZIP, as nine digits'],
      ['55013-0100', 'US-XX COUNTY CITY DISTRICT; zip9, complete', 'the first of the narrower one'],
      ['55014-0000', 'US-XX; zip9, complete', 'four zeros are no wildcard, and an empty set is an answer'],
      ['55015-0001', 'US-XX TOWN; zip9, complete', 'a range of one'],
    ])('%s is in %s: %s', (text, expected) => expect(find(text, { areas })).toBe(expected));
  });

  describe('a ZIP without its four digits', () => {
    const areas: Area[] = [
      ['55012', '55012', 'COUNTY CITY'],
      ['550120100', '550120199', 'COUNTY CITY DISTRICT'],
      ['550130000', '550134999', 'CITY'],
      ['550135001', '550139999', 'TOWN'],
    ];
    it.each([
      ['55012', 'COUNTY CITY', 'COUNTY CITY DISTRICT', 'complete', 'the rates of the whole ZIP are the default'],
      ['55013', 'TOWN', 'CITY', 'partial', 'one number is in no range'],
    ])('%s has %s, or %s by the highest rate, and is %s: %s', (zip, lowest, highest, coverage) => {
      expect(find(zip, { areas })).toBe(`US-XX ${lowest}; zip5, ambiguous, ${coverage}`);
      expect(find(zip, { areas }, { highest: true })).toBe(`US-XX ${highest}; zip5, ambiguous, ${coverage}`);
    });

    it('compares rates of the tax day, of all the jurisdictions of a set together', () => {
      const base = releaseOf({ of });
      const rates = [
        ...base.rates.filter(({ jurisdiction }) => jurisdiction !== 'TOWN'),
        { ...base.rates[3], jurisdiction: 'TOWN', rate: '0.0299', to: '2026-06-30' },
        { ...base.rates[3], jurisdiction: 'TOWN', rate: '0.0301', from: '2026-07-01' },
      ] as typeof base.rates;
      const areas: Area[] = [
        ['550120000', '550124999', 'TOWN'],
        ['550125000', '550129999', 'COUNTY DISTRICT'],
      ];
      expect(find('55012', { areas, rates }, { on: '2026-06-30' })).toMatch(/^US-XX TOWN;/);
      expect(find('55012', { areas, rates }, { on: '2026-07-01' })).toMatch(/^US-XX COUNTY DISTRICT;/);
    });
  });

  describe('a city', () => {
    const locations = [
      locationOf({ cities: ['ST PAUL'], alternatives: [['CITY']], to: '2026-06-30' }),
      locationOf({ cities: ['ST PAUL'], alternatives: [['TOWN']], from: '2026-07-01' }),
      locationOf({ cities: ['TWIN'], alternatives: [['TOWN']] }),
      locationOf({ cities: ['TWIN', 'OTHER'], alternatives: [['CITY']] }),
      locationOf({ zips: [['55012', '55012']], alternatives: [['COUNTY']] }),
      locationOf({ zips: [['55013', '55013']], alternatives: [[]] }),
      locationOf({ zips: [['55014', '55014']], cities: ['NEAR'], alternatives: [['TOWN']] }),
    ];
    it.each([
      ['/ST PAUL', 'US-XX TOWN; city, ambiguous, complete', 'the location of the day: mail for it goes beyond it'],
      ['/TWIN', 'US-XX TOWN; city, ambiguous, complete', 'two places of one name: the cheaper'],
      ['55012/ST PAUL', 'US-XX COUNTY; zip5, complete', 'the ZIP wins'],
      [
        '55099-0001/ST PAUL',
        'US-XX TOWN; city, ambiguous, complete',
        'of a ZIP that no location names the city decides',
      ],
      ['/NEAR', 'US-XX TOWN; city, complete', 'one whose ZIPs are known'],
      ['55013/ST PAUL', 'US-XX TOWN; city, ambiguous, complete', 'its taxes are meant where the ZIP has none'],
    ])('%s: %s, %s', (text, expected) => expect(find(text, { locations })).toBe(expected));
  });

  describe('a city beside a ZIP that no location names', () => {
    const locations = [
      locationOf({ zips: [['55406', '55406']], cities: ['NEAR'], alternatives: [['TOWN']] }),
      locationOf({ zips: [['55407', '55407']], alternatives: [[]] }),
      locationOf({ cities: ['RESORT'], alternatives: [['DISTRICT']] }),
    ];
    it.each([
      ['55999/NEAR', 'US-XX; zip5, ambiguous, complete', 'the ZIPs of the city are listed, without this one'],
      ['55407/RESORT', 'US-XX DISTRICT; city, ambiguous, complete', 'no ZIP of its taxes is listed'],
      ['55999', 'US-XX; zip5, complete', 'a ZIP without a location has no local tax'],
    ])('%s in a release of the whole state: %s, %s', (text, expected) =>
      expect(find(text, { locations, coverage: 'complete' })).toBe(expected),
    );

    it('decides where the release does not have all of the state', () =>
      expect(find('55999/NEAR', { locations })).toBe('US-XX TOWN; city, complete'));
  });

  describe('a release that does not have all local taxes', () => {
    const areas: Area[] = [
      ['55401', '55405', 'COUNTY CITY', { from: '2017-10-01', to: '2019-03-31' }],
      ['55406', '55406', ''],
      ['554070100', '554070199', 'TOWN', { from: '2027-01-01' }],
    ];
    const content: Content = { areas, established_from: '2017-10-01' };
    it.each([
      ['55401', '2019-01-15', 'US-XX COUNTY CITY; zip5, complete', 'the row is in force'],
      ['55401', '2019-03-31', 'US-XX COUNTY CITY; zip5, complete', 'its last day'],
      ['55401', '2019-04-01', 'US-XX; zip5, partial', 'the rows have ended'],
      ['55406', '2026-09-15', 'US-XX; zip5, complete', 'no local tax is an answer'],
      ['55999', '2026-09-15', 'US-XX; zip5, partial', 'it does not name the ZIP'],
      ['', '2026-09-15', 'US-XX; state, partial', 'without a ZIP local taxes are missing'],
      ['/NOWHERE', '2026-09-15', 'US-XX; state, partial', 'a city that it does not name'],
    ])('%s on %s: %s, %s', (text, on, expected) => expect(find(text, content, { on })).toBe(expected));

    it('has the state rate without locations', () => {
      expect(find('55401', {})).toBe('US-XX; state, partial');
    });
  });

  describe('a tax of the state beside its own', () => {
    const beside = { code: 'US-XX-ARTICLE', type: 'state', rate: '0.0275' } as const;
    const areas: Area[] = [
      ['55012', '55012', 'CITY'],
      ['55013', '55013', ''],
    ];
    const [state, ...locals] = of;
    const content: Content = { of: [state, beside, ...locals], areas };
    const { rates } = releaseOf(content);

    it.each([
      ['55012', 'US-XX US-XX-ARTICLE CITY; zip5, complete'],
      ['55013', 'US-XX US-XX-ARTICLE; zip5, complete'],
      ['', 'US-XX US-XX-ARTICLE; state, partial'],
    ])('applies in %s: %s', (text, expected) => {
      expect(find(text, content)).toBe(expected);
      // It may have no general rate at all, as one that falls on a band of the price alone.
      const others = rates.filter(({ jurisdiction }) => jurisdiction !== beside.code);
      expect(find(text, { ...content, rates: others })).toBe(expected);
    });

    it('is not known on a day before its rate, nor is the state without one', () => {
      const dated = rates.map((rate) => (rate.jurisdiction === beside.code ? { ...rate, from: '2027-01-01' } : rate));
      expect(find('55012', { ...content, rates: dated })).toBe('US-XX US-XX-ARTICLE CITY; zip5, none');
      const stateless = rates.filter(({ jurisdiction }) => jurisdiction !== 'US-XX');
      expect(find('55012', { ...content, rates: stateless })).toBe('US-XX US-XX-ARTICLE CITY; zip5, none');
    });
  });

  describe('a day that the content does not reach', () => {
    it('is not covered, although the place is known', () => {
      const areas: Area[] = [['55012', '55012', 'CITY']];
      const ended = { areas, established_to: '2026-09-14' };
      expect(find('55012', ended, { on: '2026-09-14' })).toBe('US-XX CITY; zip5, complete');
      expect(find('55012', ended)).toBe('US-XX CITY; zip5, none');
    });

    it('is not covered where a rate is missing, and a set with known rates comes before it', () => {
      const rates = releaseOf({ of }).rates.filter(({ jurisdiction }) => jurisdiction !== 'TOWN');
      const town: Area = ['550120000', '550124999', 'TOWN'];
      expect(find('55012-0001', { areas: [town], rates })).toBe('US-XX TOWN; zip9, none');
      const both: Area[] = [town, ['550125000', '550129999', 'CITY']];
      expect(find('55012', { areas: both, rates })).toBe('US-XX CITY; zip5, ambiguous, complete');
      expect(find('55012', { areas: both, rates }, { highest: true })).toBe('US-XX CITY; zip5, ambiguous, complete');
    });
  });

  it('fails for a location with an unknown jurisdiction, instead of charging less tax', () => {
    expect(() => find('55012', { areas: [['55012', '55012', 'CITY GHOST']] })).toThrow('lacks the jurisdictions GHOST');
  });
});

describe('content show', () => {
  describe('the output for a ZIP', () => {
    const release = releaseOf({
      of: [
        { code: 'US-XX', type: 'state', rate: '0.04' },
        { code: 'CITY', type: 'city', rate: '0.03' },
      ],
      locations: [
        locationOf({ zips: [['55012', '55012']], alternatives: [['CITY']], from: '2026-01-01', to: '2026-06-30' }),
      ],
    });
    const part = { key: '55012', jurisdictions: [], rates: [], locations: release.locations };
    const shownOn = (day: string) => showZip({ ...release, locations: [] }, part, '55012', day).locations[0];

    it('has the rate on a day when a location is in force', () => {
      for (const day of ['2026-01-01', '2026-06-30'])
        expect(shownOn(day)).toMatchObject({
          in_force: true,
          alternatives: [{ rate: '0.07', jurisdictions: [{ rate: '0.04' }, { code: 'CITY', rate: '0.03' }] }],
        });
    });

    it('has no rate on a day without a location, even if its jurisdictions have rates', () => {
      for (const day of ['2025-12-31', '2026-07-01'])
        expect(shownOn(day)).toMatchObject({
          in_force: false,
          alternatives: [{ rate: null, jurisdictions: [{ rate: null }, { code: 'CITY', rate: null }] }],
        });
    });
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
    )('ZIP3: %s', (zip, states) => expect(statesOfZip(zip)).toEqual(states));

    it.each(
      zips(`06390 NY, 20588 MD, 20598 VA, 73949 OK TX, 73960 TX, 83414 WY, 96799 AS, 96939 PW, 96942 FM,
    96950 MP, 96970 MH`),
    )('an exception: %s', (zip, states) => expect(statesOfZip(zip)).toEqual(states));

    it.each(zips(`57717 MT SD WY, 82082 CO NE WY, 89061 CA NV, 42223 KY TN, 02861 MA RI, 99362 OR WA`))(
      'a border: %s',
      (zip, states) => expect(statesOfZip(zip)).toEqual(states),
    );

    it.each(['00000', '00401', '21301', '26901', '41901', '55201', '99999X', '4893', '489333', '', 'ABCDE'])(
      'not in use: %j',
      (zip) => expect(statesOfZip(zip)).toEqual([]),
    );

    it('has 931 ZIP3s', () => {
      const zips = Array.from({ length: 1000 }, (_, index) => `${String(index).padStart(3, '0')}98`);
      expect(zips.filter((zip) => statesOfZip(zip).length > 0)).toHaveLength(931);
    });
  });

  describe('stateCode', () => {
    it.each([
      ['MI', 'MI'],
      ['mi', 'MI'],
      [' Michigan ', 'MI'],
      ['NEW  YORK', 'NY'],
      ['district of columbia', 'DC'],
      ['D.C.', 'DC'],
      ['Puerto Rico', 'PR'],
      ['us virgin islands', 'VI'],
      ['U.S. Virgin Islands', 'VI'],
      ['guam', 'GU'],
      ['AE', 'AE'],
      ['armed forces pacific', 'AP'],
    ])('%j is %s', (text, code) => expect(stateCode(text)).toBe(code));

    it.each(['', 'XX', 'Ontario', 'M', 'constructor'])('%j is none', (text) => expect(stateCode(text)).toBeNull());
  });
});
