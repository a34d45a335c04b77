import { describe, expect, it } from 'vitest';
import type { RatesQuery } from '../../shared/rates/rates.ts';
import { Rates } from '../../shared/rates/response.ts';
import { ask, askRates, getRelease, type Options, ratesRefusal } from '../support/builders.ts';
import { tabledRelease, withTables } from '../support/local-content.ts';

const ratesAt = (query: RatesQuery, options: Options = {}) => askRates(query, { releaseFor: withTables, ...options });
const problemAt = async (query: RatesQuery, options: Options = {}) =>
  (await ratesRefusal(query, { releaseFor: withTables, ...options })).map(({ code, source }) => [code, source]);
const listCodes = ({ warnings }: Rates) => warnings.map(({ code }) => code);
const listParts = ({ jurisdictions }: Rates) =>
  Object.fromEntries(jurisdictions.map(({ jurisdiction_code, rate }) => [jurisdiction_code, rate]));

describe('the rates of an address', () => {
  // Minnesota Department of Revenue: 6.875% and, for Minneapolis, 2.15% in five parts.
  it('include each jurisdiction and their sum: Minneapolis', async () => {
    const rates = await ratesAt({ postal_code: '55401' });
    expect(rates).toMatchObject({ object: 'rates', date: '2026-11-22', combined_rate: '0.09025' });
    expect(listParts(rates)).toEqual({
      'US-MN': '0.06875',
      'US-MN-00-053': '0.0015',
      'US-MN-01-43000': '0.005',
      'US-MN-63-80004': '0.005',
      'US-MN-63-80008': '0.0075',
      'US-MN-63-80009': '0.0025',
    });
    expect(rates.address_resolution).toEqual({ level: 'zip5', ambiguous: false, coverage: 'complete' });
    expect(listCodes(rates)).toEqual(['local_rates_by_place']);
    expect(rates.jurisdictions[0]).toMatchObject({ jurisdiction_type: 'state', tax_type: 'sales', confidence: 'high' });
    expect(Rates.safeParse(rates).error).toBeUndefined();
  });

  it('cite the source', async () => {
    const { jurisdictions } = await ratesAt({ postal_code: '10001' });
    for (const { source } of jurisdictions) expect(source).toMatch(/[a-z]{4}.* /i);
    expect(jurisdictions.at(-1)?.source).toContain('718');
  });

  it('match the rates of a calculation', async () => {
    for (const to of [
      { postal_code: '55401' },
      { postal_code: '98101', city: 'Seattle', state: 'WA' },
      { postal_code: '80302', city: 'Boulder', state: 'CO' },
      { postal_code: '97201' },
    ]) {
      const { line_items } = ask({ to, tax_date: '2026-11-22' }, { releaseFor: withTables });
      const charged = line_items[0]?.taxes.map(({ jurisdiction_code, rate }) => [jurisdiction_code, rate]);
      expect(Object.entries(listParts(await ratesAt(to)))).toEqual(charged);
    }
  });

  it('omit a tax that applies only to a price band', async () => {
    const rates = await ratesAt({ postal_code: '37203', city: 'Nashville', state: 'TN' });
    expect(tabledRelease('TN')?.jurisdictions.length).toBeGreaterThan(1);
    expect(rates.combined_rate).toBe('0.0975');
    expect(rates.jurisdictions.filter(({ jurisdiction_type }) => jurisdiction_type === 'state')).toHaveLength(1);
  });

  it('apply to sales from another state, with the return code if the content has it', async () => {
    const [state] = getRelease().jurisdictions;
    const [rate] = getRelease().rates;
    const release = getRelease({ id: 'US-MI@2026-01-01.1', of: [{ code: 'US-MI', type: 'state', rate: '0.06' }] });
    const other = {
      ...release,
      jurisdictions: [{ ...state, code: 'US-MI', reporting_code: '26' }],
      rates: [{ ...rate, jurisdiction: 'US-MI', interstate: { rate: '0.055' } }],
    } as typeof release;
    const rates = await ratesAt({ postal_code: '48933' }, { releaseFor: () => other });
    expect(rates).toMatchObject({ combined_rate: '0.055', jurisdictions: [{ rate: '0.055', reporting_code: '26' }] });
    expect((await ratesAt({ postal_code: '48933' })).jurisdictions[0]?.reporting_code).toBeNull();
  });

  it('warn once about each unconfirmed rate', async () => {
    const rates = await ratesAt({ postal_code: '78701', city: 'Austin', state: 'TX' });
    const uncertain = rates.jurisdictions.filter(({ confidence }) => ['low', 'medium'].includes(confidence));
    expect(uncertain.length).toBeGreaterThan(0);
    expect(listCodes(rates).filter((code) => code === 'content_unconfirmed')).toHaveLength(uncertain.length);
    expect(rates.warnings.every(({ pointer }) => pointer === null)).toBe(true);
  });
});

describe('unknown rates', () => {
  it("are null with a warning in another country, or rejected by the account's policy", async () => {
    const lyon = { city: 'Lyon', country: 'FR' };
    expect(await ratesAt(lyon)).toMatchObject({
      combined_rate: null,
      jurisdictions: [],
      content_releases: {},
      address_resolution: { level: 'none', coverage: 'none' },
      warnings: [{ code: 'not_covered', pointer: null }],
    });
    const reject = { settings: { incomplete_coverage: 'reject' } } as const;
    expect(await problemAt(lyon, reject)).toEqual([['validation_not_covered', { parameter: 'city' }]]);
    expect(await problemAt({ country: 'FR' }, reject)).toEqual([['validation_not_covered', { parameter: 'country' }]]);
  });

  it('include the combined rate on a day in 2021, because the state rate is not covered', async () => {
    const austin = { postal_code: '78701', city: 'Austin', state: 'TX' };
    const rates = await ratesAt({ ...austin, date: '2021-12-31' });
    expect([rates.date, rates.combined_rate, rates.address_resolution.coverage]).toEqual(['2021-12-31', null, 'none']);
  });
});

describe('an incomplete address', () => {
  it.each<[RatesQuery, string]>([
    [{}, 'postal_code'],
    [{ state: 'MN' }, 'postal_code'],
    [{ postal_code: ' ', county: 'Hennepin', line1: '1 Main St', country: 'US' }, 'postal_code'],
    [{ city: 'Minneapolis' }, 'state'],
    [{ city: 'Minneapolis', country: 'USA' }, 'state'],
  ])('is rejected, with what to send: %o', async (query, parameter) => {
    expect(await problemAt(query)).toEqual([['validation_required_field', { parameter }]]);
  });
});

it('returns no warning about calculated tax for an address that is not covered', async () => {
  const { warnings } = await ratesAt({ postal_code: '96910' });
  expect(warnings.map(({ code }) => code)).toEqual(['not_covered']);
  expect(warnings.map(({ message }) => message).join()).not.toContain('calculated');
});
