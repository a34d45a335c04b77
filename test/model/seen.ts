import type { Answer } from '../support/http.ts';

const counts = new Map<string, number>();

const shortOf = (path: string): string => (path.split('?')[0] as string).replace(/(txn|fil)_\w+/, '{id}');

/** Count a response by its request and outcome. */
export const count = (method: string, path: string, { status, body, headers }: Answer): void => {
  const codes = (body?.errors ?? []).map(({ code }) => code);
  const replayed = headers.get('idempotent-replayed') ? ['replayed'] : [];
  const what = [method, shortOf(path), status, ...replayed, ...new Set(codes)].join(' ');
  counts.set(what, (counts.get(what) ?? 0) + 1);
};

/** How often each kind of answer came, of all runs in this process. */
export const seen = (): ReadonlyMap<string, number> => counts;
