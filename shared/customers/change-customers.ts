import { retryWhileStale } from '../base/contention.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import type { Idempotency, Ledger } from '../ledger/ledger.ts';
import {
  answerOfReplay,
  type Caller,
  type ChangePorts,
  otherVersion,
  type ReplayableResponse,
  saveUnchanged,
} from '../ledger/ports.ts';
import { isSame } from '../ledger/same-value.ts';
import {
  type Customer,
  type Customers,
  customerExists,
  customerIdFixed,
  customerNotFound,
  customerReply,
  toCertificate,
} from './customer.ts';
import type { CustomerRequest, CustomerUpdate } from './request.ts';

/** The ports of changes of customers. */
export type CustomerPorts = Pick<ChangePorts, 'now' | 'remainingMs'> & {
  readonly customers: Customers;
  readonly ledger: Pick<Ledger, 'saveAnswer'>;
};

type Sent = {
  readonly idempotency: Idempotency | null;
  readonly unknownFields: readonly string[];
};
type Creation = Sent & { readonly request: CustomerRequest };
type Change = Sent & {
  readonly id: string;
  readonly update: CustomerUpdate;
  /** The versions in If-Match; `null` without the header, `'*'` for any. */
  readonly ifMatch: readonly string[] | null;
};

const customerContent = ({ name, exemptions }: Pick<Customer, 'name' | 'exemptions'>) => ({ name, exemptions });

/**
 * Create a customer. A customer with the same id and content is returned as it is, so that an import can be repeated.
 *
 * Refused: `conflict_duplicate_customer_id`.
 */
export const createCustomer = (
  creation: Creation,
  caller: Pick<Caller, 'account'>,
  ports: CustomerPorts,
): Promise<Result<ReplayableResponse>> => retryWhileStale(() => createOnce(creation, caller, ports), ports.remainingMs);

const createOnce = async (
  { request, idempotency, unknownFields }: Creation,
  { account }: Pick<Caller, 'account'>,
  ports: CustomerPorts,
): Promise<Result<ReplayableResponse> | 'stale'> => {
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
  const answer = customerReply(201, created, unknownFields);
  const record = idempotency && { ...idempotency, answer };
  const commit = { account: account.id, before: null, after: created, idempotency: record, nowMs };
  const committed = await ports.customers.commit(commit);
  if (committed.kind === 'committed') return accept({ answer, isReplayed: false });
  if (committed.kind !== 'stale') return answerOfReplay(committed);
  const existing = await ports.customers.find(account.id, request.id);
  if (!existing) return 'stale';
  return isSame(customerContent(existing), customerContent(created))
    ? saveUnchanged(account.id, customerReply(200, existing, unknownFields), idempotency, ports, {
        customer: request.id,
      })
    : refuse(customerExists(existing));
};

/**
 * Change a customer. Fields that are left out stay; `exemptions` are replaced as a whole.
 *
 * Refused in this order: `not_found`, `precondition_failed`, `conflict_immutable_field`.
 */
export const updateCustomer = (
  change: Change,
  caller: Pick<Caller, 'account'>,
  ports: CustomerPorts,
): Promise<Result<ReplayableResponse>> => retryWhileStale(() => updateOnce(change, caller, ports), ports.remainingMs);

const updateOnce = async (
  { id, update, ifMatch, idempotency, unknownFields }: Change,
  { account }: Pick<Caller, 'account'>,
  ports: CustomerPorts,
): Promise<Result<ReplayableResponse> | 'stale'> => {
  const nowMs = ports.now();
  const { stored, replay } = await ports.customers.findWithReplay(account.id, id, idempotency, nowMs);
  if (replay) return answerOfReplay(replay);
  if (!stored) return refuse(customerNotFound);
  if (ifMatch !== null && !ifMatch.includes('*') && !ifMatch.includes(`"${stored.version}"`))
    return refuse(otherVersion(stored.version, 'customer'));
  if (update.id !== undefined && update.id !== stored.id) return refuse(customerIdFixed(stored.id));
  const content = {
    name: update.name === undefined ? stored.name : update.name,
    exemptions: update.exemptions?.map(toCertificate) ?? stored.exemptions,
  };
  if (isSame(content, customerContent(stored)))
    return saveUnchanged(account.id, customerReply(200, stored, unknownFields), idempotency, ports, { customer: id });
  const updated_at = new Date(nowMs).toISOString();
  const after = { ...stored, ...content, updated_at, version: stored.version + 1 };
  const answer = customerReply(200, after, unknownFields);
  const record = idempotency && { ...idempotency, answer };
  const commit = { account: account.id, before: stored, after, idempotency: record, nowMs };
  const committed = await ports.customers.commit(commit);
  if (committed.kind === 'committed') return accept({ answer, isReplayed: false });
  return committed.kind === 'stale' ? 'stale' : answerOfReplay(committed);
};
