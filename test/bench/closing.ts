import { ulid } from 'ulid';
import { type Account, newAccount } from '../../shared/accounts/account.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { environment } from '../../shared/config/environment.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import type { Closed, ClosePorts } from '../../shared/filings/ports.ts';
import type { LiabilityEntry } from '../../shared/ledger/entries/entry.ts';
import { dueItem } from '../../shared/store/filings/due-index.ts';
import { closePorts } from '../../shared/store/filings/filing-ports.ts';
import { accountKey, accountRegisterKey, openEntryKey } from '../../shared/store/keys.ts';
import { openEntryItem } from '../../shared/store/ledger/open-entry-item.ts';
import { type Figure, rounded } from './figure.ts';
import { countDatabaseUse, type Use } from './meter.ts';
import { putItems } from './put-items.ts';

const { accounts: Accounts, transactions: Transactions } = environment.tables;
// The limits of a run on AWS.
const runMs = 240_000;
const runsMax = 200;
const dayMs = 86_400_000;

const states = 'AL AZ AR CA CO CT FL GA ID IL IN IA KS KY LA ME MD MA MI MN MS MO NE NV'.split(' ');

const registered = (createdMs: number, inStates: readonly string[]): Account => {
  const registrations = inStates.map((state) => ({ state, from: '2020-01-01', to: null, frequency: 'month' as const }));
  // The last month is due on any day of this one.
  const settings = { registrations, review_days: 0 };
  return newAccount({ name: 'Bench', serviceVersion: currentVersion, createdMs, settings });
};

const putAccounts = async (accounts: readonly Account[]): Promise<void> => {
  const at = (index: number) => accounts[index] as Account;
  await putItems(Accounts, accounts.length, (index) => ({ ...accountKey(at(index).id), ...at(index) }));
  await putItems(Accounts, accounts.length, (index) => accountRegisterKey(at(index).id));
};

const putDueEntries = (accounts: readonly Account[], inStates: readonly string[], at: string): Promise<void> =>
  putItems(Transactions, accounts.length * inStates.length, (index) =>
    dueItem({
      account: accounts[Math.floor(index / inStates.length)]?.id ?? '',
      state: `US-${inStates[index % inStates.length]}`,
      at,
    }),
  );

const entryOf = (state: string, month: string): LiabilityEntry => {
  const base = { taxable: 1000n, exempt: 0n };
  const jurisdiction = { jurisdiction_code: state, jurisdiction_name: state, jurisdiction_type: 'state' as const };
  const amounts = [{ ...jurisdiction, reporting_code: null, ...base, rate: '0.06', tax: 60n }];
  const document = {
    type: 'sale',
    tax_day: `${month}-01`,
    reference_id: null,
    customer_id: null,
    postal_code: null,
  } as const;
  return {
    transactionId: `txn_${ulid()}`,
    state,
    month,
    currency: 'USD',
    version: 1,
    base: { ...base, tax: 0n },
    amounts,
    document,
  };
};

/** One run of the schedule, and its use of the database. */
const measuredRun = async (changes: Partial<ClosePorts> = {}) => {
  const endsMs = Date.now() + runMs;
  let closed: Closed | null = null;
  const used: Use = await countDatabaseUse(async () => {
    closed = await closePeriods({ ...closePorts(() => endsMs - Date.now()), ...changes });
  });
  return { calls: used.reads + used.writes, writeUnits: used.writeUnits, closed: closed as Closed | null };
};

/** Run the schedule until a run is complete, and return the database use of all runs. */
const runs = async () => {
  const total = { runs: 0, calls: 0, created: 0, writeUnits: 0 };
  for (let run = 1; run <= runsMax; run++) {
    const { calls, writeUnits, closed } = await measuredRun();
    if (!closed || closed.failed > 0) throw new Error('A run of the schedule failed.');
    total.runs = run;
    total.calls += calls;
    total.writeUnits += writeUnits;
    total.created += closed.created;
    // The last part of a sweep ends with a run that makes few calls.
    if (closed.complete && closed.created === 0 && calls <= idleCallsMax) return total;
  }
  throw new Error('The schedule does not finish.');
};

const idleCallsMax = 20;

/**
 * Database calls of the schedule that closes periods: of an idle run and of the daily sweep with so many accounts in 24
 * states each, and then of closing one period of as many other accounts.
 */
export const closingFigures = async (accounts: number): Promise<Figure[]> => {
  const now = new Date();
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
  const idle = Array.from({ length: accounts }, () => registered(now.getTime(), states));
  await putAccounts(idle);
  await putDueEntries(idle, states, nextMonth);
  const sweep = await runs();
  if (sweep.created > 0) throw new Error('A period was closed that is not due.');
  const { calls: idleCalls } = await measuredRun();
  // In the last month.
  const dueMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - 15 * dayMs;
  return [
    { figure: 'closing_idle_run', accounts, states: states.length, calls: idleCalls },
    {
      figure: 'closing_daily_sweep',
      accounts,
      states: states.length,
      runs: sweep.runs - 1,
      calls: sweep.calls - idleCalls,
    },
    await closing(accounts, dueMs),
  ];
};

/** Close the last month of `accounts` accounts with 0 to 3 entries. */
const closing = async (accounts: number, createdMs: number): Promise<Figure> => {
  const state = 'MI';
  const due = Array.from({ length: accounts }, () => registered(createdMs, [state]));
  const month = new Date(createdMs).toISOString().slice(0, 7);
  const entries = due.flatMap(({ id }, index) =>
    Array.from({ length: index % 4 }, () => ({ account: id, entry: entryOf(`US-${state}`, month) })),
  );
  await putAccounts(due);
  await putItems(Transactions, entries.length, (index) => {
    const { account, entry } = entries[index] as (typeof entries)[number];
    return openEntryItem(account, entry);
  });
  await putDueEntries(due, [state], new Date(createdMs).toISOString());
  const start = performance.now();
  const { runs: count, calls, created, writeUnits } = await runs();
  const seconds = (performance.now() - start) / 1000;
  if (created !== accounts) throw new Error(`${created} periods were closed.`);
  // A shard with entries is read and written once more.
  const shards = new Set(entries.map(({ account, entry }) => openEntryKey(account, entry).pk)).size;
  return {
    ...{ figure: 'closing_due_periods', accounts, entries: entries.length, runs: count - 1 },
    calls_per_account: rounded(calls / accounts),
    calls_beyond_entries_per_account: rounded((calls - 2 * shards) / accounts),
    write_units_per_account: rounded(writeUnits / accounts),
    seconds: rounded(seconds),
  };
};
