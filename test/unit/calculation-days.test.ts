/** The answers of the built-in content by tax day and by the day of the service. Figures from laws and lists, typed by hand. */
import { describe, expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { importFiles, releaseForOf } from '../fixtures/imports/harness.ts';
import { ask, locationOf, refusal, releaseOf, rule, warningCodes } from '../support/builders.ts';

type To = NonNullable<Parameters<typeof ask>[0]['to']>;
const newYork: To = { city: 'New York', state: 'NY', postal_code: '10001' };
const saintPaul: To = { city: 'Saint Paul', state: 'MN', postal_code: '55102' };
const detroit: To = { city: 'Detroit', state: 'MI', postal_code: '48226' };

const answerOf = (to: To, tax_date: string, options: Parameters<typeof ask>[1] = {}) => {
  const outcome = ask({ to, tax_date }, options);
  const message = (code: string) => outcome.warnings.find((warning) => warning.code === code)?.message;
  return {
    outcome,
    tax: outcome.tax_amount,
    coverage: outcome.line_items[0]?.address_resolution.coverage,
    codes: warningCodes(outcome),
    message,
  };
};

describe('a local rate without a first day on record', () => {
  it('is established from the first day of the tables on', () => {
    const { tax, coverage, codes } = answerOf(newYork, '2026-10-01');
    expect([tax, coverage]).toEqual(['8.88', 'complete']);
    expect(codes).not.toContain('local_rates_approximate');
  });

  it.each(['2026-09-30', '2025-06-15', '2022-01-01'])('answers on %s, with a warning that names both days', (day) => {
    const { tax, coverage, message } = answerOf(newYork, day);
    expect([tax, coverage]).toEqual(['8.88', 'partial']);
    expect(message('local_rates_approximate')).toMatch(
      new RegExp(`New York City, New York County on ${day} are not on record; those of 2026-10-01 were used`),
    );
    expect(message('local_rates_missing')).toBeUndefined();
  });

  it('does not answer before 2022, and neither does the state rate', () => {
    const { tax, coverage, codes } = answerOf(newYork, '2021-12-31');
    expect([tax, coverage]).toEqual(['0.00', 'none']);
    expect(codes).toContain('not_covered');
  });

  it.each(['2026-09-30', '2022-01-01'])(
    'is refused on %s by the policy that rejects incomplete coverage',
    (tax_date) => {
      const reject = { settings: { incomplete_coverage: 'reject' } } as const;
      expect(refusal({ to: newYork, tax_date }, reject)).toMatchObject([
        {
          code: 'validation_not_covered',
          detail: expect.stringContaining('the rates of the tax day are not on record'),
        },
      ]);
      expect(refusal({ to: newYork, tax_date: '2026-10-01' }, reject)).toEqual([]);
    },
  );

  it('applies to an untaxed area as well: no surtax in a county of Florida', () => {
    const { tax, coverage, codes } = answerOf(
      { state: 'FL', postal_code: '34429', city: 'Crystal River' },
      '2024-05-01',
    );
    expect([tax, coverage]).toEqual(['6.00', 'partial']);
    expect(codes).toContain('local_rates_approximate');
  });
});

describe('a local rate that changed', () => {
  // Minnesota Department of Revenue: the city tax of Saint Paul rose from 0.5 to 1.5 % on 2024-04-01; the regional taxes of
  // 1.0 % began on 2023-10-01.
  it.each([
    ['2022-01-01', '7.88'],
    ['2023-09-30', '7.88'],
    ['2023-10-01', '8.88'],
    ['2024-03-31', '8.88'],
    ['2024-04-01', '9.88'],
    ['2026-11-20', '9.88'],
  ])('applies by day, without a warning: Saint Paul on %s', (day, tax) => {
    const answer = answerOf(saintPaul, day);
    expect([answer.tax, answer.coverage]).toEqual([tax, 'complete']);
    expect(answer.codes).not.toContain('local_rates_approximate');
  });

  it.each([
    ['Chicago', 'IL', '60602', '2026-07-31', '10.25'],
    ['Chicago', 'IL', '60602', '2026-08-01', '10.50'],
    ['San Jose', 'CA', '95112', '2026-03-31', '9.38'],
    ['San Jose', 'CA', '95112', '2026-04-01', '10.00'],
    ['Charlotte', 'NC', '28202', '2026-06-30', '7.25'],
    ['Charlotte', 'NC', '28202', '2026-07-01', '8.25'],
    ['Columbus', 'OH', '43215', '2025-03-31', '7.50'],
    ['Columbus', 'OH', '43215', '2025-04-01', '8.00'],
    ['Nashville', 'TN', '37203', '2025-01-31', '9.25'],
    ['Nashville', 'TN', '37203', '2025-02-01', '9.75'],
    ['Phoenix', 'AZ', '85004', '2025-06-30', '8.60'],
    ['Phoenix', 'AZ', '85004', '2025-07-01', '9.10'],
    ['Naples', 'FL', '34102', '2023-12-31', '7.00'],
    ['Naples', 'FL', '34102', '2024-01-01', '6.00'],
    ['Milwaukee', 'WI', '53202', '2023-12-31', '5.50'],
    ['Milwaukee', 'WI', '53202', '2024-01-01', '7.90'],
    ['Montpelier', 'VT', '05602', '2025-06-30', '6.00'],
    ['Montpelier', 'VT', '05602', '2025-07-01', '7.00'],
    ['Kahului', 'HI', '96732', '2023-12-31', '4.00'],
    ['Kahului', 'HI', '96732', '2024-01-01', '4.50'],
    ['Sitka', 'AK', '99835', '2026-09-30', '6.00'],
    ['Sitka', 'AK', '99835', '2026-10-01', '5.00'],
    ['Sitka', 'AK', '99835', '2027-04-01', '6.00'],
  ])('applies by day: %s, %s %s on %s is %s', (city, state, postal_code, day, tax) => {
    const answer = answerOf({ city, state, postal_code }, day);
    expect([answer.tax, answer.codes.includes('local_rates_approximate')]).toEqual([tax, false]);
  });

  it('is approximate before the first one on record', () => {
    const { tax, coverage, message } = answerOf({ city: 'Chicago', state: 'IL', postal_code: '60602' }, '2025-12-31');
    expect([tax, coverage]).toEqual(['10.25', 'partial']);
    expect(message('local_rates_approximate')).toContain('those of 2026-01-01, the first on record, were used');
  });

  it('is approximate after its last known day', () => {
    const brevard = { city: 'Melbourne', state: 'FL', postal_code: '32901' };
    expect(answerOf(brevard, '2026-12-31').codes).not.toContain('local_rates_approximate');
    const { tax, coverage, message } = answerOf(brevard, '2027-01-01', { today: '2027-01-01' });
    expect([tax, coverage]).toEqual(['7.00', 'partial']);
    expect(message('local_rates_approximate')).toContain('those of 2026-12-31, their last known day, were used');
  });
});

describe('the general rate of a state', () => {
  it.each([
    { state: 'SD', day: '2023-06-30', rate: '0.045', because: 'SDCL 10-45-2 before HB 1137 of 2023' },
    { state: 'SD', day: '2023-07-01', rate: '0.042', because: 'HB 1137 of 2023' },
    { state: 'NM', day: '2022-06-30', rate: '0.05125', because: 'NMSA 7-9-4 before HB 163 of 2022' },
    { state: 'NM', day: '2022-07-01', rate: '0.05', because: 'HB 163 of 2022' },
    { state: 'NM', day: '2023-07-01', rate: '0.04875', because: 'HB 163 of 2022' },
    { state: 'LA', day: '2024-12-31', rate: '0.0445', because: 'the third special session of 2024' },
    { state: 'LA', day: '2025-01-01', rate: '0.05', because: 'the third special session of 2024' },
    { state: 'DC', day: '2026-09-30', rate: '0.06', because: 'the act of 2025' },
    { state: 'DC', day: '2026-10-01', rate: '0.07', because: 'the act of 2025' },
  ])('applies by day: $state on $day is $rate by $because', ({ state, day, rate }) => {
    const { outcome } = answerOf({ state }, day);
    expect(outcome.line_items[0]?.taxes[0]?.rate).toBe(rate);
  });

  it('is complete since 2022 in a state without local taxes', () => {
    const { tax, coverage } = answerOf(detroit, '2022-01-01');
    expect([tax, coverage]).toEqual(['6.00', 'complete']);
    expect(refusal({ to: detroit, tax_date: '2022-01-01' }, { settings: { incomplete_coverage: 'reject' } })).toEqual(
      [],
    );
  });
});

describe('a value of a state without a first day on record', () => {
  const undated = { from: null, to: null, source: 'test', confidence: 'high' } as const;
  const releaseFor = (others: Partial<Release> = {}) => {
    const release = releaseOf({
      of: [{ code: 'US-MI', type: 'state', rate: '0.06' }],
      rules: [rule('mi-food', ['FOOD.GROCERY'], { type: 'exempt' }, undated)],
    });
    return () => ({ ...release, approximate_from: '2022-01-01', ...others });
  };
  const groceries = [{ product_tax_code: 'FOOD.GROCERY' }];

  it.each([
    ['2021-12-31', ['not_covered'], 'not_supported'],
    ['2022-01-01', ['content_approximate'], 'product_exempt'],
    ['2025-12-31', ['content_approximate'], 'product_exempt'],
    ['2026-01-01', [], 'product_exempt'],
  ])('is a rule: on %s the warnings are %o', (tax_date, codes, reason) => {
    const outcome = ask({ to: { state: 'MI' }, tax_date, line_items: groceries }, { releaseFor: releaseFor() });
    expect(warningCodes(outcome)).toEqual(codes);
    expect(outcome.line_items[0]?.taxes[0]?.taxability_reason).toBe(reason);
    // The rate of the address is known.
    expect(outcome.line_items[0]?.address_resolution.coverage).toBe('complete');
  });

  it('is a general rate: the coverage is partial, and the message names both days', () => {
    const rates = [{ ...undated, jurisdiction: 'US-MI', rate: '0.06' }];
    const of = (tax_date: string) =>
      ask({ to: { state: 'MI' }, tax_date, line_items: [{}] }, { releaseFor: releaseFor({ rates }) });
    const { tax_amount, line_items, warnings } = of('2024-05-01');
    expect([tax_amount, line_items[0]?.address_resolution.coverage]).toEqual(['6.00', 'partial']);
    expect(warnings.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/general rate: no value of 2024-05-01 is on record; that of 2026-01-01 was used/),
    );
    expect(of('2026-01-01').line_items[0]?.address_resolution.coverage).toBe('complete');
    expect(of('2021-12-31').line_items[0]?.address_resolution.coverage).toBe('none');
  });

  it('is not approximate in a release of before `approximate_from`', () => {
    const release = releaseOf({ rates: [{ ...undated, jurisdiction: 'US-XX', rate: '0.06' }] });
    const outcome = ask({ to: { state: 'MI' }, tax_date: '2025-12-31' }, { releaseFor: () => release });
    expect([outcome.tax_amount, warningCodes(outcome)]).toEqual(['0.00', ['not_covered']]);
  });

  it('is a place: its local taxes are approximate as well', () => {
    const local = { code: 'US-MI-A', type: 'city', rate: '0.01' } as const;
    const release = releaseOf({
      of: [{ code: 'US-MI', type: 'state', rate: '0.06' }, local],
      locations: [locationOf({ zips: [['48933', '48933']], alternatives: [['US-MI-A']], from: null })],
      approximate_from: '2022-01-01',
    });
    const rates = release.rates.map((rate) => (rate.jurisdiction === 'US-MI-A' ? { ...rate, from: null } : rate));
    const outcome = ask(
      { to: { state: 'MI', postal_code: '48933' }, tax_date: '2023-01-01' },
      { releaseFor: () => ({ ...release, rates }) },
    );
    expect(outcome.tax_amount).toBe('7.00');
    expect(warningCodes(outcome)).toContain('local_rates_approximate');
  });
});

