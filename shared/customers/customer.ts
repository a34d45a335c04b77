import * as z from 'zod/mini';
import type { Account } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { readPages } from '../base/collections.ts';
import { retryWhileStale } from '../base/contention.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../base/cursor.ts';
import { described } from '../base/described.ts';
import { isSame } from '../base/json.ts';
import { accept, type Problem, type Result, refuse } from '../base/result.ts';
import { searchFor } from '../base/texts.ts';
import type { Certificate, FindCertificates } from '../calculations/certificates.ts';
import { day, identifier } from '../calculations/fields.ts';
import { unknownFieldWarnings } from '../calculations/sent-warnings.ts';
import {
  fitting,
  invalidCursor,
  listResponse,
  type Page,
  pageLimit,
  readPageLimit,
  scannedRows,
  scanPages,
  startingAfter,
} from '../ledger/page-limit.ts';
import {
  type Caller,
  type Idempotency,
  type Ledger,
  otherVersion,
  type Ports,
  type Replay,
  repeatResponse,
  type SavedResponse,
  saveUnchanged,
} from '../ledger/ports.ts';
import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { state } from '../vocabulary/state-field.ts';
import { CertificateRequest, CustomerRequest, type CustomerUpdate } from './request.ts';
import type { CustomerList, StoredCustomer } from './response.ts';

/** A customer as the API returns it. */
export type CustomerBody = z.infer<typeof StoredCustomer>;

/** A stored certificate. Calculations do not read the link. */
type StoredCertificate = Certificate & { readonly document_url: string | null };

/** A stored customer. */
export type Customer = Omit<CustomerBody, 'object' | 'exemptions' | 'warnings'> & {
  readonly exemptions: readonly StoredCertificate[];
};

/** A change to a customer: the state before (`null` for a new one), whose version is the condition, and the state after. */
export type CustomerCommit = {
  readonly account: string;
  readonly before: Customer | null;
  readonly after: Customer;
  readonly idempotency: (Idempotency & { readonly response: SavedResponse }) | null;
  readonly nowMs: number;
};

/** Strongly consistent reads of customers, implemented on DynamoDB by shared/store. */
export type CustomerReads = {
  readonly find: (account: string, id: string) => Promise<Customer | undefined>;
  readonly findSome: FindCertificates;
  /** Returns customers in order of id, after the given id, in one call. `next` is the last id read; `null` at the end. */
  readonly page: (account: string, after: string | null, limit: number) => Promise<Page<Customer>>;
};

export type Customers = CustomerReads & {
  /** Returns a customer and the request's idempotency record in one round trip. */
  readonly findWithReplay: (
    account: string,
    id: string,
    idempotency: Idempotency | null,
    nowMs: number,
  ) => Promise<{ readonly stored: Customer | undefined; readonly replay: Replay | undefined }>;
  /** `stale`: the customer already exists, or has changed since it was read. */
  readonly commit: (
    commit: CustomerCommit,
  ) => Promise<{ readonly kind: 'committed' } | { readonly kind: 'stale' } | Replay>;
};

/** Converts a certificate to its stored form: states as jurisdiction codes without duplicates. */
export const toCertificate = ({ states, reason, ...others }: CertificateRequest): StoredCertificate => ({
  states: states ? [...new Set(states.map((state) => stateJurisdiction(state) ?? state))] : null,
  reason,
  certificate_number: others.certificate_number ?? null,
  document_url: others.document_url ?? null,
  valid_from: others.valid_from ?? null,
  valid_to: others.valid_to ?? null,
});

const fieldNames = [...Object.keys(CustomerRequest.shape), ...Object.keys(CertificateRequest.shape)];

/** Builds the customer to return, with a warning for each unknown field of the request. */
export const toCustomerBody = (
  { id, name, exemptions, created_at, updated_at, version }: Customer,
  unknownFields: readonly string[] = [],
): CustomerBody => ({
  object: 'customer',
  id,
  name,
  exemptions: exemptions.map(({ states, ...terms }) => ({ states: states && [...states], ...terms })),
  created_at,
  updated_at,
  version,
  warnings: unknownFieldWarnings(unknownFields, fieldNames),
});

/** Builds the response for a customer, with its version as the ETag. `Location` is relative to the request's path. */
export const customerResponse = (
  status: 200 | 201,
  customer: Customer,
  unknownFields: readonly string[] = [],
): SavedResponse => ({
  status,
  body: JSON.stringify(toCustomerBody(customer, unknownFields)),
  headers: {
    ETag: `"${customer.version}"`,
    ...(status === 201 && { Location: `customers/${encodeURIComponent(customer.id)}` }),
  },
});

