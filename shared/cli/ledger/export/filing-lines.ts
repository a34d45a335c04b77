import type { StoredFiling } from '../../../filings/ledger.ts';
import { decompress } from '../../../store/client/compressed.ts';
import { chainFrom } from '../../../store/filings/filing-item.ts';
import { filingReads } from '../../../store/filings/filing-reads.ts';
import { filingProgressKey } from '../../../store/keys.ts';
import { chainItems, itemsAt, openEntryItems } from '../../../store/ledger/ledger-walk.ts';
import { openEntryFrom } from '../../../store/ledger/open-entry-item.ts';
import { CommandError } from '../../terminal/errors.ts';
import { filedEntryPages, filingBook } from '../filing-book.ts';
import type { Line } from './format.ts';

const pageSize = 100;

/** An account's filings. Refuses an unfinished one, because some of its entries are still open. */
export const finishedFilings = async (account: string): Promise<readonly StoredFiling[]> => {
  const filings = (await filingBook(account)).all();
  const unfinished = filings.find(({ isUnfinished }) => isUnfinished);
  if (!unfinished) return filings;
  const { id, status } = unfinished;
  throw new CommandError(
    `The filing ${id} is unfinished (${status}). Export when GET /filings/${id} returns progress.complete as true.`,
  );
};

const shardLines = async function* (account: string, filing: StoredFiling): AsyncGenerator<Line> {
  const shards = Array.from({ length: filingReads.shards }, (_, shard) => filingProgressKey(account, filing.id, shard));
  const items = await itemsAt(shards);
  for (const { pk, sk } of shards) {
    const item = items.get(`${pk} ${sk}`);
    if (!item) throw new CommandError(`The filing ${filing.id} lacks a shard. Run npm run ledger -- verify.`);
    const { pk: _, sk: __, totals, ...progress } = item;
    const uncompressed = decompress(totals as Uint8Array);
    yield { kind: 'filing_shard', filing: filing.id, progress: { ...progress, totals: uncompressed } };
  }
};

const entryLines = async function* (account: string, { id }: StoredFiling): AsyncGenerator<Line> {
  for (let shard = 0; shard < filingReads.shards; shard++)
    for await (const entries of filedEntryPages({ account, id, shard }, pageSize))
      for (const entry of entries) yield { kind: 'filed_entry', filing: id, entry };
};

const chainLines = async function* (account: string, state: string): AsyncGenerator<Line> {
  const { chain, periods } = await chainItems(account, state);
  for (const { period_end, filing } of periods) yield { kind: 'period', state, period_end, filing: String(filing) };
  if (chain === undefined) return;
  const { account: _, ...stored } = chainFrom(chain);
  yield { kind: 'chain', chain: stored };
};

/** Open entries, filings with their entries and shards, and the chains of periods. */
export const filingLines = async function* (
  account: string,
  filings: readonly StoredFiling[],
  states: readonly string[],
): AsyncGenerator<Line> {
  for (const state of states)
    for await (const items of openEntryItems(account, state))
      for (const item of items) yield { kind: 'open_entry', entry: openEntryFrom(item) };
  for (const filing of filings) {
    yield* entryLines(account, filing);
    yield* shardLines(account, filing);
    const { account: _, ...stored } = filing;
    yield { kind: 'filing', filing: stored };
  }
  for (const state of states) yield* chainLines(account, state);
};
