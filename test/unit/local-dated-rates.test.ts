/** Which rate of an area answers on a tax day. */
import { expect, it } from 'vitest';
import { rateOfArea } from '../../shared/catalog/local/dated-rate.ts';
import type { Area, Period } from '../../shared/catalog/local/local-table.ts';

const days = { established: '2026-10-01', approximate: '2022-01-01' };

type Row = { readonly rate: string; readonly from?: string; readonly to?: string; readonly asOf?: string };

const periodOf = ({ rate, from = '', to = '', asOf = '2026-01-01' }: Row): Period => ({
  from: from || null,
  to: to || null,
  taxes: [{ code: 'US-XX-01-A', name: 'A', type: 'city', kind: null, rate }],
  units: 0n,
  evidence: { source: 'test', confidence: 'high' },
  published: { asOf, due: '2026-04-08', overdueMs: Date.parse('2026-04-09') },
});

const areaOf = (first: Row, ...others: readonly Row[]): Area => ({
  county: '001',
  place: 'A',
  aliases: [],
  names: ['A'],
  plainNames: ['A'],
  offset: 0,
  taxes: [],
  units: 0n,
  periods: [periodOf(first), ...others.map(periodOf)],
});

const rateOn = (area: Area, day: string) => {
  const found = rateOfArea(area, day, days);
  const { of, because } = found?.approximation ?? {};
  return found && [found.period.taxes?.[0]?.rate, ...(of && because ? [of, because] : [])];
};

const undated = areaOf({ rate: '1' });
const dated = areaOf({ rate: '1', from: '2024-04-01' });
const changed = areaOf({ rate: '1' }, { rate: '2', from: '2024-04-01' }, { rate: '3', from: '2027-01-01' });
const ended = areaOf({ rate: '1', from: '2019-01-01', to: '2026-12-31' });
const gap = areaOf({ rate: '1', from: '2022-01-01', to: '2022-06-30' }, { rate: '2', from: '2026-07-01' });

it.each([
  { area: undated, day: '2021-12-31', is: null, because: 'nothing is known' },
  { area: undated, day: '2022-01-01', is: ['1', '2026-10-01', 'undated'], because: 'the first day is not known' },
  { area: undated, day: '2026-09-30', is: ['1', '2026-10-01', 'undated'], because: 'the first day is not known' },
  { area: undated, day: '2026-10-01', is: ['1'], because: 'it is established' },
  { area: dated, day: '2021-12-31', is: null, because: 'nothing is known' },
  { area: dated, day: '2024-03-31', is: ['1', '2024-04-01', 'first'], because: 'no earlier one is on record' },
  { area: dated, day: '2024-04-01', is: ['1'], because: 'it is the first day' },
  { area: changed, day: '2022-01-01', is: ['1', '2024-03-31', 'undated'], because: 'the first day is not known' },
  { area: changed, day: '2024-03-31', is: ['1'], because: 'it is the last day before the change' },
  { area: changed, day: '2024-04-01', is: ['2'], because: 'it is the day of the change' },
  { area: changed, day: '2026-12-31', is: ['2'], because: 'the next one has not begun' },
  { area: changed, day: '2027-01-01', is: ['3'], because: 'the next one begins' },
  { area: ended, day: '2018-12-31', is: null, because: 'nothing is known' },
  { area: ended, day: '2026-12-31', is: ['1'], because: 'it is the last day' },
  { area: ended, day: '2027-01-01', is: ['1', '2026-12-31', 'ended'], because: 'what follows is not known' },
  { area: gap, day: '2022-06-30', is: ['1'], because: 'it is the last day of the first' },
  { area: gap, day: '2022-07-01', is: ['2', '2026-07-01', 'first'], because: 'the day of the change is not known' },
])('the rate on $day is $is: $because', ({ area, day, is }) => expect(rateOn(area, day)).toEqual(is));

it.each([
  { asOf: ['2025-07-01', '2026-01-01'], day: '2025-12-31', is: null, because: 'a newer source has the day of its end' },
  { asOf: ['2025-07-01', '2025-07-01'], day: '2025-12-31', is: '2025-07-01', because: 'no newer source has it' },
  { asOf: ['2025-07-01', '2026-01-01'], day: '2026-01-01', is: '2026-01-01', because: 'it is the newest' },
])('the source of the rate on $day is of $is: $because', ({ asOf: [first, second], day, is }) => {
  const area = areaOf({ rate: '1', asOf: first ?? '' }, { rate: '2', from: '2026-01-01', asOf: second ?? '' });
  expect(rateOfArea(area, day, days)?.published?.asOf ?? null).toBe(is);
});