export const customerNotFound: Problem = {
  code: 'not_found',
  title: 'Not Found',
  detail: 'No customer of this account has this id. GET /customers lists the customers.',
};

export const customerExists = ({ id, version }: Pick<Customer, 'id' | 'version'>): Problem => ({
  code: 'conflict_duplicate_customer_id',
  title: 'Duplicate id',
  detail: `The account has a customer ${id} with different content. Change it with POST /customers/{id}, or send a different id.`,
  source: { pointer: '/id' },
  meta: { version },
});

export const customerIdFixed = (id: string): Problem => ({
  code: 'conflict_immutable_field',
  title: 'id cannot be changed',
  detail: `The customer has the id ${id}. Leave id out, or create another customer.`,
  source: { pointer: '/id' },
});

/** The ports for changing customers. */
export type CustomerPorts = Pick<Ports, 'now' | 'remainingMs'> & {
  readonly customers: Customers;
  readonly ledger: Pick<Ledger, 'saveResponse'>;
};

type Sent = { readonly idempotency: Idempotency | null; readonly unknownFields: readonly string[] };
type Creation = Sent & { readonly request: CustomerRequest };
type Change = Sent & {
  readonly id: string;
  readonly update: CustomerUpdate;
  /** The versions in If-Match; `null` without the header, `'*'` for any version. */
  readonly ifMatch: readonly string[] | null;
};

const customerContent = ({ name, exemptions }: Pick<Customer, 'name' | 'exemptions'>) => ({ name, exemptions });

/**
 * Creates a customer. If a customer with the same id and content exists, returns it unchanged, so imports can be
 * repeated.
 *
 * Rejects different content with `conflict_duplicate_customer_id`.
 */
export const createCustomer = (
  { request, idempotency, unknownFields }: Creation,
  { account }: Pick<Caller, 'account'>,
  ports: CustomerPorts,
): Promise<Result<SavedResponse>> =>
  retryWhileStale(async () => {
    const nowMs = ports.now();
    const at = new Date(nowMs).toISOString();
    const created: Customer = {
      id: request.id,
      name: request.name ?? null,
      exemptions: (request.exemptions ?? []).map(toCertificate),
      created_at: at,
      updated_at: at,
      version: 1,
    };
    const response = customerResponse(201, created, unknownFields);
    const record = idempotency && { ...idempotency, response };
    const commit = { account: account.id, before: null, after: created, idempotency: record, nowMs };
    const committed = await ports.customers.commit(commit);
    if (committed.kind === 'committed') return accept(response);
    if (committed.kind !== 'stale') return repeatResponse(committed);
    const existing = await ports.customers.find(account.id, request.id);
    if (!existing) return 'stale';
    return isSame(customerContent(existing), customerContent(created))
      ? saveUnchanged(account.id, customerResponse(200, existing, unknownFields), idempotency, ports, {
          customer: request.id,
          version: existing.version,
        })
      : refuse(customerExists(existing));
  }, ports.remainingMs);

/**
 * Changes a customer. Omitted fields remain unchanged; `exemptions` is replaced as a whole.
 *
 * Checks in this order: `not_found`, `precondition_failed`, `conflict_immutable_field`.
 */
export const updateCustomer = (
  { id, update, ifMatch, idempotency, unknownFields }: Change,
  { account }: Pick<Caller, 'account'>,
  ports: CustomerPorts,
): Promise<Result<SavedResponse>> =>
  retryWhileStale(async () => {
    const nowMs = ports.now();
    const { stored, replay } = await ports.customers.findWithReplay(account.id, id, idempotency, nowMs);
    if (replay) return repeatResponse(replay);
    if (!stored) return refuse(customerNotFound);
    if (ifMatch !== null && !ifMatch.includes('*') && !ifMatch.includes(`"${stored.version}"`))
      return refuse(otherVersion(stored.version, 'customer'));
    if (update.id !== undefined && update.id !== stored.id) return refuse(customerIdFixed(stored.id));
    const content = {
      name: update.name === undefined ? stored.name : update.name,
      exemptions: update.exemptions?.map(toCertificate) ?? stored.exemptions,
    };
    if (isSame(content, customerContent(stored)))
      return saveUnchanged(account.id, customerResponse(200, stored, unknownFields), idempotency, ports, {
        customer: id,
        version: stored.version,
      });
    const updated_at = new Date(nowMs).toISOString();
    const after = { ...stored, ...content, updated_at, version: stored.version + 1 };
    const response = customerResponse(200, after, unknownFields);
    const record = idempotency && { ...idempotency, response };
    const commit = { account: account.id, before: stored, after, idempotency: record, nowMs };
    const committed = await ports.customers.commit(commit);
    if (committed.kind === 'committed') return accept(response);
    return committed.kind === 'stale' ? 'stale' : repeatResponse(committed);
  }, ports.remainingMs);

