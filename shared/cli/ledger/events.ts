/** `ledger events`: what the bus was told of an account, or should have been, made of what the ledger holds. */
import type { Command } from 'commander';
import { busBatchMax, eventSource, type LedgerEvent } from '../../events/event.ts';
import { eventsOfEntry, eventsOfFiling } from '../../events/stored-events.ts';
import { findAccount } from '../../store/accounts/account-store.ts';
import { auditItems, transactionIds } from '../../store/ledger/ledger-walk.ts';
import { instantMs } from '../terminal/arguments.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted, print } from '../terminal/output.ts';
import { filingBook } from './filing-book.ts';

/** How many transactions are read at once. */
const atOnce = 25;

type Walk = {
  readonly account: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Called for each record that gives no event, because of a bug or an altered item. */
  readonly onFault: (what: string) => void;
};

const within = ({ fromMs, toMs }: Walk, events: readonly LedgerEvent[]): readonly LedgerEvent[] =>
  events.filter(({ occurred_at }) => Date.parse(occurred_at) >= fromMs && Date.parse(occurred_at) <= toMs);

const toldOf = (walk: Walk, what: string, tell: () => readonly LedgerEvent[]): readonly LedgerEvent[] => {
  try {
    return within(walk, tell());
  } catch (error) {
    walk.onFault(`${what} cannot be told: ${error instanceof Error ? error.name : 'Error'}.`);
    return [];
  }
};

const ofTransaction = async (walk: Walk, id: string): Promise<readonly LedgerEvent[]> => {
  const events: LedgerEvent[] = [];
  for await (const items of auditItems(walk.account, id))
    for (const item of items)
      events.push(...toldOf(walk, `Version ${item['version']} of ${id}`, () => eventsOfEntry(item)));
  return events;
};

/** The events of an account between two instants, both included: transactions from the oldest on, then filings. */
export const storedEvents = async function* (walk: Walk): AsyncGenerator<LedgerEvent> {
  for await (const ids of transactionIds(walk.account, atOnce))
    for (const events of await Promise.all(ids.map((id) => ofTransaction(walk, id)))) yield* events;
  for (const filing of (await filingBook(walk.account)).all())
    yield* toldOf(walk, `The filing ${filing.id}`, () => eventsOfFiling(filing));
};

const instantOf = (option: string, text: string): number => {
  const ms = instantMs(text);
  if (ms !== null) return ms;
  throw new CommandError(`${option} cannot be "${text}". Send an instant such as 2026-11-21T08:00:00Z.`);
};

/** A line is what `aws events put-events --entries` takes. */
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

const printAll = async (bus: string, walk: Walk): Promise<void> => {
  let [waiting, count]: [LedgerEvent[], number] = [[], 0];
  for await (const event of storedEvents(walk)) {
    count += 1;
    waiting.push(event);
    if (waiting.length < busBatchMax) continue;
    printLine(bus, waiting);
    waiting = [];
  }
  if (waiting.length > 0) printLine(bus, waiting);
  process.stderr.write(`${counted(count, 'event')}.\n`);
};

type Options = { readonly account: string; readonly from: string; readonly to: string; readonly bus: string };

export const addEvents = (program: Command): void => {
  program
    .command('events')
    .summary('what should have been told on the bus, to send it again')
    .description(
      'Print the events of an account between two instants as they were told, or should have been, with the ids that they had: each line is ten of them, as `aws events put-events --entries` takes them. It sends nothing.',
    )
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .requiredOption('--from <instant>', 'by when it happened, such as 2026-11-21T08:00:00Z')
    .requiredOption('--to <instant>', 'the last one that counts')
    .requiredOption('--bus <name>', "the stack's output EventBus")
    .addHelpText(
      'after',
      '\nExample:\n  npm run --silent ledger -- events --account acct_demo --from 2026-11-21T08:00:00Z --to 2026-11-21T12:00:00Z --bus Levy > untold.ndjson',
    )
    .action(async ({ account, from, to, bus }: Options) => {
      const [fromMs, toMs] = [instantOf('--from', from), instantOf('--to', to)];
      if (fromMs > toMs) throw new CommandError('--from is later than --to. Send them the other way round.');
      if (!(await findAccount(account)))
        throw new CommandError(`There is no account ${account}. Send the id, such as acct_demo.`);
      const onFault = (what: string) => {
        process.stderr.write(`${what}\n`);
        process.exitCode = 1;
      };
      await printAll(bus, { account, fromMs, toMs, onFault });
    });
};
