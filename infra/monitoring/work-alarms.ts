import { type ScheduleName, schedules } from '../../functions/endpoints.ts';
import { pascalCase } from '../pascal-case.ts';
import { type AlarmDefinition, above, silent, type Watched } from './alarm.ts';

/** Of the schedules: that they run, and get on. */
export const forSchedules = ({ metrics }: Watched): AlarmDefinition[] => [
  ...(Object.keys(schedules) as ScheduleName[]).map((name) => ({
    id: `${pascalCase(name)}Silent`,
    runbook: 'ScheduleSilent',
    says: `No run of ${name} has ended for 20 minutes; there is one every five.`,
    metric: metrics.ofSchedule(name, 'Complete', 'SampleCount'),
    threshold: 1,
    evaluationPeriods: 4,
    ...silent,
  })),
  {
    id: 'FilingsStuck',
    runbook: 'FilingsStuck',
    says: 'Every run of close-periods for half an hour has failed at some filing or account.',
    metric: metrics.ofSchedule('close-periods', 'Failed', 'Minimum'),
    threshold: 1,
    evaluationPeriods: 6,
    ...above,
  },
];

/** The alarms on the publication of events. */
export const forEvents = ({ metrics, events }: Watched): AlarmDefinition[] =>
  events === null
    ? []
    : [
        {
          id: 'EventsUntold',
          runbook: 'EventsUntold',
          says: 'Changes of the ledger could not be told, and wait in the queue UntoldEvents.',
          metric: metrics.waiting(events.untold),
          threshold: 1,
          evaluationPeriods: 1,
          ...above,
        },
        {
          id: 'EventsFailing',
          runbook: 'EventsHeldUp',
          says: 'The pipe that tells of changes has failed again and again for half an hour.',
          metric: metrics.ofPipe(events.pipe, 'ExecutionFailed'),
          threshold: 1,
          evaluationPeriods: 6,
          ...above,
        },
        {
          id: 'EventsStopped',
          runbook: 'EventsHeldUp',
          says: 'Transactions have been made for two hours, and the pipe that tells of them has not been called.',
          metric: metrics.untoldHour(events.pipe),
          threshold: 1,
          evaluationPeriods: 2,
          ...above,
        },
      ];

/** Of the backups: that there are any. */
export const forBackups = ({ metrics, copies }: Watched): AlarmDefinition[] =>
  copies === null
    ? []
    : [
        {
          id: 'CopiesMissing',
          runbook: 'CopiesMissing',
          says: 'In the last whole day (UTC), AWS Backup has not copied every table that is to be kept.',
          metric: metrics.copiesOfDay(copies.vault),
          threshold: copies.daily,
          evaluationPeriods: 1,
          // A copy is ready sooner on one day than on the next, so that any other 24 hours may have one too few.
          evaluationWindow: { wallClockWindow: {} },
          ...silent,
        },
      ];
