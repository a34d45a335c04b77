import type { Settings } from '../accounts/account.ts';
import { readPages } from '../base/collections.ts';
import type { Replaces } from '../ledger/create-transaction.ts';
import type { Json } from './numbers.ts';
import { TaxJarRefusal } from './refusal.ts';

export type Query = Readonly<Record<string, string>>;

export type PostOptions = {
  readonly headers?: Query;
  readonly settings?: Partial<Settings>;
  readonly replaces?: Replaces;
  /** Whether the response omits this tax. Metrics exclude such calculations. */
  readonly isProbe?: boolean;
};

/**
 * Calls an operation of Levy's API in this process, as the caller of the request. `Response` is the response of the
 * operation, which is not checked again. Throws refusals.
 */
export type Levy = {
  readonly get: <Response>(path: string, query?: Query) => Promise<Response>;
  readonly post: <Response>(path: string, body: object, options?: PostOptions) => Promise<Response>;
  /** Returns the id of the transaction that has each reference now. The lists of the API can lag by seconds. */
  readonly readHolders: (references: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

export type Request = {
  readonly levy: Levy;
  readonly settings: Settings;
  /** The account's day, `YYYY-MM-DD`. */
  readonly today: string;
  readonly remainingMs: () => number;
  readonly query: Query;
  /** The header `x-api-version`, a date; empty without one. */
  readonly version: string;
  readonly body: Json;
  /** Values of the path's parameters, decoded. */
  readonly at: readonly string[];
  /** Records warnings of Levy, which the response lists in a header. */
  readonly note: (codes: readonly string[]) => void;
};

export type TaxJarResponse = { readonly status?: number; readonly body: object };
export type Route = readonly [method: string, path: RegExp, run: (request: Request) => Promise<TaxJarResponse>];

/** Reads every row of a list. Refuses with `tooLong` if the request would run out of time. */
export async function* everyRow<Row>(
  { levy, remainingMs }: Pick<Request, 'levy' | 'remainingMs'>,
  path: string,
  filters: Query,
  tooLong: string,
): AsyncGenerator<Row> {
  const pages = readPages(async (after: string | null) => {
    if (remainingMs() < 3000) throw new TaxJarRefusal(406, tooLong);
    const query = { ...filters, limit: '100', ...(after !== null && { starting_after: after }) };
    const { data, next_cursor: next } = await levy.get<{ data: readonly Row[]; next_cursor: string | null }>(
      path,
      query,
    );
    return { data, next };
  });
  for await (const { data } of pages) yield* data;
}

export type Warned = { readonly warnings?: readonly { readonly code: string }[] };
export const listCodes = ({ warnings = [] }: Warned): string[] => warnings.map(({ code }) => code);
