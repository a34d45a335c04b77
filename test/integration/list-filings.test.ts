import { beforeAll, describe, expect, it } from 'vitest';
import type { Filing, FilingList } from '../../shared/filings/response.ts';
import { newCaller } from '../support/api.ts';
import { cancel, closedFiling, type Filer, file, filerOf, soldOn } from '../support/filings.ts';
import { made, refusalOf } from '../support/sales.ts';

let filer: Filer;
/** In the order in which they were made: three months of Michigan, two of Hawaii. */
/** Any but a dry run. */
type Stored = Filing & { readonly id: string };
type StoredList = Omit<FilingList, 'data'> & { readonly data: readonly Stored[] };

const filings: Stored[] = [];
const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);
const newestFirst = (keeps: (filing: Stored) => boolean) => idsOf(filings.filter(keeps)).reverse();

beforeAll(async () => {
  filer = filerOf(await newCaller());
  await soldOn(filer, '2026-08-05');
  for (const [state, end] of [
    ['MI', '2026-08-31'],
    ['MI', '2026-09-30'],
    ['HI', '2026-09-30'],
    ['MI', '2026-10-31'],
    ['HI', '2026-10-31'],
  ] as const)
    filings.push(await closedFiling(filer, state, end));
  await file(filer, (filings[0] as Stored).id);
  await cancel(filer, (filings[4] as Stored).id);
});

const everyPage = async (parameters: Record<string, string>): Promise<string[][]> => {
  const pages: string[][] = [];
  let after: string | null = null;
  for (let asked = 0; asked < 50; asked++) {
    const page: StoredList = await made(
      filer.filings({ ...parameters, ...(after !== null && { starting_after: after }) }),
    );
    pages.push(idsOf(page.data));
    if (!page.has_more) return pages;
    after = page.next_cursor;
  }
  throw new Error('The list does not end.');
};

describe('GET /filings', () => {
  it('lists the newest first, as they are now, without totals and entries', async () => {
    const list = await made(filer.filings());
    expect(list).toMatchObject({ object: 'list', url: '/filings', has_more: false, next_cursor: null });
    expect(idsOf(list.data)).toEqual(newestFirst(() => true));
    for (const row of list.data) {
      expect([row.totals, row.entries]).toEqual([null, null]);
      const whole = await made(filer.filing(row.id));
      expect(row).toEqual({ ...whole, totals: null });
    }
    expect(list.data.at(-1)).toMatchObject({ status: 'filed', confirmation_number: 'c-1' });
    expect(list.data.at(-1)?.summary).toHaveLength(1);
  });

  it.each([1, 2])('pages of %i filings are complete and in order', async (limit) => {
    const pages = await everyPage({ limit: String(limit) });
    expect(pages.flat()).toEqual(newestFirst(() => true));
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
  });

  it.each<{ parameters: Record<string, string>; keeps: (filing: Stored) => boolean }>([
    { parameters: { state: 'MI' }, keeps: ({ state }) => state === 'US-MI' },
    { parameters: { state: 'hawaii' }, keeps: ({ state }) => state === 'US-HI' },
    { parameters: { period_end: '2026-09-30' }, keeps: ({ period_end }) => period_end === '2026-09-30' },
    { parameters: { status: 'closed' }, keeps: ({ id }) => idsOf(filings.slice(1, 4)).includes(id) },
    { parameters: { status: 'canceled', state: 'HI' }, keeps: ({ id }) => id === (filings[4] as Stored).id },
    { parameters: { state: 'OH' }, keeps: () => false },
  ])('the filters $parameters select their filings alone', async ({ parameters, keeps }) => {
    expect((await everyPage(parameters)).flat()).toEqual(newestFirst(keeps));
    expect((await everyPage({ ...parameters, limit: '1' })).flat()).toEqual(newestFirst(keeps));
  });

  it('has nothing of another account, and refuses a cursor of another account or other filters', async () => {
    const stranger = filerOf(await newCaller());
    expect((await made(stranger.filings())).data).toEqual([]);
    const { next_cursor } = await made(filer.filings({ limit: '1', state: 'MI' }));
    const invalid = '422 | validation_invalid_cursor starting_after';
    expect(refusalOf(await stranger.filings({ state: 'MI', starting_after: next_cursor }))).toBe(invalid);
    expect(refusalOf(await filer.filings({ state: 'HI', starting_after: next_cursor }))).toBe(invalid);
    expect(refusalOf(await filer.filings({ starting_after: next_cursor }))).toBe(invalid);
    expect((await filer.filings({ state: 'US-MI', limit: '5', starting_after: next_cursor })).status).toBe(200);
    for (const starting_after of ['x', 'a.b', `${next_cursor}x`, 'fil_01ARZ3NDEKTSV4RRFFQ69G5FAV'])
      expect(refusalOf(await filer.filings({ state: 'MI', starting_after }))).toBe(invalid);
  });
});
