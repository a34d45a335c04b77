import { describe, expect, it } from 'vitest';
import { publicationIn } from '../../shared/importers/updates/file-names.ts';
import { publishers } from '../../shared/importers/updates/publishers.ts';
import { staleness, type UpdateRecord } from '../../shared/importers/updates/staleness.ts';

const publisherOf = (state: string) => {
  const publisher = publishers.find((one) => one.state === state);
  if (!publisher) throw new Error(`No publisher of ${state}.`);
  return publisher;
};

const record = (
  files: readonly { name: string; last_modified?: string | null; option?: string }[],
  more: Partial<UpdateRecord> = {},
): UpdateRecord => ({
  files: files.map((file) => ({ option: 'file', last_modified: null, ...file })),
  imported_at: null,
  failure: null,
  ...more,
});

/** The rate and boundary files of Minnesota (quarterly) under names with these texts. */
const minnesota = (rates: string, boundaries = rates): UpdateRecord =>
  record([
    { option: 'rates', name: `MNR${rates}.zip` },
    { option: 'boundaries', name: `MNB${boundaries}.zip` },
  ]);

const current = { isStale: false, reason: null };

describe('the days of a publication', () => {
  it.each([
    ['2026Q4AUG18', { quarter: '2026-10-01', posted: '2026-08-18' }],
    ['2026Q4OCT2', { quarter: '2026-10-01', posted: '2026-10-02' }],
    ['2027Q1NOV05', { quarter: '2027-01-01', posted: '2026-11-05' }],
    ['2027Q1JUL01', { quarter: '2027-01-01', posted: '2026-07-01' }],
    ['2027Q1JUN30', { quarter: '2027-01-01', posted: '2027-06-30' }],
    ['2026Q4XYZ18', null],
    ['2026Q5AUG18', null],
  ])('reads %s', (text, expected) => {
    expect(publicationIn(text)).toEqual(expected);
  });
});

