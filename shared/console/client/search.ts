/** The paging parameters of a list. */
export type PageRequest = { readonly starting_after?: string; readonly limit: number };
/**
 * Rows, the cursor of the next request, and the time back to which the list was searched. The last two are `null` at
 * the end of the list.
 */
export type Part<Row> = { readonly rows: readonly Row[]; readonly next: string | null; readonly backTo: string | null };

type Search<Row> = {
  readonly load: (request: PageRequest) => Promise<Part<Row>>;
  readonly limit: number;
  readonly after: string | null;
  /** Called after each request that did not end the search. */
  readonly onProgress?: (found: Part<Row>) => void;
  readonly now?: () => number;
};

/** The maximum duration of a search that has found rows, and of a search without results. */
const foundMs = 2_000;
const nothingMs = 20_000;

/**
 * Loads a page of a list. Each request searches a part of a filtered list and returns the rows it found, if any.
 * Requests continue until the page is full, the list ends, or the time is up.
 */
export const searchPage = async <Row>(search: Search<Row>): Promise<Part<Row>> => {
  const { load, limit, after, onProgress = () => {}, now = Date.now } = search;
  const startMs = now();
  let found: Part<Row> = { rows: [], next: after, backTo: null };
  for (;;) {
    const request = { ...(found.next !== null && { starting_after: found.next }), limit: limit - found.rows.length };
    const part = await load(request);
    found = { ...part, rows: [...found.rows, ...part.rows] };
    const isOver = now() - startMs > (found.rows.length > 0 ? foundMs : nothingMs);
    if (found.next === null || found.rows.length >= limit || isOver) return found;
    onProgress(found);
  }
};
