import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frequency, frequencies, newAccount, type Registration } from '../../shared/accounts/account.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import {
  adjacentPeriodEnds,
  firstPeriod,
  followingPeriod,
  nextPeriod,
  type Period,
  periodAfter,
  periodAround,
  registeredUntil,
  registrationsIn,
} from '../../shared/filings/periods.ts';
import cases from '../fixtures/filing-periods.json' with { type: 'json' };
import { readCases, statePeriods } from '../support/facts.ts';
import { daysAfter, getLastDay, getMonth, Registered } from '../support/local-days.ts';

// The expected periods come from test/support/local-days.ts, which calculates with whole months.

const dayMs = 86_400_000;
const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Returns the expected period after a period that ended. */
const expectedAfter = (end: string, registrations: readonly Registration[]): Period => {
  const start = daysAfter(end, 1);
  const { last, frequency } = new Registered(registrations, 'US-MI').getPeriod(getMonth(start));
  return { start, end: getLastDay(last), frequency };
};

const registration = (from: string, to: string | null, frequency: Frequency): Registration => ({
  state: 'MI',
  from,
  to,
  frequency,
});

const days = fc.integer({ min: Date.parse('2023-01-01') / dayMs, max: Date.parse('2029-12-31') / dayMs });
const arbitraryRegistrations = fc
  .array(
    fc.record({
      from: days,
      length: fc.option(fc.integer({ min: 0, max: 900 })),
      frequency: fc.constantFrom(...frequencies),
    }),
    {
      maxLength: 4,
    },
  )
  .map((all) =>
    registrationsIn(
      'US-MI',
      all.map(({ from, length, frequency }) =>
        registration(toDay(from * dayMs), length === null ? null : toDay((from + length) * dayMs), frequency),
      ),
    ),
  );

type Change = Readonly<Record<'to' | 'begins', string>> &
  Readonly<Record<'from' | 'becomes', Frequency>> & { readonly periods: readonly string[]; readonly because: string };
type NextPeriod = { readonly end: string | null; readonly because: string } & Readonly<
  Partial<Record<'oldest' | 'last' | 'from', string>>
>;

describe('periods', () => {
  it('lists contiguous periods for every change of frequency', () => {
    fc.assert(
      fc.property(arbitraryRegistrations, fc.integer({ min: 0, max: 83 }), (registrations, months) => {
        let end = toDay(Date.UTC(2023, months, 0));
        for (let count = 0; count < 30; count++) {
          const period = periodAfter(end, registrations);
          expect(period).toEqual(expectedAfter(end, registrations));
          end = period.end;
        }
      }),
      { numRuns: 50 },
    );
  });

  const changes = readCases<Change>(cases.changes, {
    required: ['from', 'to', 'becomes', 'begins', 'periods', 'because'],
  });
  it.each(changes)(
    'lists the periods $periods for a change from $from to $becomes on $begins, because $because',
    ({ from, to, becomes, begins, periods }) => {
      const registrations = [registration('2025-01-01', to, from), registration(begins, null, becomes)];
      const first = periodAfter('2025-12-31', registrations);
      const both = [first, periodAfter(first.end, registrations)];
      expect(both.map(({ start, end }) => `${start} ${end}`)).toEqual(periods);
      // Every day of a period has the same period, unless a filing divides it.
      for (const period of both)
        for (const day of [period.start, period.end]) expect(periodAround(day, registrations)).toEqual(period);
    },
  );
});

it.each(statePeriods)(
  'finds the period $start to $end for $day in the calendar of $state by $frequency',
  ({ state, day, start, end, ...row }) => {
    const frequency = row.frequency as Frequency;
    const registered = (from: string, to: string | null): Registration => ({ state, from, to, frequency });
    expect(periodAround(day, [registered('2020-01-01', null)])).toEqual({ start, end, frequency });
    expect(periodAfter(daysAfter(start, -1), [registered('2020-01-01', null)]).end).toBe(end);
    // A registration that begins in the middle shortens the period.
    const middle = `${day.slice(0, 8)}01`;
    expect(periodAround(day, [registered(middle, null)])).toEqual({ start: middle, end, frequency });
  },
);

