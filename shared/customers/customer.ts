import type * as z from 'zod/mini';
import type { Problem } from '../base/problem.ts';
import type { Certificate, FindCertificates } from '../calculations/certificates.ts';
import { unknownFieldWarnings } from '../calculations/sent-warnings.ts';
import type { Idempotency, Replay, SavedResponse } from '../ledger/ledger.ts';
import { stateJurisdiction } from '../vocabulary/jurisdiction.ts';
import { CertificateRequest, CustomerRequest } from './request.ts';
import type * as response from './response.ts';

/** A customer as the API returns it. */
export type CustomerAnswer = z.infer<typeof response.StoredCustomer>;

/** A stored customer. */
export type Customer = Omit<CustomerAnswer, 'object' | 'exemptions' | 'warnings'> & {
  readonly exemptions: readonly Certificate[];
};

/** A change of a customer: its state before (`null` for a new one), whose version is the condition, and after. */
export type CustomerCommit = {
  readonly account: string;
  readonly before: Customer | null;
  readonly after: Customer;
  readonly idempotency: (Idempotency & { readonly answer: SavedResponse }) | null;
  readonly nowMs: number;
};

/** The reads of customers, which shared/store implements on DynamoDB. All are strongly consistent. */
export type CustomerReads = {
  readonly find: (account: string, id: string) => Promise<Customer | undefined>;
  readonly findSome: FindCertificates;
  /** One call: customers in the order of their ids, after the given id. `next` is the last id read; `null` at the end. */
  readonly page: (
    account: string,
    after: string | null,
    limit: number,
  ) => Promise<{ readonly rows: readonly Customer[]; readonly next: string | null }>;
};

export type Customers = CustomerReads & {
  /** A customer and the idempotency record of the request, in one round trip. */
  readonly findWithReplay: (
    account: string,
    id: string,
    idempotency: Idempotency | null,
    nowMs: number,
  ) => Promise<{ readonly stored: Customer | undefined; readonly replay: Replay | undefined }>;
  /** `stale`: the customer exists already, or changed since it was read. */
  readonly commit: (
    commit: CustomerCommit,
  ) => Promise<{ readonly kind: 'committed' } | { readonly kind: 'stale' } | Replay>;
};

/** A certificate as stored: states as jurisdiction codes, each once. */
export const toCertificate = ({ states, reason, ...others }: CertificateRequest): Certificate => ({
  states: states ? [...new Set(states.map((state) => stateJurisdiction(state) ?? state))] : null,
  reason,
  certificate_number: others.certificate_number ?? null,
  valid_from: others.valid_from ?? null,
  valid_to: others.valid_to ?? null,
});

const fieldNames = [...Object.keys(CustomerRequest.shape), ...Object.keys(CertificateRequest.shape)];

/** The answer with a customer, with a warning for each unknown field of the request. */
export const customerAnswer = (
  { id, name, exemptions, created_at, updated_at, version }: Customer,
  unknownFields: readonly string[] = [],
): CustomerAnswer => ({
  object: 'customer',
  id,
  name,
  exemptions: exemptions.map(({ states, ...terms }) => ({ states: states && [...states], ...terms })),
  created_at,
  updated_at,
  version,
  warnings: unknownFieldWarnings(unknownFields, fieldNames),
});

/** The response with a customer, with its version as the entity tag. `Location` is relative to the request's path. */
export const customerReply = (
  status: 200 | 201,
  customer: Customer,
  unknownFields: readonly string[] = [],
): SavedResponse => ({
  status,
  body: JSON.stringify(customerAnswer(customer, unknownFields)),
  headers: {
    ETag: `"${customer.version}"`,
    ...(status === 201 && { Location: `customers/${encodeURIComponent(customer.id)}` }),
  },
});

export const customerNotFound: Problem = {
  code: 'not_found',
  title: 'Not Found',
  detail: 'No customer of this account has this id.',
};

export const customerExists = ({ id, version }: Pick<Customer, 'id' | 'version'>): Problem => ({
  code: 'conflict_duplicate_customer_id',
  title: 'Duplicate id',
  detail: `The account has a customer ${id} with another content. Change it with POST /customers/{id}, or send another id.`,
  source: { pointer: '/id' },
  meta: { version },
});

export const customerIdFixed = (id: string): Problem => ({
  code: 'conflict_immutable_field',
  title: 'id cannot be changed',
  detail: `The customer has the id ${id}. Leave id out, or create another customer.`,
  source: { pointer: '/id' },
});
