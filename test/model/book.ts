import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Registration } from '../../shared/accounts/account.ts';
import type { Redacted } from '../../shared/ledger/personal-data/redact.ts';
import type { Swept } from '../../shared/ledger/sweep-drafts.ts';
import type { Call } from '../support/api.ts';
import type { ApiResponse, Schema } from '../support/http.ts';

/** A transaction as the API returns it. */
export type Body = Schema<'Transaction'>;
/** The common fields of a transaction and a calculation. */
export type Figures = Omit<Schema<'Calculation'>, 'object'>;
/** A line as sent or returned. */
export type Line = Partial<Body['line_items'][number]> & { readonly quantity: string };
type Other = 'type' | 'status' | 'line_items' | 'shipping' | 'tax_amount' | 'metadata';
/** The body of a write: valid or invalid fields of a transaction or a filing. */
export type Requested = Partial<Omit<Body, Other> & Schema<'FilingRequest'>> & {
  readonly type?: string;
  readonly status?: string | null;
  readonly line_items?: readonly Line[];
  readonly shipping?: { readonly amount: string } | null;
  readonly tax_amount?: string | null;
  readonly metadata?: Readonly<Record<string, string | null>> | null;
  readonly credit_remaining?: boolean;
  readonly confirmation_number?: string;
  readonly acknowledge_exceptions?: number;
};

/** A change in the model: the expected audit entry, except its hashes and the credential. */
export type Change = {
  readonly version: number;
  readonly at: string;
  readonly from: string | null;
  readonly to: string;
  readonly fields: readonly string[];
};

/** The model's state of a transaction. */
export type Entry = {
  /** All fields of its response. An expired draft remains a draft here. */
  body: Body;
  /** How a credit of a sale was requested. */
  kind: 'all' | 'remaining' | 'lines' | null;
  readonly trail: Change[];
  /** The observed hashes of the audit trail by version, which never change. */
  readonly hashes: Map<number, string>;
  /** Whether the expiry of a draft is stored in the table. Responses are the same before and after. */
  isSettled: boolean;
};

export type Sent = {
  readonly path: string;
  readonly body: Requested;
  readonly headers: Readonly<Record<string, string>>;
};
/** A request that got a response with its idempotency key, and the expiry of the key. */
type Record_ = { readonly body: string; readonly response: ApiResponse; readonly untilMs: number };
export type Cursor = { readonly text: string; readonly filters: Readonly<Record<string, string>>; readonly at: Body };

/** The liability of a transaction in one state, and its filing; `null` while it is open. */
export type Posted = { readonly id: string; readonly state: string; readonly month: string; filing: string | null };

export type Filing = {
  readonly id: string;
  readonly state: string;
  readonly start: string;
  readonly end: string;
  readonly frequency: string;
  readonly members: readonly string[];
  /** The amounts by currency, as the API writes them. */
  readonly amounts: readonly (readonly [string, object])[];
  readonly createdAt: string;
  readonly closedAt: string;
  status: 'closed' | 'filed' | 'canceled';
  confirmation: string | null;
  /** The number of exceptions, if observed. */
  exceptions: number;
  filedAt: string | null;
  canceledAt: string | null;
};

/** The account settings that determine its amounts and periods. */
export type Terms = {
  readonly draftHours: number;
  readonly timeZone: string;
  /** Registrations have no gap: every sale is taxed. */
  readonly registrations: Registration[] | 'all';
};

/** The terms of both accounts. */
export type Both = readonly [Terms, Terms];

/** All data of an account, in the order of creation. */
export type Book = Terms & {
  readonly createdMs: number;
  readonly entries: Map<string, Entry>;
  readonly records: Map<string, Record_>;
  /** Requests to send again. */
  readonly sent: Sent[];
  readonly cursors: Cursor[];
  readonly journal: Map<string, Posted>;
  readonly filings: Filing[];
  /** The name of the account's credential in the audit trail, if observed. */
  credential: string | null;
};

export type Model = { nowMs: number; readonly books: readonly [Book, Book] };

/** The service, with a caller for each book. */
export type World = {
  readonly send: readonly [Call, Call];
  readonly advance: (byMs: number) => Promise<void>;
  readonly sweep: () => Promise<Swept>;
  /** Removes the personal data of a transaction of one account, as an operator does. */
  readonly redact: (side: 0 | 1, id: string) => Promise<Redacted>;
  /** Compares the final data with the model, if it can, and returns the findings of `npm run ledger -- verify`. */
  readonly verify: (model: Model) => Promise<readonly string[]>;
  /** Completes unfinished filings. */
  readonly work: () => Promise<unknown>;
  /** Whether a sweep processes only the drafts of this run. */
  readonly isAlone: boolean;
};

export const newBook = (terms: Terms, createdMs: number): Book => ({
  ...terms,
  createdMs,
  entries: new Map(),
  records: new Map(),
  sent: [],
  cursors: [],
  journal: new Map(),
  filings: [],
  credential: null,
});

export const instant = (ms: number): string => new Date(ms).toISOString();

export const isExpired = ({ body }: Entry, nowMs: number): boolean =>
  body.status === 'draft' && Date.parse(body.expires_at) <= nowMs;

/** Returns a transaction as the API returns it: an expired draft is void since its deadline. */
export const getView = (entry: Entry, nowMs: number): Body => {
  const { body } = entry;
  if (!isExpired(entry, nowMs)) return body;
  const at = body.expires_at;
  const end = { status: 'void' as const, void_reason: 'draft_expired', voided_at: at, updated_at: at };
  return { ...body, ...end, version: body.version + 1 };
};

const buildExpiry = ({ version, expires_at }: Body): Change => ({
  version: version + 1,
  at: expires_at,
  from: 'draft',
  to: 'void',
  fields: ['status'],
});

export const getTrail = (entry: Entry, nowMs: number): readonly Change[] =>
  isExpired(entry, nowMs) ? [...entry.trail, buildExpiry(entry.body)] : entry.trail;

/** Records a change of a transaction, after the expiry of a draft, if any. */
export const change = (entry: Entry, nowMs: number, body: Body, fields: readonly string[]): void => {
  if (isExpired(entry, nowMs)) {
    entry.trail.push(buildExpiry(entry.body));
    entry.isSettled = true;
  }
  const from = getView(entry, nowMs).status;
  entry.body = body;
  entry.trail.push({ version: body.version, at: body.updated_at, from, to: body.status, fields: [...fields].sort() });
};

export const add = (book: Book, body: Body, kind: Entry['kind']): void => {
  const trail = [{ version: 1, at: body.created_at, from: null, to: body.status, fields: [] }];
  book.entries.set(body.id, { body, kind, trail, hashes: new Map(), isSettled: false });
};

/** Returns the transaction that has a reference. References of void transactions are free. */
export const getHolder = (book: Book, reference: string | null | undefined, nowMs: number): Body | undefined =>
  reference
    ? [...book.entries.values()]
        .map((entry) => getView(entry, nowMs))
        .find((body) => body.reference_id === reference && body.status !== 'void')
    : undefined;

/** Returns the warnings of the ledger; all others come from the calculation. */
export const listCodes = ({ warnings }: Body): string[] =>
  warnings
    .map(({ code }) => code)
    .filter((code) => /^(tax_amount|credit)_/.test(code))
    .sort();

/** Throws an error with the difference if two values are not equal. */
export const same = (actual: unknown, expected: unknown, what: string): void => {
  if (!isDeepStrictEqual(actual, expected)) assert.deepEqual({ [what]: actual }, { [what]: expected });
};

export const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};
