/** BackupsMissing fires after a day without its backups and on no other day, however long the backups take. */
import { describe, expect, it } from 'vitest';
import { seeded } from '../support/seeded.ts';
import { firesAt, isBreached } from './alarm-math.ts';
import { everySetting, synthesize } from './synthesized.ts';

/** The alarm, the rules and the number of tables with a setting of `backups`. */
const planned = (backups: 'daily' | 'monthly') => {
  const { propertiesOf, at } = synthesize(backups === 'daily' ? everySetting : {});
  return {
    alarm: at('BackupsMissingAlarm'),
    rules: propertiesOf('AWS::Backup::BackupPlan').flatMap(({ BackupPlan }) => BackupPlan.BackupPlanRule),
    tables: propertiesOf('AWS::Backup::BackupSelection').flatMap((of) => of.BackupSelection.Resources).length,
  };
};
type Planned = ReturnType<typeof planned>;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const first = Date.UTC(2026, 0, 1);
const days = 120;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/**
 * When the backup of a day is scheduled, or `null`: if start windows overlap, AWS takes the backup with the longer
 * retention.
 */
const scheduledOn = ({ rules }: Planned, day: number): number | null => {
  const due = rules.flatMap(({ ScheduleExpression, Lifecycle }) => {
    const [, minute, hour, of] = /^cron\((\d+) (\d+) (\*|\d+) \* \? \*\)$/.exec(ScheduleExpression) ?? [];
    const isDue = of === '*' || Number(of) === new Date(day).getUTCDate();
    return isDue ? [{ at: (Number(hour) * 60 + Number(minute)) * minuteMs, kept: Lifecycle.DeleteAfterDays }] : [];
  });
  const [first] = due.sort((a, b) => b.kept - a.kept);
  return first ? day + first.at : null;
};

/** The ends of all backups: started within AWS's start window of eight hours, and done within three. */
const backupsOf = (plan: Planned, isTaken: (date: string, table: number) => boolean): number[] => {
  const random = seeded(20_260_101);
  const minutesBelow = (limit: number) => Math.floor(random() * limit) * minuteMs;
  return Array.from({ length: days }, (_, at) => first + at * dayMs).flatMap((day) => {
    const start = scheduledOn(plan, day);
    if (start === null) return [];
    return Array.from({ length: plan.tables }, () => start + minutesBelow(8 * 60) + minutesBelow(3 * 60)).filter(
      (_end, table) => isTaken(dateOf(day), table),
    );
  });
};

/** The number of hours in which the alarm fires, by date, from the third day on. */
const firing = ({ alarm }: Planned, ends: readonly number[]): Record<string, number> => {
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

type Lacking = [what: string, isLacking: (date: string, table: number) => boolean, dates: string[]];
const oneTable = (date: string) => (on: string, table: number) => on === date && table === 1;
const allTables =
  (...dates: readonly string[]) =>
  (on: string) =>
    dates.includes(on);

const cases: [backups: 'daily' | 'monthly', lacking: Lacking[]][] = [
  [
    'daily',
    [
      ['one table on one day', oneTable('2026-02-10'), ['2026-02-11']],
      ['all on the first of a month', allTables('2026-03-01'), ['2026-03-02']],
      ['all on two days', allTables('2026-02-10', '2026-02-11'), ['2026-02-11', '2026-02-12']],
    ],
  ],
  [
    'monthly',
    [
      ['one table in one month', oneTable('2026-02-01'), ['2026-02-02']],
      ['all of a month', allTables('2026-03-01'), ['2026-03-02']],
      ['all of two months', allTables('2026-02-01', '2026-03-01'), ['2026-02-02', '2026-03-02']],
    ],
  ],
];

describe.each(cases)('BackupsMissing with backups=%s', (backups, lacking) => {
  const plan = planned(backups);
  const { alarm, tables } = plan;

  it('fires below one backup of each table on the first of a month, and without data', () => {
    expect(tables).toBe(3);
    const values = [{ backups: 3 }, { backups: 2 }, {}];
    expect(values.map((value) => isBreached(alarm, value, 1))).toEqual([false, true, true]);
  });

  it('needs a backup on other days only with backups=daily', () => {
    expect(isBreached(alarm, {}, 2)).toBe(backups === 'daily');
  });

  it('does not fire for months in which every backup was taken', () => {
    const ends = backupsOf(plan, () => true);
    expect(ends.length).toBe(3 * (backups === 'daily' ? 120 : 4));
    expect(firing(plan, ends)).toEqual({});
  });

  it.each(lacking)('fires for the whole day after one that lacks %s, and no longer', (_what, isLacking, dates) => {
    const expected = Object.fromEntries(dates.map((date) => [date, 24]));
    expect(
      firing(
        plan,
        backupsOf(plan, (date, table) => !isLacking(date, table)),
      ),
    ).toEqual(expected);
  });
});
