import { expect, it } from 'vitest';
import { type Found, type PageRequest, searchPage } from '../../shared/console/client/search.ts';

/** A list of which each request searches a part. The clock moves by a number of seconds with each request. */
const searchOf = (parts: readonly (readonly string[])[], { limit = 3, seconds = 0 } = {}) => {
  const requests: PageRequest[] = [];
  const progress: Found<string>[] = [];
  let nowMs = 0;
  const found = searchPage<string>({
    load: async (request) => {
      requests.push(request);
      nowMs += seconds * 1000;
      const at = Number(request.starting_after ?? 0);
      const isLast = at === parts.length - 1;
      return {
        rows: (parts[at] ?? []).slice(0, request.limit),
        next: isLast ? null : String(at + 1),
        backTo: isLast ? null : `2026-01-${20 - at}`,
      };
    },
    ...{ limit, after: null, now: () => nowMs, onProgress: (part: Found<string>) => void progress.push(part) },
  });
  return { found, requests, progress };
};

it('continues until the page is full, and requests only the rest of it', async () => {
  const { found, requests } = searchOf([[], ['a'], [], ['b', 'c', 'd'], ['e']]);
  expect(await found).toMatchObject({ rows: ['a', 'b', 'c'], next: '4', backTo: '2026-01-17' });
  expect(requests).toEqual([
    { limit: 3 },
    { starting_after: '1', limit: 3 },
    { starting_after: '2', limit: 2 },
    { starting_after: '3', limit: 2 },
  ]);
});

it('names the requests that returned rows, for the same rows as CSV', async () => {
  const { found } = searchOf([[], ['a'], [], ['b', 'c']]);
  expect((await found).requests).toEqual([
    { starting_after: '1', limit: 3 },
    { starting_after: '3', limit: 2 },
  ]);
});

it('ends at the end of the list: only then nothing is left to search', async () => {
  const { found, progress } = searchOf([[], [], []]);
  expect(await found).toEqual({ rows: [], next: null, backTo: null, requests: [] });
  expect(progress.map(({ backTo }) => backTo)).toEqual(['2026-01-20', '2026-01-19']);
});

it.each([
  ['some seconds once it has found something', [['a'], [], [], []], 2],
  ['20 seconds while it has found nothing', Array.from({ length: 30 }, () => []), 7],
])('stops after %s, with the position to go on from', async (_when, parts, most) => {
  const { found, requests } = searchOf(parts, { seconds: 3 });
  expect((await found).next).toBe(String(requests.length));
  expect(requests.length).toBeLessThanOrEqual(most);
  expect(requests.length).toBeLessThan(parts.length);
});
