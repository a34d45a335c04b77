import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import * as z from 'zod/mini';
import { scheduled } from '../shared/api/define-schedule.ts';
import { toDay } from '../shared/base/calendar.ts';
import { now } from '../shared/config/clock.ts';
import { environment } from '../shared/config/environment.ts';
import { eventSource } from '../shared/events/bus.ts';
import type { ContentEvent } from '../shared/events/content-events.ts';
import type { Reporter } from '../shared/importers/releases/report.ts';
import { announceRelease, type StateUpdate, updateState } from '../shared/importers/releases/update-state.ts';
import { PublisherClient } from '../shared/importers/updates/publisher-client.ts';
import { type Importable, importable } from '../shared/importers/updates/publishers.ts';
import { staleness } from '../shared/importers/updates/staleness.ts';
import { requestLines } from '../shared/observability/tally.ts';
import { readContentSource } from '../shared/store/content/content-sources.ts';
import type { TableAccess } from '../shared/store/table-access.ts';

/**
 * The nightly runs (UTC): 1 to 5 a.m. in New York, and 10 p.m. to 2 a.m. in Los Angeles. Each run updates one state, which
 * its scheduled time selects.
 */
export const night = { firstHour: 6, hours: 4, minutes: 5 } as const;
export const runsOfNight = (night.hours * 60) / night.minutes;

/** Updates the tax content of one state. One schedule starts all runs (infra/schedules.ts). */
export const updateContent = {
  name: 'update-content',
  timeoutSeconds: 900,
  // Two downloads and the import fit within the timeout, so a slow publisher is reported as a failure of its state.
  fileSeconds: 240,
  // The memory size was measured in decision 0022.
  memoryMegabytes: 1024,
  storageMegabytes: 2048,
  access: {
    actions: {
      content: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    },
  } satisfies TableAccess,
} as const;

/** An operator passes the state; the schedule passes its scheduled time. */
const Event = z.union([z.object({ state: z.string() }), z.object({ scheduled_time: z.iso.datetime() })]);

/** Returns the state that a run of the schedule updates; `null` if there are more runs than states. */
export const stateAt = (scheduledTime: string): string | null => {
  const time = new Date(scheduledTime);
  const minutes = (time.getUTCHours() - night.firstHour) * 60 + time.getUTCMinutes();
  return importable[Math.floor(minutes / night.minutes)]?.state ?? null;
};

const getPublisher = (event: unknown): Importable | null => {
  const read = Event.parse(event);
  const state = 'state' in read ? read.state : stateAt(read.scheduled_time);
  if (state === null) return null;
  const publisher = importable.find((one) => one.state === state);
  if (!publisher) throw new Error(`Levy cannot import official files of ${state}.`);
  return publisher;
};

const log = (state: string, fields: object): void => {
  if (requestLines.areOn) console.info({ schedule: updateContent.name, state, ...fields });
};

const buildLog = (state: string): Reporter => ({
  print: (line) => log(state, { line }),
  withProgress: (_title, _total, _failed, run) =>
    run({ reach: () => {}, finish: (line) => log(state, { line }), fail: (line) => log(state, { line }) }),
});

/**
 * Runs the update in an empty folder: a run that timed out can leave files behind for the next run in the same
 * instance.
 */
const inFolder = async <Value>(run: (folder: string) => Promise<Value>): Promise<Value> => {
  const folder = join(tmpdir(), 'levy-update-content');
  const remove = () => rm(folder, { recursive: true, force: true });
  await remove();
  await mkdir(folder);
  return run(folder).finally(remove);
};

/** The metrics of a run. `waiting` means that a release of official files is not active yet. */
export const updateFigures = (update: StateUpdate, isStale: boolean) => ({
  waiting: update.outcome === 'imported' && !update.active,
  activated: update.outcome === 'imported' && update.active,
  failed: update.outcome === 'failed',
  stale: isStale,
});

/**
 * Publishes an event on the deployment's bus, because no stream contains changes of content. Throws if the bus rejects
 * it.
 */
const putEvent = async (EventBusName: string, event: ContentEvent): Promise<void> => {
  const client = new EventBridgeClient({ region: environment.region });
  const entry = { EventBusName, Source: eventSource, DetailType: event.event_type, Detail: JSON.stringify(event) };
  const { Entries: [result] = [] } = await client.send(new PutEventsCommand({ Entries: [entry] }));
  if (result?.EventId === undefined)
    throw new Error(`The bus ${EventBusName} did not accept ${event.event_id}: ${result?.ErrorCode ?? 'no response'}.`);
};

/**
 * Updates the content of one state from its publisher, as `npm run content -- update` does, and publishes the event.
 */
export const handler = scheduled(updateContent.name, async (_context, event) => {
  const publisher = getPublisher(event);
  if (publisher === null) return { waiting: false, activated: false, failed: false, stale: false };
  const { state } = publisher;
  const client = new PublisherClient({
    mirror: environment.contentMirror ?? null,
    isMirrorTrusted: environment.trustsMirror,
    limits: { fileMs: updateContent.fileSeconds * 1000 },
  });
  const options = {
    client,
    reporter: buildLog(state),
    overridden: new Set<string>(),
    activate: environment.activatesContent,
  };
  const { eventBus } = environment;
  const announce = async () => (eventBus ? announceRelease(publisher, (due) => putEvent(eventBus, due)) : null);
  // The record stores only one release, so a pending event is published before a new release replaces it.
  const late = await announce();
  const update = await inFolder((folder) => updateState(publisher, { ...options, folder }));
  const published = (await announce()) ?? late;
  const { reason } = staleness(publisher, await readContentSource(state), toDay(now()));
  log(state, { ...update, published, stale: reason });
  return updateFigures(update, reason !== null);
});
