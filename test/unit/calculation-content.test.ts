/** Requests against the built-in content, by place and by day. Amounts are typed by hand from laws and lists. */
import { describe, expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { createReleaseFor, importFiles, tableFile } from '../fixtures/imports/harness.ts';
import { ask, buildLocation, getRelease, refusal, rule, warningCodes } from '../support/builders.ts';
import { listCharges } from '../support/sales.ts';

type To = NonNullable<Parameters<typeof ask>[0]['to']>;
type Options = NonNullable<Parameters<typeof ask>[1]>;
const at = (state: string, postal_code: string | null = null, city: string | null = null) => ({
  state,
  postal_code,
  city,
});
const listRows = (outcome: ReturnType<typeof ask>) => outcome.line_items[0]?.taxes ?? [];
const getCoverage = ({ line_items }: ReturnType<typeof ask>) => line_items[0]?.address_resolution.coverage;

const newYork = at('NY', '10001', 'New York');
const detroit = at('MI', '48226', 'Detroit');
const reject = { settings: { incomplete_coverage: 'reject' } } as const;

/** Returns the tax on 100.00, the coverage and the warning codes. */
const getResponse = (to: To, tax_date: string, options: Options = {}) => {
  const outcome = ask({ to, tax_date }, options);
  const message = (code: string) => outcome.warnings.find((warning) => warning.code === code)?.message;
  return { found: `${outcome.tax_amount} ${getCoverage(outcome)}`, codes: warningCodes(outcome), message };
};

const importRows = (state: string, ...rows: string[]) =>
  importFiles('zip-rates', state, [tableFile('zip-rates', ...rows)]);

it('taxes a sale within Texas at its origin, and warns that use taxes of the destination may be due', async () => {
  const near = 'TX,75001,NEAR,0.0725,0.0625,0,0.01,0,1';
  const releaseFor = createReleaseFor(await importRows('TX', near, 'TX,78701,FAR,0.0825,0.0625,0,0.01,0.01,1'));
  const sale = (address: object) => {
    const { tax_amount, warnings } = ask({ to: at('TX', '78701'), ship_from: { address } }, { releaseFor });
    return [tax_amount, warnings.some(({ message }) => message.includes('taxes of the destination may also be due'))];
  };
  expect(sale(at('TX', '75001'))).toEqual(['7.25', true]);
  expect(sale(at('MI', '48933'))).toEqual(['8.25', false]);
});

it.each([
  [newYork, '2026-10-01', '8.88 complete', null],
  [newYork, '2026-09-30', '8.88 partial', 'New York City, New York County on 2026-09-30'],
  [newYork, '2022-01-01', '8.88 partial', 'New York City, New York County on 2022-01-01'],
  [newYork, '2021-12-31', '0.00 none', null],
  // This Florida county has no surtax.
  [at('FL', '34429', 'Crystal River'), '2024-05-01', '6.00 partial', 'Citrus County on 2024-05-01'],
])(
  'applies a local rate without a first day on record in %o on %s as %s, with a warning that gives both days',
  (to, tax_date, expected, text) => {
    const { found, message } = getResponse(to, tax_date);
    expect(found).toBe(expected);
    if (text === null) expect(message('local_rates_approximate')).toBeUndefined();
    else
      expect(message('local_rates_approximate')).toMatch(
        new RegExp(`${text} are not on record; the rates of .* were used`),
      );
    expect(message('local_rates_missing')).toBeUndefined();
    const detail = expect.stringMatching(/the rates of the tax day are not on record|it is not covered/);
    const isComplete = expected.endsWith('complete');
    const refused = isComplete ? [] : [{ code: 'validation_not_covered', detail }];
    expect(refusal({ to, tax_date }, reject)).toMatchObject(refused);
  },
);

describe('rates before and after their known days', () => {
  const chicago = at('IL', '60602', 'Chicago');
  const brevard = at('FL', '32901', 'Melbourne');
  it.each([
    [chicago, '2025-12-31', '10.25 partial', 'the rates of 2026-01-01, the first on record, were used'],
    [brevard, '2026-12-31', '7.00 complete', null],
    [brevard, '2027-01-01', '7.00 partial', 'the rates of 2026-12-31, their last known day, were used'],
    [detroit, '2022-01-01', '6.00 complete', null],
  ])('marks a rate as approximate outside of its known days: %o on %s', (to, day, expected, text) => {
    const { found, message } = getResponse(to, day, { today: day > '2026-11-20' ? day : '2026-11-20' });
    expect([found, message('local_rates_approximate') ?? null]).toEqual([
      expected,
      text && expect.stringContaining(text),
    ]);
  });

  it('uses the UTC date of a timestamp', () => {
    const taxOn = (tax_date: string) => ask({ to: at('DC', '20001'), tax_date }).tax_amount;
    expect([taxOn('2026-09-30T23:59:59.999Z'), taxOn('2026-10-01T00:00:00.000Z')]).toEqual(['6.00', '7.00']);
  });
});

describe('state values without a known first day', () => {
  const undated = { from: null, to: null, source: 'test', confidence: 'high' } as const;
  const state = { code: 'US-MI', type: 'state', rate: '0.06' } as const;
  const food = rule('mi-food', ['FOOD.GROCERY'], { type: 'exempt' }, undated);
  const undatedRates = [{ ...undated, jurisdiction: 'US-MI', rate: '0.06' }];
  const release = getRelease({ of: [state], rules: [food], approximate_from: '2022-01-01' });
  const response = (tax_date: string, others: Partial<Release>, product_tax_code = 'FOOD.GROCERY') =>
    ask(
      { to: { state: 'MI' }, tax_date, line_items: [{ product_tax_code }] },
      { releaseFor: () => ({ ...release, ...others }) },
    );

  it.each([
    ['2021-12-31', 'not_supported', ['not_covered']],
    ['2022-01-01', 'product_exempt', ['content_approximate']],
    ['2025-12-31', 'product_exempt', ['content_approximate']],
    ['2026-01-01', 'product_exempt', []],
  ])(
    'applies a rule: on %s the reason for food is %s, with the warnings %o, if the state rate is known',
    (tax_date, reason, codes) => {
      const outcome = response(tax_date, {});
      expect([listRows(outcome)[0]?.taxability_reason, warningCodes(outcome)]).toEqual([reason, codes]);
      expect(getCoverage(outcome)).toBe('complete');
    },
  );

  it.each([
    ['2021-12-31', '0.00', 'none'],
    ['2024-05-01', '6.00', 'partial'],
    ['2026-01-01', '6.00', 'complete'],
  ])('applies a general rate: on %s the tax is %s and the coverage is %s', (tax_date, tax, coverage) => {
    const outcome = response(tax_date, { rates: undatedRates }, 'GENERAL');
    expect([outcome.tax_amount, getCoverage(outcome)]).toEqual([tax, coverage]);
    const text = `general rate: no value for ${tax_date} is on record; the value for 2026-01-01 was used`;
    expect(outcome.warnings.some(({ message }) => message.includes(text))).toBe(coverage === 'partial');
    const { approximate_from: _, ...without } = release;
    const strict = ask({ to: { state: 'MI' }, tax_date }, { releaseFor: () => ({ ...without, rates: undatedRates }) });
    expect(strict.tax_amount).toBe(coverage === 'complete' ? '6.00' : '0.00');
  });

  it('applies a location, and marks its local taxes as approximate', () => {
    const local = getRelease({
      of: [state, { code: 'US-MI-A', type: 'city', rate: '0.01' }],
      locations: [buildLocation({ zips: [['48933', '48933']], alternatives: [['US-MI-A']], from: null })],
      approximate_from: '2022-01-01',
    });
    const rates = local.rates.map((rate) => (rate.jurisdiction === 'US-MI-A' ? { ...rate, from: null } : rate));
    const { found, codes } = getResponse(at('MI', '48933'), '2023-01-01', { releaseFor: () => ({ ...local, rates }) });
    expect(found).toBe('7.00 partial');
    expect(codes).toContain('local_rates_approximate');
  });

  it('applies a shipping rule, with a warning for the shipping and none for the taxed goods', () => {
    const request = { to: at('NJ', '07030'), tax_date: '2020-05-05', shipping: { amount: '10.00' } };
    const outcome = ask(request);
    expect(listCharges(outcome).map(({ tax_amount }) => tax_amount)).toEqual(['6.63', '0.00']);
    const message = expect.stringMatching(/SHIPPING\.DELIVERY on 2020-05-05\. No tax of New Jersey was/);
    const uncovered = outcome.warnings.filter(({ code }) => code === 'not_covered');
    expect(uncovered).toMatchObject([{ pointer: '/shipping', message }]);
  });
});

it('falls back to the built-in tables on days before the first day of an import', async () => {
  const imported = createReleaseFor(await importRows('NY', 'NY,10001,NEW YORK,0.09,0.04,0,0.05,0,1'));
  const fallback = builtInRelease('NY') as Release;
  const releaseFor = (address: Parameters<typeof imported>[0]) => {
    const release = imported(address);
    return release && { ...release, fallback };
  };
  expect(getResponse(newYork, '2026-01-01', { releaseFor }).found).toMatch(/^9\.00/);
  const before = getResponse(newYork, '2025-12-31', { releaseFor });
  expect([before.found, before.codes.includes('local_rates_approximate')]).toEqual(['8.88 partial', true]);
});

describe('overdue local rates', () => {
  const madison = at('WI', '53703', 'Madison');
  const boulder = at('CO', '80302', 'Boulder');
  const miami = at('FL', '33130', 'Miami');

  it.each([
    [madison, '2027-01-08', '2027-01-08', false, "the next quarter's file can be a week late"],
    [madison, '2027-01-09', '2027-01-09', true, 'it is overdue'],
    [boulder, '2026-07-08', '2026-07-08', false, 'the list of the next half-year may be a week late'],
    [boulder, '2026-07-09', '2026-07-09', true, 'it is overdue'],
    [miami, '2026-12-31', '2026-12-31', false, 'the list is yearly'],
    [miami, '2027-01-09', '2027-01-09', true, 'it is overdue'],
    [detroit, '2030-01-01', '2030-01-01', false, 'the state has no local taxes'],
    [boulder, '2026-02-01', '2026-11-20', true, 'an earlier tax date is not confirmed either'],
    [boulder, '2026-01-01', '2030-01-01', false, 'the tax date is the date of the list'],
    [madison, '2027-01-08', '2026-12-20', false, 'the next list is not due on the tax date'],
    [madison, '2027-01-09', '2026-12-20', true, 'the next list is due before the tax date'],
  ])('returns a warning for $0 on $1 as of the service date $2 ($3), because $4', (to, tax_date, today, isOutdated) => {
    expect(getResponse(to, tax_date, { today }).codes.includes('local_rates_outdated')).toBe(isOutdated);
  });

  it('states the place, the date of the list, the due date of a newer list and the required action', () => {
    expect(getResponse(boulder, '2026-11-20').message('local_rates_outdated')).toBe(
      'Colorado: the local rates of Boulder, Boulder County are as of 2026-01-01, with newer rates due by 2026-07-08. Import them: `GET /coverage` names the publisher.',
    );
  });
});
