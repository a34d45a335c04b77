/**
 * Addresses as shops send them, resolved with the tables of local rates by ZIP and city. Rates are typed from the
 * official lists.
 */
import { describe, expect, it } from 'vitest';
import { ask, refusal, warningCodes } from '../support/builders.ts';
import { localRates } from '../support/facts.ts';

type Address = Readonly<Partial<Record<'state' | 'postal_code' | 'city' | 'county' | 'country', string>>>;
const at = (city: string, state: string, postal_code: string, county?: string): Address => ({
  city,
  state,
  postal_code,
  ...(county !== undefined && { county }),
});

const tax_date = '2026-10-08';

// A quantity of 10,000 shows the percentage with four decimals.
const askAbout = (to: Address, settings = {}) => {
  const outcome = ask({ to, tax_date, explain: true, line_items: [{ quantity: '10000' }] }, { settings });
  const [line] = outcome.line_items;
  return {
    percent: Number(outcome.tax_amount) / 10_000,
    level: line?.address_resolution.level,
    ambiguous: line?.address_resolution.ambiguous,
    coverage: line?.address_resolution.coverage,
    names: (line?.taxes ?? []).slice(1).map(({ jurisdiction_name }) => jurisdiction_name),
    codes: warningCodes(outcome),
    explained: (outcome.explanation ?? []).find(({ step }) => step === 'address')?.text ?? '',
    said: (code: string) => outcome.warnings.filter((one) => one.code === code).map(({ message }) => message),
  };
};

const found = { ambiguous: false, coverage: 'complete' };
const refusedBy = (policy: 'ambiguous_address' | 'incomplete_coverage', to: Address) =>
  refusal({ to, tax_date }, { settings: { [policy]: 'reject' } }).map(({ code }) => code);
const unresolvable = ['validation_address_unresolvable'];
const notCovered = ['validation_not_covered'];

describe('the cities of the README', () => {
  it.each(localRates('readme'))('$to is $percent percent, with the city and with the ZIP alone', ({ to, percent }) => {
    expect(askAbout(to)).toMatchObject({ percent, ...found });
    expect(askAbout({ ...to, city: '' })).toMatchObject({ percent, ...found });
  });
});

describe('a city name', () => {
  it.each(localRates('city name'))('$to is $percent percent, matched as a $level named $name', (row) => {
    const { to, percent, level, name } = row;
    const answer = askAbout(to);
    expect(answer).toMatchObject({ percent, level, ...found });
    expect(answer.names).toContain(name);
    expect(answer.said('local_rates_by_place')).toHaveLength(1);
  });

  it.each(localRates('split or abbreviated'))('matches its words: $to is $percent percent', ({ to, percent }) => {
    const answer = askAbout(to);
    expect(answer.percent).toBe(percent);
    expect(answer.said('local_rates_by_place').join()).not.toContain('No place named');
  });

  it('is partially covered in both spellings if its rate is not established', () => {
    for (const city of ['O Fallon', "O'Fallon"])
      expect(askAbout({ city, state: 'IL', postal_code: '62269' })).toMatchObject({ coverage: 'partial' });
  });

  it('causes no warning in a state without local taxes', () => {
    const answer = askAbout(at('Louisville-Jefferson', 'KY', '40202'));
    expect(answer).toMatchObject({ percent: 6, level: 'state', ...found, codes: [] });
  });

  it('is covered if it is an independent city without a local rate', () => {
    const answer = askAbout(at('Roanoke', 'VA', '24011'));
    expect(answer).toMatchObject({ percent: 5.3, level: 'city', ...found });
  });
});

