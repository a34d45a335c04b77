import { ulid } from 'ulid';
import { environment } from '../../shared/config/environment.ts';
import { beginFiling, workOn } from '../../shared/filings/work-on.ts';
import type { LiabilityEntry } from '../../shared/ledger/entries/entry.ts';
import { filingPorts } from '../../shared/store/filings/filing-ports.ts';
import { openEntryItem } from '../../shared/store/ledger/open-entry-item.ts';
import { saleDocument } from '../support/transactions.ts';
import { putItems, retryTimeouts } from './database.ts';
import { type Figure, heapMeter, rounded } from './figure.ts';

// A million entries take half an hour on the emulator (`npm run bench -- --filing-entries 1000000`).
const defaultEntries = 100_000;
const state = 'US-WA';
const account = 'acct_bench_filing';
const places = 300;

/** Builds an entry with a state, a county, a city and a district, at one of 300 places. */
const getEntry = (index: number): LiabilityEntry => {
  const place = String(index % places).padStart(3, '0');
  const base = { taxable: 1000n, exempt: 0n };
  const amounts = (['state', 'county', 'city', 'district'] as const).map((jurisdiction_type, level) => {
    const code = level === 0 ? state : `${state}-0${level}-${place}`;
    const jurisdiction = { jurisdiction_code: code, jurisdiction_name: code, jurisdiction_type, reporting_code: null };
    return { ...jurisdiction, ...base, rate: '0.01', tax: 10n };
  });
  return {
    transactionId: `txn_${ulid()}`,
    state,
    month: '2026-09',
    currency: 'USD',
    version: 1,
    base: { ...base, tax: 0n },
    amounts,
    document: { ...saleDocument, tax_day: '2026-09-01' },
  };
};

/** Measures how long a filing takes to close, and how much heap it adds. */
export const filingFigures = async (entries = defaultEntries): Promise<Figure[]> => {
  await putItems(environment.tables.transactions, entries, (index) => openEntryItem(account, getEntry(index)));
  const heapMegabytes = heapMeter();
  const before = heapMegabytes();
  let [most, writes] = [before, 0];
  const ports = filingPorts(() => Number.POSITIVE_INFINITY);
  const commit: typeof ports.filings.commit = async (commits) => {
    writes += 1;
    if (writes % 200 === 0) most = Math.max(most, heapMegabytes());
    return ports.filings.commit(commits);
  };
  const period = { start: '2026-09-01', end: '2026-09-30', frequency: 'month' } as const;
  const { filing, commit: begin } = beginFiling({ account, state, asked_by: 'bench' }, period, null, ports);
  const start = performance.now();
  await commit(begin);
  await retryTimeouts(() => workOn(filing, { ...ports, filings: { ...ports.filings, commit } }, 0));
  const seconds = (performance.now() - start) / 1000;
  const closed = await ports.filings.find(account, filing.id);
  if (closed?.status !== 'closed' || closed.entries.moved !== entries) throw new Error('The filing did not close.');
  return [
    {
      figure: 'filing_close',
      entries,
      jurisdictions: 1 + 3 * places,
      writes,
      entries_per_s: rounded(entries / seconds),
      held_more_mb: rounded(most - before),
    },
  ];
};
