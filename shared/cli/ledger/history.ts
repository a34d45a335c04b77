import { readPages } from '../../base/collections.ts';
import { everyItem } from '../../client/client.ts';
import { now } from '../../config/clock.ts';
import { transactionHistory } from '../../ledger/history.ts';
import { chooseIndex } from '../../ledger/list-transactions.ts';
import type { ListPosition } from '../../ledger/ports.ts';
import type { HistoryEntry } from '../../ledger/response.ts';
import { historyReads } from '../../store/ledger/ledger-reads.ts';
import { transactionIndex } from '../../store/ledger/transaction-index.ts';
import { type Columns, counted, formatTable, print, printJson } from '../terminal/output.ts';
import { account, CommandError, flag, subcommand } from '../terminal/run-command.ts';

/**
 * Returns the ids of all transactions that have had this reference, with void transactions last. Returns a transaction
 * id unchanged.
 */
export const idsOfReference = async (account: string, reference: string): Promise<readonly string[]> => {
  if (/^txn_[0-9A-Z]{26}$/.test(reference)) return [reference];
  const choice = chooseIndex({ reference_id: reference }, 'UTC');
  const pages = readPages((after: ListPosition | null) =>
    transactionIndex.page(account, { ...choice, after, limit: pageSize }),
  );
  const rows = (await Array.fromAsync(pages, (page) => page.rows)).flat();
  return rows.toSorted((a, b) => Number(a.status === 'void') - Number(b.status === 'void')).map(({ id }) => id);
};

/** `ledger history`: list the changes of one transaction. */

const pageSize = 100;

const columns: Columns<HistoryEntry> = [
  ['version', ({ version }) => version],
  ['at', ({ at }) => at],
  ['state', ({ from, to }) => (from === null || from === to ? to : `${from} -> ${to}`)],
  ['by', ({ by }) => by],
  ['fields', ({ fields }) => fields.join(', ')],
  ['hash', ({ hash }) => hash.slice(0, 12)],
];

const readEntries = (account: string, id: string): Promise<readonly HistoryEntry[]> => {
  const entries = everyItem(async (cursor) => {
    const query = { limit: pageSize, ...cursor };
    const page = await transactionHistory(id, query, { id: account }, { history: historyReads, now });
    if (page.ok) return page.value;
    throw new CommandError(`The account ${account} has no transaction with the id or reference ${id}.`);
  });
  return Array.fromAsync(entries);
};

export const history = subcommand({
  name: 'history',
  summary: 'every change of a transaction, newest first',
  arguments: [['<transaction>', 'its id, such as txn_01K6ZV5N5M3V7C8Z2Y4T6R9W0X, or its reference_id']],
  options: { account, json: flag('one JSON array, as the API returns it, with complete hashes') },
  run: async ({ account, json }, transaction: string) => {
    const [id = transaction] = await idsOfReference(account, transaction);
    const entries = await readEntries(account, id);
    if (json) return printJson(entries);
    print(formatTable(columns, entries));
    print(`${counted(entries.length, 'change')} of ${id}.`);
  },
});