describe('an unknown city', () => {
  it('falls back to the ZIP, and the warning suggests the nearest city', () => {
    const answer = askAbout(at('Los Angelos', 'CA', '90012'));
    expect(answer).toMatchObject({ percent: 9.75, level: 'zip5', coverage: 'complete' });
    expect(answer.said('local_rates_by_place').join()).toContain('Did you mean Los Angeles?');
  });

  it('is ambiguous if the ZIP is, and the ambiguity policy applies', () => {
    const to = at('Huntingdon Park', 'CA', '90255');
    const answer = askAbout(to);
    expect(answer).toMatchObject({ percent: 10.5, level: 'zip5', ambiguous: true });
    expect(answer.said('address_ambiguous').join()).toContain('did you mean Huntington Park?');
    expect(refusedBy('ambiguous_address', to)).toEqual(unresolvable);
  });

  // The local rate of Creve Coeur, where most residents of the ZIP live, is not established.
  it.each(['Creve Coeur', 'creve cour', 'Xyzzy', ''])('never makes coverage complete: %s', (city) => {
    const to = { city, state: 'MO', postal_code: '63141' };
    const answer = askAbout(to);
    expect(answer).toMatchObject({ coverage: 'partial', ambiguous: city !== 'Creve Coeur' });
    expect(answer.said('local_rates_missing').join()).toContain('Creve Coeur');
    expect(answer.said('local_rates_by_place').join().includes('Did you mean Creve Coeur?')).toBe(
      city === 'creve cour',
    );
    expect(refusedBy('incomplete_coverage', to)).toEqual(notCovered);
  });

  it('falls back to the state rate without a ZIP, and the warning says what to send', () => {
    const answer = askAbout({ city: 'Los Angelos', state: 'CA' });
    expect(answer).toMatchObject({ percent: 7.25, level: 'state', coverage: 'partial' });
    expect(answer.said('local_rates_missing').join()).toMatch(/Did you mean Los Angeles\? Send the ZIP code/);
  });
});

describe('a county name', () => {
  it.each<[Address, string]>([
    [{ state: 'IL', county: 'Du Page' }, 'DuPage County'],
    [{ state: 'IL', county: 'La Salle' }, 'LaSalle County'],
    [{ state: 'GA', county: 'De Kalb' }, 'DeKalb County'],
    [{ state: 'GA', county: 'DEKALB CO' }, 'DeKalb County'],
    [{ state: 'GA', county: 'DeKalb Cnty.' }, 'DeKalb County'],
  ])('%o resolves to %s', (to, name) => {
    const answer = askAbout(to);
    // Without a city, an address could be anywhere in the county.
    expect(answer).toMatchObject({ level: 'county', ambiguous: true });
    expect(answer.said('local_rates_by_place').join()).toContain(name);
  });

  it('is ignored with a warning if the state does not have the county', () => {
    const to = { state: 'IL', postal_code: '60601' };
    const answer = askAbout({ ...to, county: 'Bogus' });
    expect(answer).toMatchObject({ percent: askAbout(to).percent, ...found });
    expect(answer.said('local_rates_by_place').join()).toContain('Illinois has no county named Bogus.');
    const mistyped = askAbout({ state: 'IL', county: 'Dupagge' });
    expect(mistyped).toMatchObject({ level: 'state', coverage: 'partial' });
    expect(mistyped.said('local_rates_missing').join()).toContain('Did you mean DuPage County?');
  });
});

it('never suggests a name that only omits a word', () => {
  const said = askAbout(at('El Houston', 'TX', '77002'))
    .said('local_rates_by_place')
    .join();
  expect(said).toContain('No place named');
  expect(said).not.toContain('Did you mean Houston?');
});

