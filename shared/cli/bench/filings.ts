import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';
import { environment } from '../../config/environment.ts';
import { beginning, newFiling, newShards } from '../../filings/begin.ts';
import { workOn } from '../../filings/work-on.ts';
import { database } from '../../store/client/client.ts';
import { filingPorts } from '../../store/filings/filing-ports.ts';
import { openEntryItem } from '../../store/ledger/open-entry-item.ts';
import type { OpenEntry } from '../../transactions/open-entries.ts';
import { type Figure, heapMeter, rounded } from './figure.ts';

// The emulator takes half an hour for a million (`npm run bench -- --filing-entries 1000000`).
const defaultEntries = 100_000;
const state = 'US-WA';
const account = 'acct_bench_filing';
const places = 300;
const batch = 25;
const writers = 4;
const attempts = 20;

/** An entry with a state, a county, a city and a district, at one of 300 places. */
const entryOf = (index: number): OpenEntry => {
  const place = String(index % places).padStart(3, '0');
  const base = { taxable_amount: '10.00', exempt_amount: '0.00' };
  const amounts = (['state', 'county', 'city', 'district'] as const).map((jurisdiction_type, level) => {
    const code = level === 0 ? state : `${state}-0${level}-${place}`;
    const jurisdiction = { jurisdiction_code: code, jurisdiction_name: code, jurisdiction_type, reporting_code: null };
    return { ...jurisdiction, ...base, rate: '0.01', tax_amount: '0.10' };
  });
  return { transactionId: `txn_${ulid()}`, state, month: '2026-09', currency: 'USD', version: 1, base, amounts };
};

/** Retry like the schedule does: a later run continues after a timeout of a busy emulator. */
const untilDone = async (attempt: () => Promise<boolean>): Promise<void> => {
  for (let left = attempts; left > 0; left -= 1) {
    try {
      if (await attempt()) return;
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
    }
  }
  throw new Error('The database is too busy for a bench.');
};

const putEntries = async (entries: number, from: number): Promise<void> => {
  for (let at = from; at < entries; at += writers * batch) {
    const some = Array.from({ length: Math.min(batch, entries - at) }, (_, index) => entryOf(at + index));
    const puts = some.map((entry) => ({ PutRequest: { Item: openEntryItem(account, entry) } }));
    const command = new BatchWriteCommand({ RequestItems: { [environment.tables.transactions]: puts } });
    await untilDone(async () => Object.keys((await database.send(command)).UnprocessedItems ?? {}).length === 0);
  }
};

/** How long a filing takes to close, and how much heap it adds. */
export const filingFigures = async (entries = defaultEntries): Promise<Figure[]> => {
  await Promise.all(Array.from({ length: writers }, (_, writer) => putEntries(entries, writer * batch)));
  const heapMegabytes = heapMeter();
  const before = heapMegabytes();
  let [most, writes] = [before, 0];
  const ports = filingPorts(() => Number.POSITIVE_INFINITY);
  const commit: typeof ports.filings.commit = async (commits) => {
    writes += 1;
    if (writes % 200 === 0) most = Math.max(most, heapMegabytes());
    return ports.filings.commit(commits);
  };
  const filing = newFiling(
    { account, id: ports.newId(Date.now()), state, previous: null, asked_by: 'bench' },
    { start: '2026-09-01', end: '2026-09-30', frequency: 'month' },
    Date.now(),
  );
  const start = performance.now();
  await commit(beginning(filing, newShards(ports.filings.shards), null, null));
  await untilDone(() => workOn(filing, { ...ports, filings: { ...ports.filings, commit } }, 0));
  const seconds = (performance.now() - start) / 1000;
  const closed = await ports.filings.find(account, filing.id);
  if (closed?.status !== 'closed' || closed.entries.moved !== entries) throw new Error('The filing did not close.');
  return [
    {
      ...{ figure: 'filing_close', entries, jurisdictions: 1 + 3 * places, writes },
      ...{ entries_per_s: rounded(entries / seconds), held_more_mb: rounded(most - before) },
    },
  ];
};
