import type { EntryPlace, StoredFiling } from '../../../filings/ledger.ts';
import { decompress } from '../../../store/client/compressed.ts';
import { chainFrom } from '../../../store/filings/filing-item.ts';
import { filingReads } from '../../../store/filings/filing-reads.ts';
import { filingProgressKey } from '../../../store/keys.ts';
import { chainItems, itemsAt, openEntryItems } from '../../../store/ledger/ledger-walk.ts';
import { openEntryFrom } from '../../../store/ledger/open-entry-item.ts';
import { CommandError } from '../../terminal/errors.ts';
import { filingBook } from '../filing-book.ts';
import type { Line } from './format.ts';

const pageSize = 100;

/** An account's filings, all of them at rest: half of a filing's entries would be here and half there. */
export const filingsAtRest = async (account: string): Promise<readonly StoredFiling[]> => {
  const filings = (await filingBook(account)).all();
  const moving = filings.find(({ isUnfinished }) => isUnfinished);
  if (moving)
    throw new CommandError(
      `The filing ${moving.id} is unfinished (${moving.status}): its entries are on the way. Export when GET /filings/${moving.id} says that its progress is complete.`,
    );
  return filings;
};

const shardLines = async function* (account: string, filing: StoredFiling): AsyncGenerator<Line> {
  const shards = Array.from({ length: filingReads.shards }, (_, shard) => filingProgressKey(account, filing.id, shard));
  const items = await itemsAt(shards);
  for (const { pk, sk } of shards) {
    const item = items.get(`${pk} ${sk}`);
    if (!item) throw new CommandError(`The filing ${filing.id} lacks a shard: run npm run ledger -- verify.`);
    const { pk: _, sk: __, totals, ...progress } = item;
    const inTheOpen = decompress(totals as Uint8Array);
    yield { kind: 'filing_shard', filing: filing.id, progress: { ...progress, totals: inTheOpen } };
  }
};

const entryLines = async function* (account: string, { id }: StoredFiling): AsyncGenerator<Line> {
  for (let shard = 0; shard < filingReads.shards; shard++) {
    let after: EntryPlace | null = null;
    do {
      const place = { account, id, shard };
      const page: Awaited<ReturnType<typeof filingReads.filedEntries>> = await filingReads.filedEntries(
        place,
        pageSize,
        after,
      );
      for (const entry of page.entries) yield { kind: 'filed_entry', filing: id, entry };
      after = page.next;
    } while (after !== null);
  }
};

const chainLines = async function* (account: string, state: string): AsyncGenerator<Line> {
  const { chain, periods } = await chainItems(account, state);
  for (const { period_end, filing } of periods) yield { kind: 'period', state, period_end, filing: String(filing) };
  if (chain === undefined) return;
  const { account: _, ...kept } = chainFrom(chain);
  yield { kind: 'chain', chain: kept };
};

/** What waits for a filing, and the filings with all that is in them. */
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
    const { account: _, ...kept } = filing;
    yield { kind: 'filing', filing: kept };
  }
  for (const state of states) yield* chainLines(account, state);
};

/** What two looks at the filings have in common as long as nothing has changed. */
export const filingsState = (filings: readonly StoredFiling[]): string =>
  JSON.stringify(filings.map(({ id, version }) => [id, version]));