describe('the period ends around a day', () => {
  it('matches the periods after a known period, at any distance', () => {
    fc.assert(
      fc.property(arbitraryRegistrations, days, (registrations, at) => {
        const day = toDay(at * dayMs);
        const from = expectedAfter('2022-12-31', registrations);
        let period = from;
        while (period.end < day) period = expectedAfter(period.end, registrations);
        expect(adjacentPeriodEnds(day, from, registrations)).toEqual({
          before: daysAfter(period.start, -1),
          after: period.end,
        });
      }),
      { numRuns: 30 },
    );
  });

  it('returns calendar periods before a known period, or if no period is known', () => {
    const quarterly = [registration('2026-01-01', null, 'quarter')];
    const from = periodAfter('2026-06-30', quarterly);
    expect(adjacentPeriodEnds('2026-05-31', from, quarterly)).toEqual({ before: '2026-03-31', after: '2026-06-30' });
    expect(adjacentPeriodEnds('2026-06-30', null, quarterly)).toEqual({ before: '2026-03-31', after: '2026-06-30' });
    expect(adjacentPeriodEnds('2026-05-31', null, [])).toEqual({ before: '2026-04-30', after: '2026-05-31' });
  });
});

describe('the first period', () => {
  const createdDay = '2026-05-20';
  const first = (registrations: readonly Registration[], oldestOpenMonth: string | null) =>
    firstPeriod({ oldestOpenMonth, createdDay }, registrations);

  it('ignores a registration that ended before the account was created', () => {
    const ended = [registration('2020-01-01', '2026-05-19', 'month')];
    expect(first(ended, null)).toBeNull();
    expect(first(ended, '2026-04')).toMatchObject({ end: '2026-04-30' });
  });
});

describe('the next period', () => {
  const account = newAccount({
    name: 'Test',
    serviceVersion: currentVersion,
    createdMs: Date.parse('2026-05-20T10:00Z'),
  });
  const next = (
    oldest: string | null,
    last: string | null,
    books_open_from: string | null = null,
    registrations: readonly Registration[] | null = null,
  ) =>
    nextPeriod(
      {
        ...account,
        settings: { ...account.settings, books_open_from, registrations: registrations && [...registrations] },
      },
      'US-MI',
      last === null
        ? null
        : {
            account: account.id,
            state: 'US-MI',
            isBusy: false,
            isHeld: false,
            version: 1,
            last: { period_end: last, filing: 'fil_1' },
          },
      { oldestOpenMonths: async () => [null, oldest] },
    );

  const nextCases = readCases<NextPeriod>(cases.next, {
    required: ['end', 'because'],
    optional: ['oldest', 'last', 'from'],
  });
  it.each(nextCases)('returns $end, because $because', async ({ oldest = null, last = null, from = null, end }) => {
    expect((await next(oldest, last, from)).period?.end ?? null).toBe(end);
  });

  const between = readCases<NextPeriod>(cases.between, { required: ['last', 'end', 'because'], optional: ['oldest'] });
  it.each(between)('returns $end after $last, because $because', async ({ oldest = null, last = null, end }) => {
    const both = [
      registration('2025-01-01', '2026-02-10', 'month'),
      registration('2026-08-05', '2026-12-31', 'quarter'),
    ];
    expect((await next(oldest, last, null, both)).period?.end).toBe(end);
  });

  it('contains the day on which the account was created in its time zone', () => {
    const created = { ...account, created_at: '2026-10-01T00:30:00.000Z' };
    const end = (time_zone: string) => {
      const registrations = [registration('2026-01-01', null, 'month')];
      const settings = { ...account.settings, time_zone, registrations };
      return followingPeriod({ ...created, settings }, 'US-MI', null, null)?.end;
    };
    expect([end('UTC'), end('America/New_York')]).toEqual(['2026-10-31', '2026-09-30']);
  });
});

describe('registrations', () => {
  it('finds registrations by any spelling of the state, earliest first', () => {
    const all = ['us-mi', 'MI', 'Mi', 'OH'].map((state, at) => ({
      ...registration(`2026-0${4 - at}-01`, null, 'month'),
      state,
    }));
    expect(registrationsIn('US-MI', all).map(({ from }) => from)).toEqual(['2026-02-01', '2026-03-01', '2026-04-01']);
    expect(registrationsIn('US-MI', null)).toEqual([]);
  });

  it('ends when the last registration ends', () => {
    const until = (...ends: (string | null)[]) =>
      registeredUntil(ends.map((to) => registration('2020-01-01', to, 'month')));
    expect(until('2026-03-31', '2026-09-30', '2026-05-01')).toBe('2026-09-30');
    expect(until('2026-03-31', null)).toBeNull();
  });
});
