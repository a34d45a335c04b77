import type { Request } from './http.ts';
import { goods } from './sales.ts';
import type { Ids, RequestArgs } from './two-accounts.ts';

/** Ids that no account has, of the very shape. */
export const absentIds: Ids = {
  sale: 'txn_01KAAAAAAAAAAAAAAAAAAAAAAA',
  credit: 'txn_01KBBBBBBBBBBBBBBBBBBBBBBB',
  voided: 'txn_01KCCCCCCCCCCCCCCCCCCCCCCC',
  draft: 'txn_01KDDDDDDDDDDDDDDDDDDDDDDD',
  filing: 'fil_01KAAAAAAAAAAAAAAAAAAAAAAA',
  earlier: 'fil_01KBBBBBBBBBBBBBBBBBBBBBBB',
  customer: 'cus_of_nobody',
};

export const notFound = '404 | not_found';
const noParent = '422 | validation_parent_not_found /parent_transaction_id';
export const noCursor = '422 | validation_invalid_cursor starting_after';
const change = (body: unknown, headers: Record<string, string> = {}): Request => ({ body, headers });
const creditOf =
  (parent: keyof Ids, others: object = {}, headers: Record<string, string> = {}) =>
  (ids: Ids): Request => ({ body: { type: 'credit', parent_transaction_id: ids[parent], ...others }, headers });
const line = { line_items: [{ id: 'item_1', quantity: '1' }] };
const sameChange = { 'Idempotency-Key': 'the-same-change' };
const csv: Request = { headers: { Accept: 'text/csv' } };

type Attempt = readonly [name: string, target: string, expected: string, request?: Request | ((ids: Ids) => Request)];

/** The attempts by name, with the id that they use in braces. The expected refusals are written by hand. */
const all: readonly Attempt[] = [
  ['reading a sale', 'GET /transactions/{sale}', notFound],
  ['reading a credit', 'GET /transactions/{credit}', notFound],
  ['reading a void sale', 'GET /transactions/{voided}', notFound],
  ['reading a sale with its history', 'GET /transactions/{sale}?expand=history', notFound],
  ['reading a later page of a history', 'GET /transactions/{draft}/history?starting_after=2', notFound],
  ['reading a history after its end', 'GET /transactions/{draft}/history?starting_after=9', notFound],
  ['reading one entry of a history', 'GET /transactions/{sale}/history?limit=1', notFound],
  ['changing a draft', 'POST /transactions/{draft}', notFound, change({ metadata: { a: 'b' } })],
  ['changing nothing of a draft', 'POST /transactions/{draft}', notFound, change({ status: 'draft' })],
  ['finalizing a draft', 'POST /transactions/{draft}', notFound, change({ status: 'finalized' })],
  ['voiding a draft', 'POST /transactions/{draft}', notFound, change({ status: 'void' })],
  ['voiding a sale', 'POST /transactions/{sale}', notFound, change({ status: 'void' })],
  ['voiding a void sale', 'POST /transactions/{voided}', notFound, change({ status: 'void' })],
  ['voiding a credit', 'POST /transactions/{credit}', notFound, change({ status: 'void' })],
  ['changing the lines of a sale', 'POST /transactions/{sale}', notFound, change({ line_items: [goods()] })],
  [
    'changing version 1',
    'POST /transactions/{draft}',
    notFound,
    change({ metadata: { a: 'b' } }, { 'If-Match': '"1"' }),
  ],
  [
    'changing version 2',
    'POST /transactions/{draft}',
    notFound,
    change({ metadata: { a: 'b' } }, { 'If-Match': '"2"' }),
  ],
  ['repeating a change', 'POST /transactions/{draft}', notFound, change({ metadata: { changed: 'yes' } }, sameChange)],
  ['reusing the key of a change', 'POST /transactions/{draft}', notFound, change({ metadata: { a: 'b' } }, sameChange)],
  ['replaying a sale', 'POST /transactions/{sale}/replay', notFound],
  ['replaying a credit', 'POST /transactions/{credit}/replay', notFound],
  ['listing after a sale', 'GET /transactions?starting_after={sale}', noCursor],
  ['listing with lines after a draft', 'GET /transactions?expand=line_items&starting_after={draft}', noCursor],
  ['crediting a sale', 'POST /transactions', noParent, creditOf('sale', { status: 'finalized' })],
  ['crediting a line in a draft', 'POST /transactions', noParent, creditOf('sale', line)],
  ['crediting a void sale', 'POST /transactions', noParent, creditOf('voided')],
  ['crediting a credit', 'POST /transactions', noParent, creditOf('credit', line)],
  ['crediting in another currency', 'POST /transactions', noParent, creditOf('sale', { currency: 'EUR' })],
  ['crediting with a key', 'POST /transactions', noParent, creditOf('sale', {}, { 'Idempotency-Key': 'k' })],
  ['calculating the credit of a sale', 'POST /calculations', noParent, creditOf('sale')],
  ['calculating the credit of a line', 'POST /calculations', noParent, creditOf('sale', line)],
  ['reading the entries of a filing', 'GET /filings/{filing}?expand=entries', notFound],
  ['reading a filing as CSV', 'GET /filings/{filing}', notFound, csv],
  ['reading entries as CSV', 'GET /filings/{filing}?expand=entries', notFound, csv],
  ['filing a filing', 'POST /filings/{filing}', notFound, change({ status: 'filed', confirmation_number: 'c' })],
  ['canceling a filing', 'POST /filings/{filing}', notFound, change({ status: 'canceled' })],
  [
    'canceling a filing with a key',
    'POST /filings/{earlier}',
    notFound,
    change({ status: 'canceled' }, { 'Idempotency-Key': 'k' }),
  ],
  ['changing a customer', 'POST /customers/{customer}', notFound, change({ name: 'stranger' })],
  ['changing nothing of a customer', 'POST /customers/{customer}', notFound, change({})],
  [
    'changing version 1 of a customer',
    'POST /customers/{customer}',
    notFound,
    change({ name: 'stranger' }, { 'If-Match': '"1"' }),
  ],
  [
    'changing a customer with a key',
    'POST /customers/{customer}',
    notFound,
    change({ name: 'stranger' }, { 'Idempotency-Key': 'k' }),
  ],
  ['listing after a filing', 'GET /filings?starting_after={filing}', noCursor],
];

/** The attempts of a stranger, and the refusal, which is the same for an id that no account has. */
export const attempts = all.map(([name, target, expected, request]) => {
  const ask = (ids: Ids): RequestArgs => {
    const [method = '', path = ''] = target.replace(/\{(\w+)\}/, (_, id: keyof Ids) => ids[id]).split(' ');
    return [method, path, typeof request === 'function' ? request(ids) : (request ?? {})];
  };
  return [name, ask, expected] as const;
});
