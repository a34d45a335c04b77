/**
 * Addresses as shops send them, resolved with the tables of local rates by ZIP and city. Rates are typed from the
 * official lists.
 */
import { describe, expect, it } from 'vitest';
import { ask, refusal } from '../support/builders.ts';
import { expectWarnings, localRates } from '../support/facts.ts';

type Address = Readonly<Partial<Record<'state' | 'postal_code' | 'city' | 'county' | 'country', string>>>;
const at = (city: string, state: string, postal_code: string): Address => ({ city, state, postal_code });

const tax_date = '2026-10-08';

// A quantity of 10,000 shows the percentage with four decimals.
const askAbout = (to: Address, settings = {}, day = tax_date) => {
  const outcome = ask({ to, tax_date: day, explain: true, line_items: [{ quantity: '10000' }] }, { settings });
  const [line] = outcome.line_items;
  return {
    outcome,
    percent: Number(outcome.tax_amount) / 10_000,
    resolution: line?.address_resolution,
    taxes: line?.taxes ?? [],
    explained: (outcome.explanation ?? []).find(({ step }) => step === 'address')?.text ?? '',
    said: (code: string) => outcome.warnings.filter((one) => one.code === code).map(({ message }) => message),
  };
};
const refusedBy = (policy: 'ambiguous_address' | 'incomplete_coverage', to: Address) =>
  refusal({ to, tax_date }, { settings: { [policy]: 'reject' } });

/** Expects the rate, resolution, warnings and refusals of a row of `local-rates.csv`. */
const expectRow = ({ to, day, percent, highest, level, found, ...row }: ReturnType<typeof localRates>[number]) => {
  const answer = askAbout(to, {}, day || tax_date);
  expectWarnings(answer.outcome, row);
  if (percent !== undefined) expect(answer.percent).toBe(percent);
  if (level) expect(answer.resolution?.level).toBe(level);
  if (highest) expect(askAbout(to, { ambiguous_address: 'highest_rate' }).percent).toBe(Number(highest));
  if (!found) return answer;
  const [ambiguous, partial] = ['ambiguous', 'partial'].map((word) => found.includes(word));
  expect(answer.resolution).toMatchObject({
    ambiguous,
    ...(found !== 'certain' && { coverage: partial ? 'partial' : 'complete' }),
  });
  const isContradictory = row.warns.includes('address_contradictory');
  expect(answer.said('address_contradictory')).toHaveLength(isContradictory ? 1 : 0);
  expect(answer.said('address_ambiguous').length > 0).toBe(ambiguous);
  expect(answer.said('local_rates_missing').length > 0).toBe(partial);
  const codes = (policy: Parameters<typeof refusedBy>[0]) => refusedBy(policy, to).map(({ code }) => code);
  expect(codes('ambiguous_address')).toEqual(ambiguous ? ['validation_address_unresolvable'] : []);
  if (found !== 'certain') expect(codes('incomplete_coverage')).toEqual(partial ? ['validation_not_covered'] : []);
  return answer;
};

describe.each([
  'changed',
  'split or abbreviated',
  'unknown city',
  'county name',
  'contradictory',
  'decided by county or state',
  'missing rate',
  'certain ZIP',
  'ZIP at a border',
  'advice',
])('an address, %s', (topic) => {
  it.each(localRates(topic))('$to is $percent percent on $day, $found: $note', (row) => {
    expectRow(row);
  });
});

it.each(localRates('readme'))('a city of the README, $to is $percent percent, also with the ZIP alone', (row) => {
  expectRow(row);
  expectRow({ ...row, to: { ...row.to, city: '' } });
});

it.each(localRates('city name'))('the city name of $to matches $name as a $level: $percent percent', (row) => {
  const { taxes, said } = expectRow(row);
  if (row.name) expect(taxes.map(({ jurisdiction_name }) => jurisdiction_name)).toContain(row.name);
  if (row.name) expect(said('local_rates_by_place')).toHaveLength(1);
});

it.each(localRates('jurisdictions'))('$to has the local jurisdictions $name: $note', (row) => {
  const { state } = row.to as { state: string };
  const { taxes } = expectRow(row);
  const local = row.name.split(' ').filter(Boolean);
  const codes = [`US-${state}`, ...local.map((code) => `US-${state}-${code}`)];
  expect(taxes.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(codes);
  const type = state === 'HI' ? 'general_excise' : 'sales';
  expect(new Set(taxes.map(({ tax_type }) => tax_type))).toEqual(new Set([type]));
});

it.each(localRates('several local rates'))('$to is ambiguous: $says, because $note', (row) => {
  const detail = expect.stringContaining(row.says);
  // The explanation includes the reason for the choice.
  expect(expectRow(row).explained).toEqual(detail);
  expect(refusedBy('ambiguous_address', row.to)).toMatchObject([{ detail }]);
});

const rejecting = { settings: { incomplete_coverage: 'reject' as const } };
it.each<{ to: Address }>([
  { to: { state: 'AE', postal_code: '09001' } },
  { to: { state: 'AP', city: 'FPO', postal_code: '96349' } },
  { to: { state: 'AA', city: 'DPO', postal_code: '34002' } },
  { to: { postal_code: '96349' } },
])('covers military and diplomatic mail without tax: $to', ({ to }) => {
  expect(askAbout(to).resolution).toEqual({ level: 'state', ambiguous: false, coverage: 'complete' });
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
