import { useState } from 'preact/hooks';
import { type Levy, orThrow } from '../../client/client.ts';
import { Export } from './export.tsx';
import type { CsvPage, Cursor, ListResult } from './export-file.ts';
import { counted } from './format.ts';
import { Load, useLoad } from './load.tsx';
import { Instant } from './parts.tsx';
import { linkTo, type ViewProps } from './route.ts';
import { type PageRequest, type Part, searchPage } from './search.ts';
import { Table, type TableProps } from './table.tsx';

/** What a list sends: filters, cursor and limit. */
type Input = {
  readonly query: Cursor & { readonly limit: number };
  readonly signal: AbortSignal;
  readonly maxTries?: number;
};

/** Reads a page of a list for `searchPage`. */
export const readPart = async <Item,>(result: Promise<ListResult<Item>>): Promise<Part<Item>> => {
  const { data, next_cursor } = orThrow(await result);
  return { rows: data, next: next_cursor, backTo: (await result).headers.get('Searched-Back-To') };
};

type ListProps<Item, Row> = Pick<TableProps<Row>, 'caption' | 'columns' | 'sums'> & {
  /** The view, which is also the name of the downloaded file. */
  readonly view: 'transactions' | 'customers' | 'filings';
  readonly query: ViewProps['query'];
  /** The filters as parameters of the API. */
  readonly filters: Readonly<Record<string, string>>;
  readonly get: (levy: Levy, input: Input) => Promise<ListResult<Item>>;
  readonly toRows: (item: Item) => readonly Row[];
  /** Reads a page of the download. */
  readonly readCsv: (levy: Levy, input: Input) => Promise<CsvPage>;
  /** How the cells of the download differ from the page. */
  readonly fileHint?: string;
};

const pageSize = 50;

/** How far a search has read, and what it has found so far. */
const Progress = ({ found: { rows, backTo }, thing }: { found: Part<unknown>; thing: string }) => (
  <p class="hint" role="status">
    {backTo && (
      <>
        Searched back to <Instant value={backTo} />:{' '}
      </>
    )}
    {counted(rows.length, thing)} found so far.
  </p>
);

type PagesProps = Pick<ViewProps, 'query'> & { readonly view: string; readonly found: Part<unknown> };

/** The links to the first and the next page of a list. */
const PageLinks = ({ view, query, found: { rows, next } }: PagesProps) => {
  const page = (starting_after: string) => linkTo([view], { ...Object.fromEntries(query), starting_after });
  return (
    <div class="pages">
      {(next || query.has('starting_after')) && (
        <p class="hint">Sorting and totals apply to this page. A download contains all pages.</p>
      )}
      {query.get('starting_after') && <a href={page('')}>First page</a>}
      {next && <a href={page(next)}>{rows.length > 0 ? 'Next page' : 'Continue'}</a>}
    </div>
  );
};

/**
 * The rows of a list that match its filters, page by page, with a download of all of them. A page is searched until it
 * has rows, or for 20 seconds.
 */
export const List = <Item, Row>(props: ListProps<Item, Row>) => {
  const { view, query, filters, get, toRows, readCsv, fileHint, ...table } = props;
  const thing = view.slice(0, -1);
  const after = query.get('starting_after') ?? null;
  const [progress, setProgress] = useState<Part<Item> | null>(null);
  const list = useLoad(JSON.stringify([filters, after]), (levy, signal) => {
    setProgress(null);
    return searchPage({
      load: (request: PageRequest) => readPart(get(levy, { query: { ...filters, ...request }, signal })),
      limit: pageSize,
      after,
      onProgress: (found) => signal.aborted || setProgress(found),
    });
  });
  const nothing = after ? `No more ${view} match.` : `No ${thing} matches.`;
  return (
    <>
      {list.isLoading && progress && <Progress found={progress} thing={thing} />}
      <Load loaded={list} what={view}>
        {(found) => (
          <>
            <Table
              {...table}
              rows={found.rows.flatMap(toRows)}
              isSortable
              empty={found.next ? `No ${thing} found so far. Continue the search.` : nothing}
            />
            {found.next && found.rows.length < pageSize && found.backTo && (
              <p class="hint">
                Searched back to <Instant value={found.backTo} />. Older {view} may match.
              </p>
            )}
            <PageLinks view={view} query={query} found={found} />
          </>
        )}
      </Load>
      <div class="actions">
        <Export
          key={JSON.stringify(filters)}
          what={Object.keys(filters).length > 0 ? 'all that match' : `all ${view}`}
          name={view}
          read={(cursor, levy, signal) =>
            readCsv(levy, { query: { ...filters, ...cursor, limit: 100 }, signal, maxTries: 4 })
          }
        />
      </div>
      {fileHint && <p class="hint">{fileHint}</p>}
    </>
  );
};