describe('an import', () => {
  it('uses the built-in tables on the days before its own first day', async () => {
    const content = [
      'State,ZipCode,TaxRegionName,EstimatedCombinedRate,StateRate,EstimatedCountyRate,EstimatedCityRate,EstimatedSpecialRate,RiskLevel',
      'NY,10001,NEW YORK,0.09,0.04,0,0.05,0,1',
    ].join('\n');
    const imported = await importFiles('zip-rates', 'NY', [{ name: 'rates.csv', content }], {});
    const fallback = builtInRelease('NY') as Release;
    const releaseFor = (address: Parameters<ReturnType<typeof releaseForOf>>[0]) => {
      const release = releaseForOf(imported)(address);
      return release && { ...release, fallback };
    };
    expect(answerOf(newYork, '2026-01-01', { releaseFor }).tax).toBe('9.00');
    const before = answerOf(newYork, '2025-12-31', { releaseFor });
    expect([before.tax, before.codes.includes('local_rates_approximate')]).toEqual(['8.88', true]);
  });
});

describe('a local rate that is older than the cadence of its publisher', () => {
  const madison: To = { city: 'Madison', state: 'WI', postal_code: '53703' };
  const boulder: To = { city: 'Boulder', state: 'CO', postal_code: '80302' };
  const outdatedOn = (to: To, tax_date: string, today: string) =>
    answerOf(to, tax_date, { today }).message('local_rates_outdated');

  it.each([
    { to: madison, today: '2027-01-08', is: false, because: 'the file of the next quarter may be a week late' },
    { to: madison, today: '2027-01-09', is: true, because: 'it is overdue' },
    { to: boulder, today: '2026-07-08', is: false, because: 'the list of the next half-year may be a week late' },
    { to: boulder, today: '2026-07-09', is: true, because: 'it is overdue' },
    {
      to: { city: 'Miami', state: 'FL', postal_code: '33130' },
      today: '2026-12-31',
      is: false,
      because: 'the list is yearly',
    },
    {
      to: { city: 'Miami', state: 'FL', postal_code: '33130' },
      today: '2027-01-09',
      is: true,
      because: 'it is overdue',
    },
    { to: detroit, today: '2030-01-01', is: false, because: 'the state has no local taxes' },
  ])('has a warning by the day of the service: on $today $is, because $because', ({ to, today, is }) => {
    expect(outdatedOn(to, today, today) !== undefined).toBe(is);
  });

  it('has a warning on earlier tax days, but not up to the day of the list', () => {
    expect(outdatedOn(boulder, '2026-02-01', '2026-11-20')).toBeDefined();
    expect(outdatedOn(boulder, '2026-01-01', '2026-11-20')).toBeUndefined();
    expect(outdatedOn(boulder, '2026-01-01', '2030-01-01')).toBeUndefined();
  });

  it('names the place, the day of the list, the day by which a newer one was due, and the remedy', () => {
    expect(outdatedOn(boulder, '2026-11-20', '2026-11-20')).toBe(
      'Colorado: the local rates of Boulder, Boulder County are as of 2026-01-01, and newer ones were due by 2026-07-08. Import them: `GET /coverage` names the publisher.',
    );
  });
});