describe('an address with several possible local rates', () => {
  const creveCoeur = 'Creve Coeur (rate not established, 88% of residents) and St. Louis County (3.513%, 12%)';
  const cobb = 'Cobb County (local rate 2%, 98% of residents), Atlanta (4.9%, 1%) and Fulton County (3.75%, 1%)';
  const aurora = 'Aurora, Adams County (local rate 5.6%, 50% of residents), Aurora, Arapahoe County (5.1%, 48%)';
  const douglas = 'Douglas County (local rate 2.1%, 91% of residents) and Littleton (5.85%, 9%)';
  const gwinnett = 'Gwinnett County (local rate 2%, 97% of residents) and DeKalb County (4%, 3%)';
  const harris = 'Harris County (local rate 1%, 100% of residents) and Tomball (2%)';

  it.each<[Address, number, string, string]>([
    [at('Atlanta', 'GA', '30339'), 6, cobb, 'most of the ZIP is outside the city, in a different county'],
    [at('Littleton', 'CO', '80129'), 5, douglas, 'most of the ZIP is outside of the city, in the same county'],
    [at('Saint Louis', 'MO', '63141'), 7.738, creveCoeur, 'most of the ZIP is in a place whose rate is not known'],
    [at('Snellville', 'GA', '30039'), 6, gwinnett, 'the ZIP is in two counties'],
    [at('Aurora', 'CO', '80010'), 8.5, aurora, 'the city is in two counties'],
    [{ state: 'CO', postal_code: '80221' }, 4.75, 'Adams County (local rate 1.85%, 80%', 'no city was sent'],
    [at('Tomball', 'TX', '77337'), 7.25, harris, 'the name is a place where the ZIP has no residents'],
    [at('Dallas', 'TX', '75261'), 6.25, 'Dallas (2%)', 'the ZIP has no residents in the county of the city'],
    [
      { city: 'Houston', state: 'TX' },
      8.25,
      'Houston (local rate 2%, 79%',
      "the city's postal area extends beyond its limits",
    ],
  ])('%o is ambiguous, at %s percent: %s, because %s', (to, percent, areas) => {
    const answer = askAbout(to);
    expect(answer).toMatchObject({ percent, ambiguous: true });
    expect(answer.said('address_ambiguous').join()).toContain(areas);
    expect(answer.said('address_contradictory')).toEqual([]);
    // The explanation includes the reason for the choice.
    expect(answer.explained).toContain(areas);
    expect(refusal({ to, tax_date }, { settings: { ambiguous_address: 'reject' } })).toMatchObject([
      { code: 'validation_address_unresolvable', detail: expect.stringContaining(areas) },
    ]);
  });

  it.each<[Address, number, number, string]>([
    [at('Denver', 'CO', '80013'), 8, 9.15, 'DENVER is not a city of ZIP 80013.'],
    [at('Minneapolis', 'MN', '55102'), 9.875, 9.875, 'MINNEAPOLIS is not a city of ZIP 55102.'],
    [at('Chicago', 'IL', '62701'), 10.25, 10.5, 'CHICAGO is not a city of ZIP 62701.'],
    [at('Lake City', 'AR', '71653'), 10.5, 10.5, 'LAKE CITY is not a city of ZIP 71653.'],
    [
      { state: 'TX', postal_code: '78701', county: 'Harris' },
      8.25,
      8.25,
      'The county Harris is not a county of ZIP 78701.',
    ],
    [{ city: 'Chicago', state: 'IL', county: 'Kane' }, 7.25, 10.5, 'CHICAGO is not in the county Kane.'],
  ])('%o is contradictory: the ZIP decides, at %s percent, and %s is possible', (to, percent, highest, why) => {
    const answer = askAbout(to);
    expect(answer).toMatchObject({ percent, ambiguous: true });
    expect(answer.said('address_contradictory').join()).toContain(why);
    expect(askAbout(to, { ambiguous_address: 'highest_rate' }).percent).toBe(highest);
    expect(refusedBy('ambiguous_address', to)).toEqual(unresolvable);
  });

  it('is not ambiguous if a contradiction does not change the rate, but has a warning', () => {
    const answer = askAbout(at('Dallas', 'TX', '77002'));
    expect(answer).toMatchObject({ percent: 8.25, ...found });
    expect(answer.said('address_contradictory')).toHaveLength(1);
  });

  it.each<[Address, number]>([
    [at('Snellville', 'GA', '30039', 'DeKalb'), 8],
    [at('Snellville', 'GA', '30039', 'Gwinnett County'), 6],
    [at('Aurora', 'CO', '80010', 'Adams'), 8.5],
  ])('is resolved by the county: %o is %s percent', (to, percent) => {
    expect(askAbout(to)).toMatchObject({ percent, ...found });
  });

  it('needs a state if the ZIP is in two states', () => {
    expect(askAbout({ postal_code: '42223' })).toMatchObject({ percent: 6, ambiguous: true });
    expect(askAbout({ state: 'TN', postal_code: '42223' })).toMatchObject({ percent: 9.5, ambiguous: false });
    expect(askAbout({ state: 'KY', postal_code: '42223' })).toMatchObject({ percent: 6, ambiguous: false });
  });
});

it.each<[Address, number, string, string]>([
  [at('Abbeville', 'AL', '36310'), 6, 'county', 'Abbeville'],
  [{ state: 'TX', county: 'Travis' }, 6.25, 'state', 'Travis'],
])(
  'returns partial coverage for %o, whose rate is not established: %s percent, by its %s',
  (to, percent, level, name) => {
    const answer = askAbout(to);
    expect(answer).toMatchObject({ percent, level, coverage: 'partial' });
    expect(answer.said('local_rates_missing').join()).toContain(name);
    expect(refusedBy('incomplete_coverage', to)).toEqual(notCovered);
  },
);

