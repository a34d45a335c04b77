import { expect, it } from 'vitest';
import { newAccount } from '../../shared/accounts/account.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import type { FilingReads } from '../../shared/filings/ports.ts';
import { getFiling } from '../../shared/filings/read-filings.ts';
import { newFiling } from '../../shared/filings/work-on.ts';
import type { LiabilityEntry } from '../../shared/ledger/entries/entry.ts';
import { encodeEntry } from '../../shared/ledger/entries/entry.ts';
import { saleDocument } from '../support/transactions.ts';

const account = newAccount({ name: 'One', serviceVersion: currentVersion, createdMs: 0 });
const filing = newFiling(
  { account: account.id, id: 'fil_1', state: 'US-CA', previous: null, asked_by: 'key_1' },
  { start: '2026-10-01', end: '2026-10-31', frequency: 'month' },
  0,
);

const entry = (number: number, jurisdictions: number): LiabilityEntry => ({
  transactionId: `txn_${String(number).padStart(3, '0')}`,
  version: 1,
  state: 'US-CA',
  month: '2026-10',
  currency: 'USD',
  document: saleDocument,
  base: { taxable: 100n, exempt: 0n, tax: 0n },
  amounts: Array.from({ length: jurisdictions }, (_, at) => ({
    jurisdiction_code: `US-CA-${at}`,
    jurisdiction_name: 'A district with a name that is as long as such names are',
    jurisdiction_type: 'district',
    reporting_code: '00562',
    rate: '0.005',
    taxable: 100_000n,
    exempt: 0n,
    tax: 500n,
  })),
});

// The database limits a page to 1 MB.
const databasePage = 1_000_000;
const sizeOf = (one: LiabilityEntry) => JSON.stringify(encodeEntry(one).amounts).length;

/** A page of entries uses no other methods. */
type Reads = Pick<FilingReads, 'shards' | 'find' | 'progress' | 'filedEntries'>;

/** Entries in three shards, each with a share of the 300 jurisdictions that a large invoice can have. */
const readsOf = (count: number, jurisdictions: number, onRead: (bytes: number) => void): Reads => {
  const shards = [0, 1, 2].map((shard) =>
    Array.from({ length: count / 3 }, (_, at) => entry((shard * count) / 3 + at, jurisdictions)),
  );
  // They differ only in their ids, which have the same length.
  const entryBytes = sizeOf(entry(0, jurisdictions));
  return {
    shards: shards.length,
    find: async () => filing,
    progress: async () => [],
    filedEntries: async ({ shard }, limit, after) => {
      const all = shards[shard] ?? [];
      const from = after === null ? 0 : all.findIndex(({ transactionId }) => transactionId === after.transactionId) + 1;
      const entries: LiabilityEntry[] = [];
      let bytes = 0;
      for (const one of all.slice(from, from + limit)) {
        bytes += entryBytes;
        if (entries.length > 0 && bytes > databasePage) break;
        entries.push(one);
        onRead(entryBytes);
      }
      return { entries, next: from + entries.length < all.length ? (entries.at(-1) ?? null) : null };
    },
  };
};

it.each([
  { jurisdictions: 2, entries: 120, pages: 2 },
  { jurisdictions: 300, entries: 120, pages: 6 },
  { jurisdictions: 10_000, entries: 12, pages: 12 },
])(
  'ends pages of entries with $jurisdictions jurisdictions by size, loses none, and reads little more',
  async (shape) => {
    let bytesRead = 0;
    const filings = readsOf(shape.entries, shape.jurisdictions, (bytes) => {
      bytesRead += bytes;
    });
    const entryBytes = sizeOf(entry(0, shape.jurisdictions));
    const seen: string[] = [];
    let pages = 0;
    let starting_after: string | null = null;
    do {
      const page = { expand: 'entries', limit: 100, starting_after: starting_after ?? undefined } as const;
      bytesRead = 0;
      const answer = await getFiling(filing.id, page, account, { filings: filings as FilingReads, now: Date.now });
      if (!answer.ok || answer.value.entries === null) throw new Error('It is there.');
      const { data, next_cursor, has_more } = answer.value.entries;
      expect(has_more).toBe(next_cursor !== null);
      expect(bytesRead - data.length * entryBytes).toBeLessThanOrEqual(Math.max(databasePage, entryBytes));
      if (data.length > 1) expect(JSON.stringify(data).length).toBeLessThan(5_000_000);
      seen.push(...data.map(({ transaction_id }) => transaction_id));
      starting_after = next_cursor;
      pages += 1;
    } while (starting_after !== null && pages <= 200);
    expect(pages).toBe(shape.pages);
    expect(seen).toEqual(Array.from({ length: shape.entries }, (_, at) => entry(at, 1).transactionId));
  },
);
