import type { TransactionRow } from '../../shared/ledger/response.ts';
import type { Invocation } from './history.ts';
import type { Seen } from './requests.ts';
import type { Bug, Request, Response } from './service.ts';

/** One attempt of a request, with its steps and its response; `null` without one. */
export type Attempt = {
  readonly invocation: Invocation;
  readonly from: number;
  readonly to: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly response: Response | null;
};

/** A request with all its attempts. */
export type Sent = {
  readonly name: string;
  readonly account: string;
  readonly request: Request;
  readonly attempts: Attempt[];
};

/** All pages of one list. `from` is the first step whose writes may be missing. */
export type Listing = {
  readonly account: string;
  readonly query: Readonly<Record<string, string>>;
  readonly pages: readonly { readonly ids: readonly string[]; readonly rows: readonly TransactionRow[] }[];
  readonly isWhole: boolean;
  readonly from: number;
  readonly to: number;
  readonly fromMs: number;
  readonly toMs: number;
};

/** A successful redaction, with the step at which it started. */
export type Redaction = { readonly account: string; readonly id: string; readonly from: number };

/** A redaction of a customer that reported success, with its first and last step. */
export type CustomerRedaction = {
  readonly account: string;
  readonly customer: string;
  readonly from: number;
  readonly to: number;
};

/** Everything that the clients of a schedule sent and received. */
export type Observed = {
  readonly sent: Sent[];
  readonly listings: Listing[];
  readonly redactions: Redaction[];
  readonly customerRedactions: CustomerRedaction[];
  readonly bugs: Bug[];
  readonly seen: Map<string, Map<string, Seen>>;
  /** Ids of filings by account. */
  readonly filings: Map<string, Set<string>>;
  /** The number of exceptions that a filing was last seen with, by its id. */
  readonly exceptions: Map<string, number>;
  /** Set if the schedules of the service finished all work at the end, without faults. */
  finished?: { readonly atMs: number; readonly failures: readonly unknown[] };
};

export const nothingObserved = (): Observed => ({
  sent: [],
  listings: [],
  redactions: [],
  customerRedactions: [],
  bugs: [],
  seen: new Map(),
  filings: new Map(),
  exceptions: new Map(),
});

/** A request as a line of the trace. */
export const inWords = ({ method, path, body, key, ifMatch, query }: Request): string =>
  [method, path, body, query, key && 'with a key', ifMatch && `if ${ifMatch}`]
    .filter(Boolean)
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
    .join(' ');

export const getOutcome = (response: Response | null): string => {
  if (!response) return 'no answer';
  const { status, body, headers } = response;
  const { code } = body?.errors?.[0] ?? {};
  const outcome =
    code ??
    (body?.object === 'list' ? `${body.data.length} rows` : `${body?.id} ${body?.status} ${body?.version ?? ''}`);
  return `${status} ${outcome}${headers['Idempotent-Replayed'] ? ' again' : ''}`;
};