const rejecting = { settings: { incomplete_coverage: 'reject' as const } };
it.each<{ to: Address }>([
  { to: { state: 'AE', postal_code: '09001' } },
  { to: { state: 'AP', city: 'FPO', postal_code: '96349' } },
  { to: { state: 'AA', city: 'DPO', postal_code: '34002' } },
  { to: { postal_code: '96349' } },
])('covers military and diplomatic mail without tax: $to', ({ to }) => {
  expect(askAbout(to)).toMatchObject({ percent: 0, level: 'state', coverage: 'complete', codes: [] });
  const outcome = ask({ to, tax_date, shipping: { amount: '9.00' }, explain: true }, rejecting);
  expect(outcome).toMatchObject({ tax_amount: '0.00', exempt_amount: '109.00', warnings: [] });
  const [row] = outcome.line_items[0]?.taxes ?? [];
  expect(row).toMatchObject({ taxability_reason: 'not_subject_to_tax', rate: '0' });
  expect(row?.jurisdiction_code).toMatch(/^US-A[AEP]$/);
  expect(outcome.explanation?.map(({ text }) => text).join(' ')).toContain('mail to it leaves the state of sale');
  expect(ask({ to, tax_date: '2022-01-01' }, rejecting)).toMatchObject({ tax_amount: '0.00', warnings: [] });
});

describe('the explanation of an address', () => {
  const littleton = at('Littleton', 'CO', '80129');

  it('gives the share of residents as the reason, not a policy', () => {
    const { explained } = askAbout(littleton);
    expect(explained).toMatch(/rate that applies to most residents is charged \(an estimated 91%\): Douglas County/);
    expect(explained).not.toMatch(/lowest|policy/);
  });

  it('gives the highest rate if the account uses highest_rate, and the warning names the charged place', () => {
    const { percent, explained, said } = askAbout(littleton, { ambiguous_address: 'highest_rate' });
    expect(percent).toBe(8.75);
    expect(explained).toMatch(/policy selects the highest .*: Douglas County with Littleton/);
    expect(said('local_rates_by_place').join()).toContain('Littleton');
  });

  it('gives the place named in the address if the number of residents is unknown', () => {
    const { explained } = askAbout({ state: 'GA', county: 'DeKalb' });
    expect(explained).toContain('The rate of the first place is charged, because the address names it: DeKalb County');
  });
});

it.each<[Address, boolean]>([
  [at('Atlanta', 'GA', '30303'), true],
  [at('New York', 'NY', '10001'), false],
  [at('Houston', 'TX', '77002'), false],
])('recommends a boundary file only if the state publishes one: %o', (to, isPublished) => {
  const said = askAbout(to).said('local_rates_by_place').join();
  expect(said).toContain('may be taxed differently.');
  expect(said.includes('Import the boundary file')).toBe(isPublished);
});

it.each<[Address, string]>([
  [at('Snellville', 'GA', '30039'), 'Send the county (address.county), or import'],
  [at('Snellville', 'GA', '30039', 'Dekalbb'), 'Correct the county (address.county), or import'],
  [{ state: 'CO', postal_code: '80221' }, 'Send the city, or send the county (address.county), or import'],
  [at('Littleton', 'CO', '80129'), 'Import a'],
  [at('Atlanta', 'GA', '30341'), 'Import the'],
])('says what to send for an ambiguous address: %o', (to, advice) => {
  const text = askAbout(to).said('address_ambiguous').join();
  expect(text).toContain(advice);
  // Colorado publishes no boundary file.
  expect(text).toContain(to.state === 'GA' ? "state's boundary file" : 'a table of rates by ZIP (format zip-rates)');
  expect(text).not.toMatch(/Correct the city|[Oo]nly a boundary file/);
});

it('warns once about an uncertain rule of a state, not once per jurisdiction', () => {
  const { line_items, warnings } = ask({
    to: at('Minneapolis', 'MN', '55401'),
    tax_date,
    line_items: [{ product_tax_code: 'FOOD.CANDY' }],
  });
  expect(line_items[0]?.taxes).toHaveLength(6);
  expect(warnings.filter(({ code }) => code === 'content_unconfirmed').map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Minnesota, rule mn-taxable:/),
  ]);
});