describe('the age of official files', () => {
  it('takes the day of publication and the quarter from the name of a Streamlined file', () => {
    const days = { asOf: '2026-08-18', nextExpected: '2027-01-08' };
    expect(staleness(publisherOf('MN'), minnesota('2026Q4AUG18'), '2026-09-01')).toEqual({ ...days, ...current });
  });

  it.each([
    ['New_Mexico_gross_receipts_tax_July_2026_June_2027', '2027-07-08'],
    ['New_Mexico_gross_receipts_tax_July_December_2026', '2027-01-08'],
    ['New_Mexico_gross_receipts_tax_July_2026', '2027-01-08'],
  ])('is in time to the last month in its name: %s', (name, nextExpected) => {
    const source = record([{ name }]);
    expect(staleness(publisherOf('NM'), source, nextExpected)).toEqual({
      asOf: '2026-07-01',
      nextExpected,
      ...current,
    });
  });

  it('is in time to the end of the grace, and stale on the day after', () => {
    const source = minnesota('2026Q4AUG18');
    expect(staleness(publisherOf('MN'), source, '2027-01-08')).toMatchObject(current);
    expect(staleness(publisherOf('MN'), source, '2027-01-09')).toEqual({
      asOf: '2026-08-18',
      nextExpected: '2027-01-08',
      isStale: true,
      reason: 'The newest file is of 2026-08-18; the next one was due by 2027-01-08.',
    });
  });

  it('counts the newer of two files, by the quarter and then by the day', () => {
    const days = { asOf: '2026-11-20', nextExpected: '2027-04-08' };
    expect(staleness(publisherOf('MN'), minnesota('2026Q4DEC10', '2027Q1NOV20'), '2027-04-08')).toMatchObject(days);
    expect(staleness(publisherOf('MN'), minnesota('2027Q1NOV20', '2026Q4DEC10'), '2027-04-08')).toMatchObject(days);
    const corrected = staleness(publisherOf('MN'), minnesota('2026Q4AUG18', '2026Q4NOV02'), '2026-11-20');
    expect(corrected).toMatchObject({ asOf: '2026-11-02', nextExpected: '2027-01-08' });
  });

  it.each([
    ['MO', 'oct2026.xlsx', '2026-10-01', '2027-01-08'],
    ['AZ', 'TPT_RATETABLE_ALL_12012026.csv', '2026-12-01', '2027-01-08'],
    ['AZ', 'TPT_RATETABLE_ALL_02292028.csv', '2028-02-29', '2028-03-08'],
    ['AK', 'ARSSTC-Sales-Tax-Rate-Sheet-11-1-26.xlsx', '2026-11-01', '2026-12-08'],
  ])('of %s takes the day from the name %s', (state, name, asOf, nextExpected) => {
    expect(staleness(publisherOf(state), record([{ name }]), asOf)).toEqual({ asOf, nextExpected, ...current });
  });

  // From the last third of a period on, a file is for the next period.
  it.each([
    ['TX', 'Tue, 01 Sep 2026 23:59:59 GMT', '2026-09-01', '2027-01-08'],
    ['TX', 'Mon, 31 Aug 2026 00:00:00 GMT', '2026-08-31', '2026-10-08'],
    ['TX', 'Sat, 31 Oct 2026 12:00:00 GMT', '2026-10-31', '2027-01-08'],
    ['TX', 'Thu, 31 Dec 2026 12:00:00 GMT', '2026-12-31', '2027-04-08'],
    ['AL', 'Fri, 18 Feb 2028 12:00:00 GMT', '2028-02-18', '2028-03-08'],
    ['AL', 'Sat, 19 Feb 2028 12:00:00 GMT', '2028-02-19', '2028-03-08'],
    ['AL', 'Sun, 20 Feb 2028 12:00:00 GMT', '2028-02-20', '2028-04-08'],
    ['AL', 'Fri, 19 Feb 2027 12:00:00 GMT', '2027-02-19', '2027-04-08'],
    ['AL', 'Tue, 29 Feb 2028 12:00:00 GMT', '2028-02-29', '2028-04-08'],
    ['IL', 'Wed, 01 Jul 2026 12:00:00 GMT', '2026-07-01', '2027-01-08'],
    ['IL', 'Mon, 01 Jun 2026 12:00:00 GMT', '2026-06-01', '2027-01-08'],
    ['VA', 'Wed, 01 Jul 2026 12:00:00 GMT', '2026-07-01', '2027-01-08'],
  ])('of %s takes the day from Last-Modified %s', (state, last_modified, asOf, nextExpected) => {
    const source = record([{ name: 'current.txt', last_modified }], { imported_at: '2020-01-01T00:00:00.000Z' });
    expect(staleness(publisherOf(state), source, asOf)).toEqual({ asOf, nextExpected, ...current });
  });

  it.each([null, 'yesterday'])('takes the day of the import without a readable Last-Modified: %s', (last_modified) => {
    const source = record([{ name: 'taxrates.txt', last_modified }], { imported_at: '2026-10-05T23:00:00.000Z' });
    const days = { asOf: '2026-10-05', nextExpected: '2027-01-08' };
    expect(staleness(publisherOf('TX'), source, '2026-10-06')).toEqual({ ...days, ...current });
  });

  it.each([
    ['2026Q4FEB30', 'a day that the calendar does not have'],
    ['-latest', 'no day'],
  ])('does not take %s from a name: %s', (text) => {
    const source = { ...minnesota(text), imported_at: '2026-10-05T23:00:00.000Z' };
    expect(staleness(publisherOf('MN'), source, '2026-10-06').asOf).toBe('2026-10-05');
  });
});

describe('failing updates', () => {
  const failing = { ...minnesota('2026Q4AUG18'), failure: { since: '2026-10-20T23:59:00.000Z' } };

  it('are no reason for six days, and one from the seventh', () => {
    expect(staleness(publisherOf('MN'), failing, '2026-10-26')).toMatchObject(current);
    expect(staleness(publisherOf('MN'), failing, '2026-10-27')).toEqual({
      asOf: '2026-08-18',
      nextExpected: '2027-01-08',
      isStale: true,
      reason: 'Updates have failed since 2026-10-20.',
    });
  });

  it('count over the end of a leap February', () => {
    const source = record([], { failure: { since: '2028-02-23T00:00:00.000Z' } });
    expect(staleness(publisherOf('TX'), source, '2028-02-29').isStale).toBe(false);
    expect(staleness(publisherOf('TX'), source, '2028-03-01')).toMatchObject({ asOf: null, isStale: true });
  });

  it('are named beside an old file', () => {
    expect(staleness(publisherOf('MN'), failing, '2027-01-09').reason).toBe(
      'The newest file is of 2026-08-18; the next one was due by 2027-01-08. Updates have failed since 2026-10-20.',
    );
  });
});

it.each(['MN', 'FL'])('A state that was never updated from its publisher is not stale: %s', (state) => {
  const nothing = { asOf: null, nextExpected: null, ...current };
  expect(staleness(publisherOf(state), null, '2026-11-23')).toEqual(nothing);
  expect(staleness(publisherOf(state), record([]), '2026-11-23')).toEqual(nothing);
});
