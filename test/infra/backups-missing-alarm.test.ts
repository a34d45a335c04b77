/** BackupsMissing fires for a day without its backups and for no other, however long the backups take. */
import { describe, expect, it } from 'vitest';
import { seeded } from '../support/seeded.ts';
import { firesAt, isBreached } from './alarm-math.ts';
import { synthesize } from './synthesized.ts';

const { propertiesOf, at } = synthesize({ backups: 'daily' });
const alarm = at('BackupsMissingAlarm');
const rules = propertiesOf('AWS::Backup::BackupPlan').flatMap(({ BackupPlan }) => BackupPlan.BackupPlanRule);
const tables = propertiesOf('AWS::Backup::BackupSelection').flatMap((of) => of.BackupSelection.Resources).length;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const first = Date.UTC(2026, 0, 1);
const days = 120;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** When the backup of a day is scheduled: of overlapping start windows, AWS takes the one with the longer retention. */
const scheduledOn = (day: number): number => {
  const due = rules.flatMap(({ ScheduleExpression, Lifecycle }) => {
    const [, minute, hour, of] = /^cron\((\d+) (\d+) (\*|\d+) \* \? \*\)$/.exec(ScheduleExpression) ?? [];
    const isDue = of === '*' || Number(of) === new Date(day).getUTCDate();
    return isDue ? [{ at: (Number(hour) * 60 + Number(minute)) * minuteMs, kept: Lifecycle.DeleteAfterDays }] : [];
  });
  return day + (due.sort((a, b) => b.kept - a.kept)[0]?.at as number);
};

/** The ends of all backups: started within AWS's start window of eight hours, and done within three. */
const backupsOf = (isTaken: (date: string, table: number) => boolean): number[] => {
  const random = seeded(20_260_101);
  const minutesBelow = (limit: number) => Math.floor(random() * limit) * minuteMs;
  return Array.from({ length: days }, (_, at) => first + at * dayMs).flatMap((day) =>
    Array.from({ length: tables }, () => scheduledOn(day) + minutesBelow(8 * 60) + minutesBelow(3 * 60)).filter(
      (_end, table) => isTaken(dateOf(day), table),
    ),
  );
};

/** The number of hours in which the alarm fires, by date, from the third day on. */
const firing = (ends: readonly number[]): Record<string, number> => {
  const hours: Record<string, number> = {};
  for (let now = first + 2 * dayMs; now < first + days * dayMs; now += 60 * minuteMs) {
    const valuesIn = (from: number, to: number): Record<string, number> => {
      const backups = ends.filter((end) => end >= from && end < to).length;
      return backups > 0 ? { backups } : {};
    };
    if (firesAt(alarm, now, valuesIn)) hours[dateOf(now)] = (hours[dateOf(now)] ?? 0) + 1;
  }
  return hours;
};

describe('BackupsMissing', () => {
  it('fires below one backup of each table, and without data', () => {
    expect(tables).toBeGreaterThan(1);
    const values = [{ backups: tables }, { backups: tables - 1 }, {}];
    expect(values.map((value) => isBreached(alarm, value))).toEqual([false, true, true]);
  });

  it('does not fire for months in which every day has its backups', () => {
    expect(firing(backupsOf(() => true))).toEqual({});
  });

  it.each([
    ['one table on one day', (date: string, table: number) => date === '2026-02-10' && table === 1, ['2026-02-11']],
    ['all on the first of a month', (date: string) => date === '2026-03-01', ['2026-03-02']],
    ['all on two days', (date: string) => ['2026-02-10', '2026-02-11'].includes(date), ['2026-02-11', '2026-02-12']],
  ])('fires for the whole day after one that lacks %s, and no longer', (_what, isLacking, dates) => {
    const expected = Object.fromEntries(dates.map((date) => [date, 24]));
    expect(firing(backupsOf((date, table) => !isLacking(date, table)))).toEqual(expected);
  });
});