/** The query parameters of GET /customers: filters, combined with AND, and paging. */
export const CustomerListQuery = z.object({
  expiring_before: described(
    z.optional(day),
    'Only customers with a certificate whose last day is today or later, and before this date.',
  ),
  state: described(
    z.optional(state),
    'Only customers with a certificate for this state, by code or name, or for all states. With `expiring_before`, one certificate must match both.',
  ),
  search: described(
    z.optional(identifier),
    'Only customers whose `id` or `name` contains this text, in upper or lower case.',
  ),
  limit: pageLimit(),
  starting_after: startingAfter,
});
export type CustomerListQuery = z.infer<typeof CustomerListQuery>;

type Filters = Pick<CustomerListQuery, 'expiring_before' | 'state'>;
type ListPorts = { readonly customers: Pick<CustomerReads, 'page'>; readonly now: () => number };

/**
 * Lists an account's customers in order of id. If few customers match the filters, a page can be short and still have a
 * next page.
 *
 * Rejects a cursor of a different account or different filters with `validation_invalid_cursor`.
 */
export const listCustomers = async (
  query: CustomerListQuery,
  account: Account,
  ports: ListPorts,
): Promise<Result<CustomerList>> => {
  const { limit: _limit, starting_after, ...filters } = query;
  const limit = readPageLimit(query);
  const scope: CursorScope = { list: 'customers', secret: account.cursor_secret, filters };
  const after = starting_after === undefined ? null : decodeCursor(starting_after, scope);
  if (starting_after !== undefined && after === null) return refuse(invalidCursor);
  const conditions = listConditions(filters, taxDateAt(ports.now(), account.settings.time_zone).slice(0, 10));
  const isFound = query.search === undefined ? null : searchFor(query.search);
  const isFiltered = conditions.length > 0 || isFound !== null;
  const { rows, next } = await scanPages({
    read: (from) => ports.customers.page(account.id, from, isFiltered ? scannedRows : limit + 1),
    keeps: (customer) =>
      hasCertificate(customer, conditions) && (isFound === null || isFound([customer.id, customer.name])),
    after,
    wanted: limit + 1,
  });
  const page = fitting(rows.slice(0, limit));
  const position = rows.length > page.length ? (page.at(-1)?.id ?? null) : next;
  const data = page.map((customer) => toCustomerBody(customer));
  return accept(listResponse('/customers', data, position && encodeCursor(position, scope)));
};

type IsWanted = (certificate: Certificate) => boolean;

/** Returns a condition for certificates that cover a state (`US-MI`) or all states. */
export const isForState =
  (state: string): IsWanted =>
  ({ states }) =>
    states === null || states.includes(state);

/** Returns a condition for certificates whose last day is today or later, but before the given day. */
export const isExpiring =
  (today: string, before: string): IsWanted =>
  ({ valid_to }) =>
    valid_to !== null && today <= valid_to && valid_to < before;

/** Returns the conditions that one of a customer's certificates must meet; empty without filters. */
const listConditions = ({ expiring_before, state }: Filters, today: string): readonly IsWanted[] => {
  const place = state === undefined ? null : stateJurisdiction(state);
  return [
    ...(place === null ? [] : [isForState(place)]),
    ...(expiring_before === undefined ? [] : [isExpiring(today, expiring_before)]),
  ];
};

const hasCertificate = ({ exemptions }: Customer, conditions: readonly IsWanted[]): boolean =>
  conditions.length === 0 || exemptions.some((certificate) => conditions.every((isWanted) => isWanted(certificate)));

/** Yields all customers of an account that have a certificate meeting the conditions, reading page by page. */
export async function* readCustomers(
  account: string,
  { page }: Pick<CustomerReads, 'page'>,
  ...conditions: readonly IsWanted[]
): AsyncGenerator<Customer> {
  for await (const { rows } of readPages((after: string | null) => page(account, after, scannedRows)))
    yield* rows.filter((customer) => hasCertificate(customer, conditions));
}
