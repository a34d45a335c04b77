import { describe, expect, it } from 'vitest';
import type { TaxAddress } from '../../shared/content/location/address.ts';
import { locate } from '../../shared/content/location/place.ts';
import type { Location } from '../../shared/content/release.ts';
import { locationOf, releaseOf } from '../support/builders.ts';

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
    ['55012-0010', 'US-XX COUNTY TOWN; zip9, complete', 'before the range that begins in the ZIP: the ZIP itself'],
    ['55012-0011', 'US-XX COUNTY TOWN; zip9, complete', 'the ZIP is narrower than the range of two ZIPs'],
    ['55013-0000', 'US-XX COUNTY CITY; zip9, complete', 'a range that begins in another ZIP, as nine digits'],
    ['55013-0099', 'US-XX COUNTY CITY; zip9, complete', 'just before a narrower one'],
    ['55013-0100', 'US-XX COUNTY CITY DISTRICT; zip9, complete', 'the first of the narrower one'],
    ['55013-0199', 'US-XX COUNTY CITY DISTRICT; zip9, complete', 'the last of it'],
    ['55013-0200', 'US-XX COUNTY CITY; zip9, complete', 'just after it'],
    ['55013-9999', 'US-XX COUNTY CITY; zip9, complete', 'the last of the range of two ZIPs'],
    ['55014-0000', 'US-XX; zip9, complete', 'four zeros are no wildcard, and an empty set is an answer'],
    ['55015-0001', 'US-XX TOWN; zip9, complete', 'a range of one'],
    ['55015-0002', 'US-XX COUNTY; zip9, complete', 'just after it, the widest of all'],
  ])('%s is in %s: %s', (text, expected) => expect(find(text, { areas })).toBe(expected));

  it.each([
    ['COUNTY CITY', 'US-XX COUNTY CITY; zip9, complete', 'the same codes in another order are the same set'],
    ['COUNTY TOWN', 'US-XX COUNTY TOWN; zip9, ambiguous, complete', 'the cheaper of two'],
    ['', 'US-XX; zip9, ambiguous, complete', 'nothing is cheaper still'],
  ])('of two ranges that are equally narrow, CITY COUNTY and %s: %s, %s', (other, expected) => {
    const twice: Area[] = [
      ['550120000', '550129999', 'COUNTY'],
      ['550120100', '550120199', 'CITY COUNTY'],
      ['550120150', '550120249', other],
    ];
    expect(find('55012-0170', { areas: twice })).toBe(expected);
  });

  it('is in no range that is not in force: days are inclusive, at both ends', () => {
    const dated: Area[] = [
      ['55012', '55012', 'COUNTY'],
      ['550120100', '550120199', 'CITY', { from: '2026-04-01', to: '2026-06-30' }],
      ['550120150', '550120160', 'TOWN', { from: '2026-07-01', to: null }],
    ];
    const on = (tested: string) => find('55012-0155', { areas: dated }, { on: tested }).split(';')[0];
    expect(['2026-03-31', '2026-04-01', '2026-06-30', '2026-07-01', '2030-01-01'].map(on)).toEqual([
      'US-XX COUNTY',
      'US-XX CITY',
      'US-XX CITY',
      'US-XX TOWN',
      'US-XX TOWN',
    ]);
  });

  const gaps: Area[] = [
    ['550120001', '550124999', 'CITY'],
    ['550125000', '550129998', 'TOWN'],
    ['550130000', '550139999', 'CITY', { to: '2026-09-14' }],
    ['550130000', '550134999', 'TOWN'],
  ];
  it.each([
    ['55012-0000', 'just before the first range'],
    ['55012-9999', 'just after the last one'],
    ['55013-5000', 'where the range has ended'],
  ])('that no range holds has nothing of the other ranges of its ZIP: %s, %s', (text) => {
    expect(find(text, { areas: gaps, locals: 'listed' })).toBe('nothing; none, none');
    expect(find(text, { areas: gaps })).toBe('US-XX; zip9, partial');
    expect(find(text, { areas: gaps, coverage: 'complete' })).toBe('US-XX; zip9, complete');
  });

  it('that no range holds has what the whole ZIP has, where a row is of all of it', () => {
    const areas: Area[] = [...gaps, ['55012', '55013', 'COUNTY']];
    for (const text of ['55012-0000', '55012-9999', '55013-5000'])
      expect(find(text, { areas, locals: 'listed' })).toBe('US-XX COUNTY; zip9, complete');
    expect(find('55012-4999', { areas, locals: 'listed' })).toBe('US-XX CITY; zip9, complete');
  });
});

