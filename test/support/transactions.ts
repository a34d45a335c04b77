import { createHash } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { LineItemResponse, TaxRowResponse } from '../../shared/calculations/response.ts';
import { environment } from '../../shared/config/environment.ts';
import { buildHeadChange, type HeadChange } from '../../shared/ledger/audit.ts';
import { nothingCredited } from '../../shared/ledger/credits/amounts.ts';
import type { Commit } from '../../shared/ledger/ports.ts';
import { snapshotSettings } from '../../shared/ledger/settings-snapshot.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { database } from '../../shared/store/client/client.ts';

/** The time at which the tests create transactions, in milliseconds since 1970. A draft lasts 24 hours. */
export const createdMs = Date.parse('2026-10-08T12:00:00.000Z');
export const deadlineMs = createdMs + 24 * 3_600_000;

/** Creates a new account, so tests run in parallel without cleanup. */
export const newAccount = (): string => `acct_${ulid()}`;
export const newTransactionId = (timeMs = createdMs): string => `txn_${ulid(timeMs)}`;

const taxRow: TaxRowResponse = {
  jurisdiction_code: 'US-MI',
  jurisdiction_name: 'Michigan',
  jurisdiction_type: 'state',
  reporting_code: null,
  tax_type: 'sales',
  rate: '0.06',
  taxable_amount: '10.00',
  exempt_amount: '0.00',
  tax_amount: '0.60',
  taxability_reason: 'standard_rated',
  sourcing: 'destination',
  rule_id: null,
};

/** One line of 10.00, taxed in Michigan. */
export const line = (changes: Partial<LineItemResponse> = {}): LineItemResponse => ({
  id: 'line_1',
  parent_line_item_id: null,
  description: null,
  product_tax_code: 'CLOTHING.APPAREL',
  quantity: '1',
  unit_price: '10.00',
  discount_amount: null,
  third_party_discount_amount: null,
  customer: null,
  ship_from: null,
  fulfillment: null,
  metadata: {},
  amount: '10.00',
  applied_discount_amount: '0.00',
  applied_third_party_discount_amount: '0.00',
  net_amount: '10.00',
  taxable_amount: '10.00',
  exempt_amount: '0.00',
  tax_amount: '0.60',
  taxes: [taxRow],
  address_resolution: { level: 'zip5', ambiguous: false, coverage: 'complete' },
  applied_exemption: null,
  ...changes,
});

const figures = {
  currency: 'USD',
  subtotal_amount: '10.00',
  applied_discount_amount: '0.00',
  applied_third_party_discount_amount: '0.00',
  shipping_amount: '0.00',
  taxable_amount: '10.00',
  exempt_amount: '0.00',
  tax_amount: '0.60',
  total_amount: '10.60',
  calculated_tax_amount: '0.60',
  credited_amount: '0.00',
  credited_tax_amount: '0.00',
};

const inputs = {
  type: 'sale' as const,
  parent_transaction_id: null,
  tax_date: '2026-10-08',
  customer: { address: { country: 'US', state: 'MI', city: 'Detroit', postal_code: '48201' } },
  ship_from: null,
  discount_amount: null,
  discount_applies_to: 'line_items' as const,
  third_party_discount_amount: null,
  shipping: null,
  tax_included: false,
  collected_by: 'seller' as const,
  metadata: {},
  explain: false,
};

/** Builds a transaction without the engine: a draft with one line, a day before its deadline. */
export const transaction = (changes: Partial<Transaction> = {}): Transaction => ({
  object: 'transaction',
  id: newTransactionId(),
  status: 'draft',
  reference_id: null,
  ...inputs,
  ...figures,
  line_items: [line()],
  tax_summary: [],
  content_releases: { 'US-MI': 'US-MI@2026-11-22.1' },
  engine_version: '1',
  warnings: [],
  explanation: null,
  tax_amount_source: 'calculated',
  refund_status: 'none',
  created_at: new Date(createdMs).toISOString(),
  updated_at: new Date(createdMs).toISOString(),
  finalized_at: null,
  filed_at: null,
  voided_at: null,
  void_reason: null,
  expires_at: new Date(deadlineMs).toISOString(),
  filings: [],
  version: 1,
  ...changes,
});

/** The fields that a finalized transaction does not have. */
export const finalized = { status: 'finalized', expires_at: null } as const;
export const voided = { status: 'void', expires_at: null, void_reason: null } as const;

/** The document of an entry of a sale. */
export const saleDocument = {
  type: 'sale',
  tax_day: '2026-10-01',
  reference_id: null,
  customer_id: null,
  postal_code: null,
} as const;

const commitments = { salt: 'AAAAAAAAAAAAAAAAAAAAAA' };

const changeTo = (before: StoredTransaction | null, after: Transaction): HeadChange => {
  const next = {
    transaction: after,
    credited: nothingCredited,
    creditOf: null,
    settingsSnapshot: snapshotSettings(defaultSettings('aspen.2026-10-01')),
    commitments,
  };
  return buildHeadChange(before, next, 'key_test', ['status']);
};

/** A new transaction. */
export const created = (changes: Partial<Transaction> = {}): HeadChange => changeTo(null, transaction(changes));

/** Changes a transaction, as its next version. */
export const changed = (before: StoredTransaction, changes: Partial<Transaction>): HeadChange =>
  changeTo(before, { ...before.transaction, version: before.transaction.version + 1, ...changes });

/** Builds a commit: by default only a head and its audit entry. */
export const buildCommit = (account: string, head: HeadChange, more: Partial<Commit> = {}): Commit => ({
  account,
  nowMs: createdMs,
  idempotency: null,
  parent: null,
  openEntries: { post: [], remove: [] },
  head,
  ...more,
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** An idempotent request with its saved response. */
export const keyed = (key: string, body: string, saved: unknown): NonNullable<Commit['idempotency']> => ({
  digest: sha256(key),
  fingerprint: sha256(body),
  response: { status: 201, body: JSON.stringify(saved), headers: { Location: '/transactions/1', ETag: '"1"' } },
});

/** Reads all items of an account in the ledger's table, by key. */
export const readItems = async (account: string): Promise<Record<string, Record<string, unknown>>> => {
  const found: Record<string, Record<string, unknown>> = {};
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await database.send(
      new ScanCommand({
        TableName: environment.tables.transactions,
        ConsistentRead: true,
        FilterExpression: 'contains(pk, :account)',
        ExpressionAttributeValues: { ':account': account },
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    for (const item of Items) found[`${item['pk']} ${item['sk']}`] = item;
    start = LastEvaluatedKey;
  } while (start);
  return found;
};

/**
 * Summarizes the items of an account with one letter each: head, audit entry, reference claim, idempotency record, open
 * entry.
 */
export const readKinds = async (account: string): Promise<string> =>
  Object.values(await readItems(account))
    .map(({ pk, sk }) => String(String(pk).startsWith('T') ? sk : pk).charAt(0))
    .sort()
    .join('');
