import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';
import { environment } from '../../config/environment.ts';
import { beginning, newFiling, newShards } from '../../filings/begin.ts';
import { workOn } from '../../filings/work-on.ts';
import { database } from '../../store/client/client.ts';
import { filingPorts } from '../../store/filings/filing-ports.ts';
import { openEntryItem } from '../../store/ledger/open-entry-item.ts';
import type { OpenEntry } from '../../transactions/open-entries.ts';
import { type Figure, rounded } from './figure.ts';

// Of a bench's minutes; a million take the emulator half an hour (`npm run bench -- --filing-entries 1000000`).
const usualEntries = 100_000;
const state = 'US-WA';
const account = 'acct_bench_filing';
const places = 300;
const batch = 25;
const writers = 4;
const collectedEvery = 200;

/** An entry of a state, a county, a city and a district, of one of 300 places. */
const entryOf = (index: number): OpenEntry => {
  const place = String(index % places).padStart(3, '0');
  const row = (code: string, type: OpenEntry['amounts'][number]['jurisdiction_type'], rate: string) => ({
    jurisdiction_code: code,
    jurisdiction_name: code,
    jurisdiction_type: type,
    rate,
    taxable_amount: '10.00',
    exempt_amount: '0.00',
    tax_amount: '0.10',
  });
  return {
    transactionId: `txn_${ulid()}`,
    state,
    month: '2026-09',
    currency: 'USD',
    version: 1,
    base: { taxable_amount: '10.00', exempt_amount: '0.00' },
    amounts: [
      row(state, 'state', '0.065'),
      row(`${state}-00-${place}`, 'county', '0.01'),
      row(`${state}-01-${place}`, 'city', '0.02'),
      row(`${state}-63-${place}`, 'district', '0.005'),
    ],
  };
};

const attempts = 20;

/** As the schedule does: what a busy emulator let time out is done by the next who comes by. */
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

const putSome = async (entries: number, from: number, step: number): Promise<void> => {
  for (let at = from; at < entries; at += step * batch) {
    const some = Array.from({ length: Math.min(batch, entries - at) }, (_, index) => entryOf(at + index));
    const puts = some.map((entry) => ({ PutRequest: { Item: openEntryItem(account, entry) } }));
    await untilDone(async () => {
      const { UnprocessedItems = {} } = await database.send(
        new BatchWriteCommand({ RequestItems: { [environment.tables.transactions]: puts } }),
      );
      return Object.keys(UnprocessedItems).length === 0;
    });
  }
};

/** What is held after a collection, in bytes. */
const collector = (): (() => number) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
};

/** How long a filing of very many entries takes to close, and how much more memory it holds than one of none. */
export const filingFigures = async (entries = usualEntries): Promise<Figure[]> => {
  await Promise.all(Array.from({ length: writers }, (_, writer) => putSome(entries, writer * batch, writers)));
  const heldBytes = collector();
  const before = heldBytes();
  let most = before;
  let writes = 0;
  const ports = filingPorts(() => Number.POSITIVE_INFINITY);
  const commit: typeof ports.filings.commit = async (commits) => {
    writes += 1;
    if (writes % collectedEvery === 0) most = Math.max(most, heldBytes());
    return ports.filings.commit(commits);
  };
  const counted = { ...ports, filings: { ...ports.filings, commit } };
  const filing = newFiling(
    { account, id: ports.newId(Date.now()), state, previous: null, asked_by: 'bench' },
    { start: '2026-09-01', end: '2026-09-30', frequency: 'month' },
    Date.now(),
  );
  const begun = performance.now();
  await commit(beginning(filing, newShards(ports.filings.shards), null, null));
  await untilDone(() => workOn(filing, counted, 0));
  const seconds = (performance.now() - begun) / 1000;
  const closed = await ports.filings.find(account, filing.id);
  if (closed?.status !== 'closed' || closed.entries.moved !== entries) throw new Error('The filing did not close.');
  return [
    {
      figure: 'filing_close',
      entries,
      jurisdictions: 1 + 3 * places,
      writes,
      entries_per_s: rounded(entries / seconds),
      held_more_mb: rounded((most - before) / 1e6),
    },
  ];
};