describe('a ZIP without its four digits', () => {
  const whole: Area = ['55012', '55012', 'COUNTY CITY'];
  it.each<{ areas: Area[]; expected: string; highest: string; because: string }>([
    { areas: [whole], expected: 'COUNTY CITY; zip5', highest: 'COUNTY CITY; zip5', because: 'one row holds all of it' },
    {
      areas: [whole, ['550120100', '550120199', 'COUNTY']],
      expected: 'COUNTY CITY; zip5, ambiguous',
      highest: 'COUNTY CITY; zip5, ambiguous',
      because: 'the row of the whole ZIP is meant, even if a part of it is cheaper',
    },
    {
      areas: [['550120100', '550120199', 'COUNTY CITY DISTRICT'], whole],
      expected: 'COUNTY CITY; zip5, ambiguous',
      highest: 'COUNTY CITY DISTRICT; zip5, ambiguous',
      because: 'the dearest of all may be that of a part',
    },
    {
      areas: [whole, ['550120100', '550120199', 'CITY COUNTY']],
      expected: 'COUNTY CITY; zip5',
      highest: 'COUNTY CITY; zip5',
      because: 'the parts agree with the whole',
    },
    {
      areas: [whole, ['550120100', '550120199', 'COUNTY', { to: '2026-09-14' }]],
      expected: 'COUNTY CITY; zip5',
      highest: 'COUNTY CITY; zip5',
      because: 'the other part is past',
    },
    {
      areas: [whole, ['550120100', '550120199', 'COUNTY', { from: '2026-09-16' }]],
      expected: 'COUNTY CITY; zip5',
      highest: 'COUNTY CITY; zip5',
      because: 'the other part is yet to come',
    },
    {
      areas: [
        ['550120000', '550125999', 'COUNTY'],
        ['550126000', '550129999', 'TOWN'],
      ],
      expected: 'TOWN; zip5, ambiguous',
      highest: 'COUNTY; zip5, ambiguous',
      because: 'of parts alone the cheapest, or the dearest',
    },
    {
      areas: [
        ['550120000', '550125999', 'COUNTY'],
        ['550126000', '550129999', 'COUNTY'],
      ],
      expected: 'COUNTY; zip5',
      highest: 'COUNTY; zip5',
      because: 'parts alone, which agree',
    },
    {
      areas: [['550119000', '550120000', 'COUNTY'], whole],
      expected: 'COUNTY CITY; zip5, ambiguous',
      highest: 'COUNTY CITY; zip5, ambiguous',
      because: 'a range of the ZIP before reaches into it',
    },
    {
      areas: [['550119000', '550119999', 'COUNTY'], ['55013', '55013', 'TOWN'], whole],
      expected: 'COUNTY CITY; zip5',
      highest: 'COUNTY CITY; zip5',
      because: 'ranges that end before it, or begin after it, are of others',
    },
    {
      areas: [['55000', '56136', 'COUNTY'], whole, ['55010', '55020', 'TOWN']],
      expected: 'COUNTY CITY; zip5',
      highest: 'COUNTY CITY; zip5',
      because: 'wider rows do not count beside its own',
    },
    {
      areas: [['550120000', '550129999', ''], whole],
      expected: '; zip5, ambiguous',
      highest: 'COUNTY CITY; zip5, ambiguous',
      because: 'a range of all its four digits is as wide as the ZIP, and an empty set is a set',
    },
  ])('$areas: $expected, or $highest by the highest rate: $because', ({ areas, expected, highest }) => {
    const answer = (tail: string) => `US-XX${tail.startsWith(';') ? '' : ' '}${tail}, complete`;
    expect(find('55012', { areas })).toBe(answer(expected));
    expect(find('55012', { areas }, { highest: true })).toBe(answer(highest));
  });

  it.each<{ areas: Area[]; expected: string; highest?: string; because: string }>([
    { areas: [['550120000', '550129998', 'CITY']], expected: 'CITY', because: 'the last number is in no range' },
    { areas: [['550120001', '550129999', 'CITY']], expected: 'CITY', because: 'the first one is in none' },
    {
      areas: [
        ['550120000', '550124999', 'CITY'],
        ['550125001', '550129999', 'TOWN'],
      ],
      expected: 'TOWN',
      highest: 'CITY',
      because: 'one number is between them',
    },
    {
      areas: [
        ['550120000', '550124999', 'CITY'],
        ['550125000', '550129999', 'CITY', { to: '2026-09-14' }],
      ],
      expected: 'CITY',
      because: 'the range that filled it has ended',
    },
    { areas: [['550119000', '550128000', '']], expected: '', because: 'a range of two ZIPs ends in it' },
  ])('of which a part is in no row is ambiguous, and not all known: $areas, $because', ({ areas, ...expected }) => {
    const answer = (codes: string) => `US-XX${codes === '' ? '' : ' '}${codes}; zip5, ambiguous, partial`;
    const content: Content = { areas, locals: 'listed', coverage: 'complete' };
    expect(find('55012', content)).toBe(answer(expected.expected));
    expect(find('55012', content, { highest: true })).toBe(answer(expected.highest ?? expected.expected));
  });

  it('whose rows fill it is all known, in whatever order they come and however they overlap', () => {
    const areas: Area[] = [
      ['550125000', '550139999', 'CITY'],
      ['550120000', '550125500', 'CITY'],
    ];
    expect(find('55012', { areas, locals: 'listed' })).toBe('US-XX CITY; zip5, complete');
  });

  it('has no local tax in the rest, where the release lists where there is some', () => {
    const areas: Area[] = [['550120000', '550128000', 'CITY']];
    const content: Content = { areas, coverage: 'complete' };
    expect(find('55012', content)).toBe('US-XX; zip5, ambiguous, complete');
    expect(find('55012', content, { highest: true })).toBe('US-XX CITY; zip5, ambiguous, complete');
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
    locationOf({ cities: ['NONE'], alternatives: [[]] }),
  ];
  it.each([
    ['/ST PAUL', 'US-XX TOWN; city, ambiguous, complete', 'the location of the day: mail for it goes beyond it'],
    ['/TWIN', 'US-XX TOWN; city, ambiguous, complete', 'two places of one name: the cheaper'],
    ['55012/ST PAUL', 'US-XX COUNTY; zip5, complete', 'the ZIP wins'],
    ['55099-0001/ST PAUL', 'US-XX TOWN; city, ambiguous, complete', 'of a ZIP that no location names the city decides'],
    ['/NOWHERE', 'US-XX; state, partial', 'no location names it'],
    ['/NEAR', 'US-XX TOWN; city, complete', 'one whose ZIPs are known'],
    ['55013/ST PAUL', 'US-XX TOWN; city, ambiguous, complete', 'its taxes are meant where the ZIP has none'],
    ['55013/NEAR', 'US-XX; zip5, complete', 'not where it is known by its ZIPs'],
    ['55013/NONE', 'US-XX; zip5, complete', 'nor where it has none either'],
    ['', 'US-XX; state, partial', 'a state alone'],
  ])('%s: %s, %s', (text, expected) => expect(find(text, { locations })).toBe(expected));
});

describe('a city beside a ZIP that no location names', () => {
  const locations = [
    locationOf({ zips: [['55401', '55405']], alternatives: [['CITY']] }),
    locationOf({ zips: [['55406', '55406']], cities: ['NEAR'], alternatives: [['TOWN']] }),
    locationOf({ cities: ['BIG'], alternatives: [['CITY']] }),
    locationOf({ cities: ['RESORT'], alternatives: [['DISTRICT']] }),
    locationOf({ zips: [['55407', '55407']], alternatives: [[]] }),
    locationOf({ zips: [['55408', '55408']], cities: ['PLAIN'], alternatives: [[]] }),
    locationOf({ zips: [['55409', '55409']], alternatives: [[], ['CITY']] }),
  ];
  const complete: Content = { locations, coverage: 'complete' };
  it.each([
    ['55999/NEAR', 'US-XX; zip5, ambiguous, complete', 'the ZIPs of the city are listed, and this is none of them'],
    ['55999-0001/NEAR', 'US-XX; zip9, ambiguous, complete', 'the same with four digits'],
    ['55999/BIG', 'US-XX; zip5, ambiguous, complete', 'the ZIPs of its taxes are listed beside its name'],
    ['55999/PLAIN', 'US-XX; zip5, complete', 'it has no taxes that the ZIP could lack'],
    ['55999', 'US-XX; zip5, complete', 'nothing speaks against the ZIP'],
    ['55407/BIG', 'US-XX; zip5, ambiguous, complete', 'the ZIP is listed as one without local taxes'],
    ['55406/BIG', 'US-XX TOWN; zip5, ambiguous, complete', 'the ZIP has other local taxes'],
    ['55406-0001/BIG', 'US-XX TOWN; zip9, ambiguous, complete', 'with four digits as well'],
    ['55401/PLAIN', 'US-XX CITY; zip5, ambiguous, complete', 'the ZIP has local taxes, and the city none'],
    ['55408/PLAIN', 'US-XX; zip5, complete', 'the ZIP is the city’s'],
    ['55405/BIG', 'US-XX CITY; zip5, complete', 'it has the same taxes'],
    ['55409/BIG', 'US-XX; zip5, ambiguous, complete', 'the ZIP may have the city’s'],
    ['55401/NOWHERE', 'US-XX CITY; zip5, complete', 'no location names the city'],
    ['55999/RESORT', 'US-XX DISTRICT; city, ambiguous, complete', 'no ZIP of its taxes is listed'],
    ['55407/RESORT', 'US-XX DISTRICT; city, ambiguous, complete', 'nor here'],
    ['/BIG', 'US-XX CITY; city, ambiguous, complete', 'without a ZIP the city decides'],
    ['/NEAR', 'US-XX TOWN; city, complete', 'and so it does here'],
  ])('%s in a release of the whole state: %s, %s', (text, expected) => expect(find(text, complete)).toBe(expected));

  it('may be meant after all, where the highest rate is wanted', () => {
    expect(find('55999/NEAR', complete, { highest: true })).toBe('US-XX TOWN; zip5, ambiguous, complete');
    expect(find('55406/BIG', complete, { highest: true })).toBe('US-XX CITY; zip5, ambiguous, complete');
  });

  it('decides where the release does not have all of the state', () => {
    expect(find('55999/NEAR', { locations })).toBe('US-XX TOWN; city, complete');
    expect(find('55999/BIG', { locations, locals: 'listed' })).toBe('US-XX CITY; city, ambiguous, complete');
  });
});

describe('a ZIP whose cities are told apart', () => {
  const inZip = (within_city: string, code: string, more: Partial<Location> = {}) =>
    locationOf({ zips: [['55012', '55012']], within_city, alternatives: [[code]], ...more });
  const locations = [inZip('BIG', 'CITY'), inZip('SMALL', 'TOWN')];
  const withRest = [...locations, locationOf({ zips: [['55012', '55012']], alternatives: [['COUNTY']] })];
  it.each([
    ['55012/BIG', 'US-XX CITY; zip5, complete', 'US-XX CITY; zip5, complete'],
    ['55012-0001/SMALL', 'US-XX TOWN; zip9, complete', 'US-XX TOWN; zip9, complete'],
    ['55012', 'US-XX COUNTY; zip5, ambiguous, complete', 'US-XX TOWN; zip5, ambiguous, partial'],
    ['55012/OTHER', 'US-XX COUNTY; zip5, ambiguous, complete', 'nothing; none, none'],
    ['55013/BIG', 'nothing; none, none', 'nothing; none, none'],
  ])('%s is %s, and without anything for other cities %s', (text, expected, expectedWithout) => {
    expect(find(text, { locations: withRest, locals: 'listed' })).toBe(expected);
    expect(find(text, { locations, locals: 'listed' })).toBe(expectedWithout);
  });

  it('is not ambiguous for another city, where those are known by their names everywhere', () => {
    const byName = withRest.map((one) => (one.within_city ? { ...one, yields_to_city: true as const } : one));
    const at = (text: string) => find(text, { locations: byName, locals: 'listed' });
    expect(['55012/BIG', '55012/OTHER', '55012'].map(at)).toEqual([
      'US-XX CITY; zip5, complete',
      'US-XX COUNTY; zip5, complete',
      'US-XX COUNTY; zip5, ambiguous, complete',
    ]);
  });
});

describe('a ZIP that cities come before', () => {
  const locations = [
    locationOf({ zips: [['55012', '55012']], alternatives: [['CITY']], yields_to_city: true }),
    locationOf({ cities: ['SMALL'], alternatives: [['TOWN']] }),
  ];
  it.each([
    ['55012/SMALL', 'US-XX TOWN; city, ambiguous, complete', 'the city is known by its name'],
    ['55012/OTHER', 'US-XX CITY; zip5, complete', 'it is not'],
    ['55012', 'US-XX CITY; zip5, ambiguous, complete', 'no city is sent'],
  ])('%s: %s, %s', (text, expected) => expect(find(text, { locations, locals: 'listed' })).toBe(expected));
});

it('a ZIP that borders cross is ambiguous, with four digits too, and its own taxes are known', () => {
  const locations = [locationOf({ zips: [['55012', '55012']], alternatives: [['CITY']], crosses_borders: true })];
  expect(find('55012', { locations, locals: 'listed' })).toBe('US-XX CITY; zip5, ambiguous, complete');
  expect(find('55012-0001', { locations, locals: 'listed' })).toBe('US-XX CITY; zip9, ambiguous, complete');
});

describe('a release that lists every ZIP', () => {
  const areas: Area[] = [
    ['55401', '55405', 'COUNTY CITY', { from: '2017-10-01', to: '2019-03-31' }],
    ['55406', '55406', ''],
    ['554070100', '554070199', 'TOWN', { from: '2027-01-01' }],
  ];
  const listed: Content = { areas, locals: 'listed', established_from: '2017-10-01' };
  it.each([
    ['55401', '2019-01-15', 'US-XX COUNTY CITY; zip5, complete', 'the row is in force'],
    ['55401', '2019-03-31', 'US-XX COUNTY CITY; zip5, complete', 'its last day'],
    ['55401', '2019-04-01', 'nothing; none, none', 'the rows have ended, and the state alone would be too little'],
    ['55401-0001', '2019-04-01', 'nothing; none, none', 'the same with four digits'],
    ['55401', '2017-09-30', 'nothing; none, none', 'before its first day'],
    ['55406', '2026-09-15', 'US-XX; zip5, complete', 'no local tax is an answer'],
    ['55407', '2026-09-15', 'nothing; none, none', 'its only row is yet to come'],
    ['55999', '2026-09-15', 'nothing; none, none', 'it does not know the ZIP at all'],
    ['', '2026-09-15', 'US-XX; state, partial', 'without a ZIP local taxes are missing'],
    ['/NOWHERE', '2026-09-15', 'US-XX; state, partial', 'a city that it does not name'],
  ])('%s on %s: %s, %s', (text, on, expected) => expect(find(text, listed, { on })).toBe(expected));

  it('says so also where it holds nothing of the address', () => {
    expect(find('55401', { locals: 'listed' })).toBe('nothing; none, none');
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
  ])('taxes in %s too: %s', (text, expected) => {
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

  it('is not covered where one of the rates is missing, and a set whose rates are known is meant before it', () => {
    const rates = releaseOf({ of }).rates.filter(({ jurisdiction }) => jurisdiction !== 'TOWN');
    const town: Area = ['550120000', '550124999', 'TOWN'];
    expect(find('55012-0001', { areas: [town], rates })).toBe('US-XX TOWN; zip9, none');
    const both: Area[] = [town, ['550125000', '550129999', 'CITY']];
    expect(find('55012', { areas: both, rates })).toBe('US-XX CITY; zip5, ambiguous, complete');
    expect(find('55012', { areas: both, rates }, { highest: true })).toBe('US-XX CITY; zip5, ambiguous, complete');
  });
});

it('a location that names what its release lacks is a fault of the content, never less tax', () => {
  expect(() => find('55012', { areas: [['55012', '55012', 'CITY GHOST']] })).toThrow('lacks the jurisdictions GHOST');
});
