/** CopiesMissing rings for a day without its copies and for no other, however long the copies take. */
import { describe, expect, it } from 'vitest';
import { isBreached, ringsAt } from './alarm-math.ts';
import { synthesize } from './synthesized.ts';

const { ofType } = synthesize();
const alarm: any = ofType('AWS::CloudWatch::Alarm').find(([id]) => id === 'CopiesMissingAlarm')?.[1].Properties;
const rules: any[] = ofType('AWS::Backup::BackupPlan')[0]?.[1].Properties['BackupPlan'].BackupPlanRule;
const tables: number = ofType('AWS::Backup::BackupSelection')[0]?.[1].Properties['BackupSelection'].Resources.length;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const first = Date.UTC(2026, 0, 1);
const days = 120;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** When the rule begins that AWS takes a copy for: where start windows overlap, the one that keeps it for longer. */
const scheduledOn = (day: number): number => {
  const due = rules.flatMap(({ ScheduleExpression, Lifecycle }) => {
    const [, minute, hour, of] = /^cron\((\d+) (\d+) (\*|\d+) \* \? \*\)$/.exec(ScheduleExpression) ?? [];
    const isDue = of === '*' || Number(of) === new Date(day).getUTCDate();
    return isDue ? [{ at: (Number(hour) * 60 + Number(minute)) * minuteMs, kept: Lifecycle.DeleteAfterDays }] : [];
  });
  return day + (due.sort((a, b) => b.kept - a.kept)[0]?.at as number);
};

/** The ends of all copies: begun somewhere in a start window of eight hours, AWS' own, and done within three. */
const copiesOf = (isTaken: (date: string, table: number) => boolean): number[] => {
  let drawn = 20_260_101;
  const minutesBelow = (limit: number) => {
    drawn = (drawn * 16_807) % 2_147_483_647;
    return (drawn % limit) * minuteMs;
  };
  const all = Array.from({ length: days }, (_, at) => first + at * dayMs).flatMap((day) =>
    Array.from({ length: tables }, (_, table) => ({
      end: scheduledOn(day) + minutesBelow(8 * 60) + minutesBelow(3 * 60),
      isTaken: isTaken(dateOf(day), table),
    })),
  );
  return all.filter((copy) => copy.isTaken).map(({ end }) => end);
};

/** How often it rings on each date, looked at every hour from the third day on. */
const ringing = (ends: readonly number[]): Record<string, number> => {
  const hours: Record<string, number> = {};
  for (let now = first + 2 * dayMs; now < first + days * dayMs; now += 60 * minuteMs) {
    const valuesIn = (from: number, to: number): Record<string, number> => {
      const copies = ends.filter((end) => end >= from && end < to).length;
      return copies > 0 ? { copies } : {};
    };
    if (ringsAt(alarm, now, valuesIn)) hours[dateOf(now)] = (hours[dateOf(now)] ?? 0) + 1;
  }
  return hours;
};

describe('the alarm of missing copies', () => {
  it('rings below one copy of each table that is copied, and when none is heard of', () => {
    expect(tables).toBeGreaterThan(1);
    const values = [{ copies: tables }, { copies: tables - 1 }, {}];
    expect(values.map((value) => isBreached(alarm, value))).toEqual([false, true, true]);
  });

  it('stays silent for months in which every day has its copies, sooner or later, also each first of a month', () => {
    expect(ringing(copiesOf(() => true))).toEqual({});
  });

  it.each([
    ['one table on one day', (date: string, table: number) => date === '2026-02-10' && table === 1, ['2026-02-11']],
    ['all on the first of a month', (date: string) => date === '2026-03-01', ['2026-03-02']],
    ['all on two days', (date: string) => ['2026-02-10', '2026-02-11'].includes(date), ['2026-02-11', '2026-02-12']],
  ])('rings for the whole day after one that lacks %s, and no longer', (_what, isLacking, rung) => {
    const expected = Object.fromEntries(rung.map((date) => [date, 24]));
    expect(ringing(copiesOf((date, table) => !isLacking(date, table)))).toEqual(expected);
  });
});
