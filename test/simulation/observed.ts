import type { Seen } from './bodies.ts';
import type { Invocation } from './invocation.ts';
import type { Bug, Request, Response } from './service.ts';

/** One time that a request was sent: between which steps, and what came back; nothing where the answer was lost. */
export type Attempt = {
  readonly invocation: Invocation;
  readonly from: number;
  readonly to: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly response: Response | null;
};

/** A request with everything that came of it. */
export type Sent = {
  readonly name: string;
  readonly account: string;
  readonly request: Request;
  readonly attempts: Attempt[];
};

/** All pages of one list, and since when an index that they were read from may have lacked something. */
export type Listing = {
  readonly account: string;
  readonly query: Readonly<Record<string, string>>;
  readonly pages: readonly { readonly ids: readonly string[]; readonly rows: readonly any[] }[];
  readonly isWhole: boolean;
  readonly from: number;
  readonly to: number;
  readonly fromMs: number;
  readonly toMs: number;
};

/** What a schedule's clients do and see, all of them. */
export type Observed = {
  readonly sent: Sent[];
  readonly listings: Listing[];
  readonly bugs: Bug[];
  readonly seen: Map<string, Map<string, Seen>>;
  /** The filings that the clients of an account know. */
  readonly filings: Map<string, Set<string>>;
  /** When the schedules had time to finish everything, without a fault; absent where they had not. */
  finished?: { readonly atMs: number; readonly failures: readonly unknown[] };
};

export const nothingObserved = (): Observed => ({
  sent: [],
  listings: [],
  bugs: [],
  seen: new Map(),
  filings: new Map(),
});

/** A request, and what came back, for a trace. */
export const inWords = ({ method, path, body, key, ifMatch, query }: Request): string =>
  [method, path, body, query, key && 'with a key', ifMatch && `if ${ifMatch}`]
    .filter(Boolean)
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
    .join(' ');

export const outcomeOf = (response: Response | null): string => {
  if (!response) return 'no answer';
  const { status, body, headers } = response;
  const { code } = body?.errors?.[0] ?? {};
  const told =
    code ?? (body?.object === 'list' ? `${body.data.length} rows` : `${body.id} ${body.status} ${body.version ?? ''}`);
  return `${status} ${told}${headers['Idempotent-Replayed'] ? ' again' : ''}`;
};
