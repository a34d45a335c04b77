import { describe, expect, it } from 'vitest';
import calendar from '../../shared/catalog/filing-calendar.json' with { type: 'json' };
import { findFilingTerms } from '../../shared/filings/filing-calendar.ts';

const dueOf = (...args: Parameters<typeof findFilingTerms>) => findFilingTerms(...args).due_date;

describe('the due date of a return', () => {
  // Calculated by hand from the states' rules and a calendar.
  it.each([
    ['US-MI', 'month', '2026-10-31', '2026-11-20'],
    ['US-MI', 'month', '2026-11-30', '2026-12-21'], // 20 December is a Sunday
    ['US-CA', 'quarter', '2026-12-31', '2027-02-01'], // 31 January is a Sunday
    ['US-CO', 'month', '2026-12-31', '2027-01-20'],
    ['US-FL', 'month', '2026-01-31', '2026-02-20'],
    ['US-MA', 'month', '2026-01-31', '2026-03-02'], // 30 days after 31 January
    ['US-VT', 'month', '2026-01-31', '2026-02-23'],
    ['US-VT', 'month', '2026-02-28', '2026-03-25'],
    ['US-MO', 'month', '2026-08-31', '2026-09-21'], // 20 September is a Sunday
    ['US-MO', 'month', '2026-09-30', '2026-11-02'], // the last day of October, a Saturday
    ['US-CA', 'month', '2027-04-30', '2027-06-01'], // Memorial Day
    ['US-TX', 'month', '2025-12-31', '2026-01-20'], // the day after Martin Luther King Jr. Day
    ['US-WA', 'year', '2026-12-31', '2027-04-15'],
    ['US-MI', 'month', '2027-05-31', '2027-06-21'], // a Sunday
    ['US-NY', 'quarter', '2026-11-30', '2026-12-21'], // 20 December is a Sunday
    ['US-NY', 'quarter', '2026-02-28', '2026-03-20'],
    ['US-NY', 'quarter', '2026-05-31', '2026-06-22'], // a Saturday
    ['US-NY', 'year', '2027-02-28', '2027-03-22'], // a Saturday
    ['US-NY', 'month', '2026-03-31', '2026-04-20'],
    ['US-DC', 'year', '2026-09-30', '2026-10-20'],
    ['US-CA', 'fiscal_year', '2027-06-30', '2027-08-02'], // 31 July is a Saturday
    ['US-PA', 'half_year', '2026-06-30', '2026-08-20'],
    ['US-PA', 'half_year', '2026-12-31', '2027-02-22'], // a Saturday
    ['US-OH', 'half_year', '2026-12-31', '2027-01-25'], // a Saturday
    ['US-ME', 'half_year', '2026-06-30', '2026-07-15'],
    ['US-ME', 'month', '2024-03-31', '2024-04-16'], // Patriots' Day
    ['US-WV', 'month', '2025-05-31', '2025-06-23'], // West Virginia Day, a Friday
    ['US-NV', 'month', '2025-09-30', '2025-11-03'], // Nevada Day, a Friday
    ['US-AK', 'month', '2025-02-28', '2025-04-01'], // Seward's Day, a Monday
    ['US-HI', 'month', '2027-07-31', '2027-08-23'], // Statehood Day, a Friday
    ['US-WA', 'month', '2022-10-31', '2022-11-28'], // the day after Thanksgiving
    // As published by the Texas Comptroller for 2022, 2025 and 2026.
    ['US-TX', 'month', '2022-01-31', '2022-02-22'], // a Sunday before Washington's Birthday
    ['US-TX', 'month', '2022-05-31', '2022-06-21'], // Juneteenth, observed on a Monday
    ['US-TX', 'quarter', '2024-12-31', '2025-01-21'], // Martin Luther King Jr. Day
    ['US-TX', 'month', '2025-08-31', '2025-09-22'], // a Saturday
    ['US-TX', 'month', '2026-05-31', '2026-06-22'], // a Saturday
    // As published by the Washington Department of Revenue for 2020 and 2022.
    ['US-WA', 'month', '2020-03-31', '2020-04-27'], // a Saturday
    ['US-WA', 'month', '2020-04-30', '2020-05-26'], // Memorial Day
    ['US-WA', 'month', '2020-11-30', '2020-12-28'], // Christmas, a Friday
    ['US-WA', 'month', '2022-11-30', '2022-12-27'], // Christmas, a Sunday
    ['US-WA', 'quarter', '2020-09-30', '2020-11-02'], // a Saturday
    ['US-WA', 'quarter', '2020-12-31', '2021-02-01'], // a Sunday
    ['US-WA', 'year', '2020-12-31', '2021-04-15'],
    // As published by the Arizona Department of Revenue for 2023 to 2025.
    ['US-AZ', 'month', '2023-07-31', '2023-08-21'], // a Sunday
    ['US-AZ', 'month', '2024-03-31', '2024-04-22'], // a Saturday
    ['US-AZ', 'quarter', '2024-09-30', '2024-10-21'], // a Sunday
    ['US-AZ', 'year', '2024-12-31', '2025-01-21'], // Martin Luther King Jr. Day
    ['US-AZ', 'quarter', '2025-03-31', '2025-04-21'], // a Sunday
    // As published by Ohio's Department of Taxation, and by an accountant for 2017.
    ['US-OH', 'month', '2021-04-30', '2021-05-24'], // a Sunday
    ['US-OH', 'month', '2017-11-30', '2017-12-26'], // a Saturday before Christmas
    // As published by the tax departments of North Dakota and Minnesota for 2026.
    ['US-ND', 'month', '2026-01-31', '2026-03-02'], // a Saturday
    ['US-MN', 'quarter', '2025-12-31', '2026-01-20'],
    ['US-PA', 'month', '2026-08-31', '2026-09-21'], // a Sunday
    ['US-CA', 'quarter', '2026-09-30', '2026-11-02'], // a Saturday
    ['US-MA', 'month', '2024-01-31', '2024-03-01'], // 30 days after 31 January, in a leap year
    // Calculated by hand.
    ['US-KS', 'month', '2026-11-30', '2026-12-28'], // Christmas, a Friday
    ['US-NM', 'month', '2027-03-31', '2027-04-26'], // a Sunday
    ['US-ME', 'month', '2026-10-31', '2026-11-16'], // a Sunday
    ['US-NC', 'quarter', '2026-09-30', '2026-11-02'], // a Saturday
    ['US-RI', 'quarter', '2027-03-31', '2027-04-30'],
    ['US-CT', 'month', '2026-04-30', '2026-06-01'], // a Sunday
    ['US-WI', 'month', '2026-12-31', '2027-02-01'], // a Sunday
    ['US-IA', 'month', '2027-01-31', '2027-03-01'], // a Sunday
    ['US-UT', 'quarter', '2027-06-30', '2027-08-02'], // a Saturday
    ['US-NJ', 'quarter', '2025-06-30', '2025-07-21'], // a Sunday
    ['US-AL', 'half_year', '2025-06-30', '2025-07-21'], // a Sunday
    ['US-MI', 'year', '2025-12-31', '2026-03-02'], // a Saturday
    ['US-WV', 'year', '2026-12-31', '2027-02-01'], // a Saturday
    ['US-MN', 'year', '2026-12-31', '2027-02-05'],
    ['US-NM', 'half_year', '2026-12-31', '2027-01-25'],
    ['US-IN', 'month', '2026-10-31', null],
    ['US-OR', 'month', '2026-10-31', null],
  ] as const)('in %s by %s to %s: %s', (state, frequency, periodEnd, expected) => {
    expect(dueOf(state, frequency, periodEnd)).toBe(expected);
  });

  it('is a business day within 150 days after the period, in every state with a return', () => {
    for (const state of Object.keys(calendar))
      for (const end of ['2026-03-31', '2026-12-31', '2027-02-28', '2028-02-29']) {
        const due = dueOf(`US-${state}`, 'month', end);
        if (due === null) continue;
        const days = (Date.parse(due) - Date.parse(end)) / 86_400_000;
        expect([state, end, due, days > 0 && days < 150]).toEqual([state, end, due, true]);
        expect([0, 6]).not.toContain(new Date(due).getUTCDay());
      }
  });
});

it('returns the discount, the zero-return requirement and the source of a state', () => {
  expect(findFilingTerms('US-FL', 'month', '2026-10-31')).toMatchObject({
    vendor_discount: expect.stringContaining('2.5%'),
    terms: { zero_return_required: true, source: expect.stringContaining('http') },
  });
  expect(findFilingTerms('US-OR', 'month', '2026-10-31').terms).toBeNull();
});

it('shows amounts in dollars, and omits research notes', () => {
  for (const state of Object.keys(calendar)) {
    const { vendor_discount, terms } = findFilingTerms(`US-${state}`, 'month', '2026-10-31');
    expect(vendor_discount).not.toMatch(/\b(cap|first|above|under) \d/);
    expect(JSON.stringify({ vendor_discount, terms })).not.toMatch(
      /memory|remembered|not read|not known to be law|_note/,
    );
  }
});
