/** `ledger events`: rebuild the events of an account from its ledger, to publish them again. */
import { toBatches } from '../../base/collections.ts';
import { eventOfReminder, eventsOfEntry, eventsOfFiling } from '../../events/announce.ts';
import { busBatchMax, eventSource } from '../../events/bus.ts';
import type { LedgerEvent } from '../../events/event.ts';
import { allFilings } from '../../store/filings/entry-places.ts';
import { storedReminders } from '../../store/filings/reminder-store.ts';
import { auditItems, transactionIds } from '../../store/ledger/ledger-walk.ts';
import { parseInstant, requireAccount } from '../terminal/arguments.ts';
import { counted, print } from '../terminal/output.ts';
import { account, CommandError, required, subcommand } from '../terminal/run-command.ts';

const atOnce = 25;

type Walk = {
  readonly account: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Called for each record that cannot be read. */
  readonly onFault: (what: string) => void;
};

const eventsWithin = (walk: Walk, what: string, read: () => readonly LedgerEvent[]): readonly LedgerEvent[] => {
  const { fromMs, toMs, onFault } = walk;
  try {
    return read().filter(({ occurred_at }) => Date.parse(occurred_at) >= fromMs && Date.parse(occurred_at) <= toMs);
  } catch (error) {
    onFault(`${what} cannot be read: ${error instanceof Error ? error.name : 'Error'}.`);
    return [];
  }
};

const ofTransaction = async (walk: Walk, id: string): Promise<readonly LedgerEvent[]> => {
  const events: LedgerEvent[] = [];
  for await (const items of auditItems(walk.account, id))
    for (const item of items)
      events.push(...eventsWithin(walk, `Version ${item['version']} of ${id}`, () => eventsOfEntry(item)));
  return events;
};

/** Yields the events of an account between two times, inclusive: transactions, oldest first, then filings and reminders. */
export const storedEvents = async function* (walk: Walk): AsyncGenerator<LedgerEvent> {
  for await (const ids of transactionIds(walk.account, atOnce))
    for (const events of await Promise.all(ids.map((id) => ofTransaction(walk, id)))) yield* events;
  for (const filing of await allFilings(walk.account))
    yield* eventsWithin(walk, `The filing ${filing.id}`, () => eventsOfFiling(filing));
  for await (const reminder of storedReminders(walk.account))
    yield* eventsWithin(walk, `The reminder of ${reminder.state} ${reminder.period_end}`, () => [
      eventOfReminder(reminder),
    ]);
};

/** Each line is valid input for `aws events put-events --entries`. */
const printLine = (EventBusName: string, events: readonly LedgerEvent[]): void =>
  print(
    JSON.stringify(
      events.map((event) => ({
        EventBusName,
        Source: eventSource,
        DetailType: event.event_type,
        Detail: JSON.stringify(event),
      })),
    ),
  );

export const events = subcommand({
  name: 'events',
  summary: 'print the events of an account to publish them again',
  description:
    'Print the events of an account between two timestamps, with their original ids. Each line has up to ten events in the format of `aws events put-events --entries`. Publishes nothing.',
  options: {
    account,
    from: required('<timestamp>', 'start of the period, inclusive, such as 2026-11-21T08:00:00Z', parseInstant),
    to: required('<timestamp>', 'end of the period, inclusive', parseInstant),
    bus: required('<name>', "the stack's output EventBus"),
  },
  examples: [
    '--silent ledger -- events --account acct_demo --from 2026-11-21T08:00:00Z --to 2026-11-21T12:00:00Z --bus Levy > missed.ndjson',
  ],
  run: async ({ account, from: fromMs, to: toMs, bus }) => {
    if (fromMs > toMs) throw new CommandError('--from is later than --to. Swap them.');
    await requireAccount(account);
    const onFault = (what: string) => {
      process.stderr.write(`${what}\n`);
      process.exitCode = 1;
    };
    let count = 0;
    const walk = { account, fromMs, toMs, onFault };
    for await (const some of toBatches(storedEvents(walk), busBatchMax)) {
      count += some.length;
      printLine(bus, some);
    }
    process.stderr.write(`${counted(count, 'event')}.\n`);
  },
});
