import { accept, type Result } from '../base/result.ts';
import type { Filing } from '../filings/response.ts';

/** Reads a filing with all pages of its totals. `read` returns the page after a cursor; refused like `read`. */
export const readWhole = async (read: (cursor: string | null) => Promise<Result<Filing>>): Promise<Result<Filing>> => {
  const pages: Filing[] = [];
  for (let cursor: string | null = null; pages.length === 0 || cursor !== null; ) {
    const page = await read(cursor);
    if (!page.ok) return page;
    pages.push(page.value);
    cursor = page.value.totals_next_cursor;
  }
  const totals = pages.flatMap(({ totals }) => totals ?? []);
  return accept({ ...(pages[0] as Filing), totals, totals_next_cursor: null });
};
