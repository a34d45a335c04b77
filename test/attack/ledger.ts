/** Reads all data of an account, page by page, after the clients have finished. */
import { type Answer, type Schema, send } from '../support/http.ts';
import type { Filing } from './actions.ts';
import type { Transaction } from './draw.ts';
import { same } from './violation.ts';

type Reader = { readonly url: string; readonly key: string };
type Page = { readonly has_more: boolean; readonly next_cursor: string | null; readonly data: readonly unknown[] };

export const get = async <Body>(
  { url, key }: Reader,
  path: string,
  accept = 'application/json',
): Promise<Answer<Body>> => {
  const answer = await send(url, 'GET', path, { headers: { 'X-API-Key': key, Accept: accept } });
  same(answer.status, 200, `GET ${path} fails.`, answer.body);
  return answer as Answer<Body>;
};

/** Reads all rows of a list. `pageOf` returns the list in a response. */
export const readAll = async <Row>(
  reader: Reader,
  path: string,
  pageOf: (body: never) => Page = (body) => body,
): Promise<Row[]> => {
  const rows: unknown[] = [];
  let cursor: string | null = null;
  do {
    const query: string =
      cursor === null ? '' : `${path.includes('?') ? '&' : '?'}starting_after=${encodeURIComponent(cursor)}`;
    const { body } = await get(reader, `${path}${query}`);
    const page = pageOf(body as never);
    rows.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return rows as Row[];
};

export type FilingEntry = Schema<'FilingEntry'>;
export type FiledPeriod = Filing & { readonly members: readonly FilingEntry[] };

export const readTransactions = (reader: Reader): Promise<Transaction[]> =>
  readAll<Transaction>(reader, '/transactions?limit=10&expand=line_items');

/** The filings that are not canceled, with their entries, by state and period. */
export const readFilings = async (reader: Reader): Promise<FiledPeriod[]> => {
  const rows = (await readAll<Filing>(reader, '/filings?limit=100')).filter(({ status }) => status !== 'canceled');
  const filings: FiledPeriod[] = [];
  for (const { id } of rows) {
    const { body } = await get<Filing>(reader, `/filings/${id}`);
    const path = `/filings/${id}?expand=entries&limit=100`;
    const members = await readAll<FilingEntry>(reader, path, ({ entries }: { entries: Page }) => entries);
    filings.push({ ...body, members });
  }
  const placeOf = ({ state, period_end }: Filing) => `${state} ${period_end}`;
  return filings.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
};
