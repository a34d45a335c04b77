import type { Request } from './http.ts';
import { goods } from './sales.ts';
import type { Asked, Ids } from './two-accounts.ts';

/** Ids that no account has, of the very shape. */
export const nobodys: Ids = {
  sale: 'txn_01KAAAAAAAAAAAAAAAAAAAAAAA',
  credit: 'txn_01KBBBBBBBBBBBBBBBBBBBBBBB',
  voided: 'txn_01KCCCCCCCCCCCCCCCCCCCCCCC',
  draft: 'txn_01KDDDDDDDDDDDDDDDDDDDDDDD',
  filing: 'fil_01KAAAAAAAAAAAAAAAAAAAAAAA',
  earlier: 'fil_01KBBBBBBBBBBBBBBBBBBBBBBB',
};

export const notFound = '404 | not_found';
const noParent = '422 | validation_parent_not_found /parent_transaction_id';
export const noCursor = '422 | validation_invalid_cursor starting_after';
const change = (body: unknown, headers: Record<string, string> = {}): Request => ({ body, headers });
const creditOf = (parent: string, others: object = {}): Request => ({
  body: { type: 'credit', parent_transaction_id: parent, ...others },
});
const line = { line_items: [{ id: 'item_1', quantity: '1' }] };

/** What a stranger may try, and what the answer is: by hand, and the same for an id that nobody has. */
export const attempts: readonly (readonly [string, (ids: Ids) => Asked, string])[] = [
  ['reading a sale', ({ sale }) => ['GET', `/transactions/${sale}`], notFound],
  ['reading a credit', ({ credit }) => ['GET', `/transactions/${credit}`], notFound],
  ['reading a void sale', ({ voided }) => ['GET', `/transactions/${voided}`], notFound],
  ['reading a draft', ({ draft }) => ['GET', `/transactions/${draft}`], notFound],
  ['reading a sale with its history', ({ sale }) => ['GET', `/transactions/${sale}?expand=history`], notFound],
  ['reading a history', ({ draft }) => ['GET', `/transactions/${draft}/history`], notFound],
  ['reading a history on', ({ draft }) => ['GET', `/transactions/${draft}/history?starting_after=2`], notFound],
  [
    'reading a history on from nowhere',
    ({ draft }) => ['GET', `/transactions/${draft}/history?starting_after=9`],
    notFound,
  ],
  ['reading one entry of a history', ({ sale }) => ['GET', `/transactions/${sale}/history?limit=1`], notFound],
  ['changing a draft', ({ draft }) => ['POST', `/transactions/${draft}`, change({ metadata: { a: 'b' } })], notFound],
  [
    'changing a draft as it is',
    ({ draft }) => ['POST', `/transactions/${draft}`, change({ status: 'draft' })],
    notFound,
  ],
  ['finalizing a draft', ({ draft }) => ['POST', `/transactions/${draft}`, change({ status: 'finalized' })], notFound],
  ['voiding a draft', ({ draft }) => ['POST', `/transactions/${draft}`, change({ status: 'void' })], notFound],
  ['voiding a sale', ({ sale }) => ['POST', `/transactions/${sale}`, change({ status: 'void' })], notFound],
  ['voiding what is void', ({ voided }) => ['POST', `/transactions/${voided}`, change({ status: 'void' })], notFound],
  ['voiding a credit', ({ credit }) => ['POST', `/transactions/${credit}`, change({ status: 'void' })], notFound],
  [
    'changing the lines of a sale',
    ({ sale }) => ['POST', `/transactions/${sale}`, change({ line_items: [goods()] })],
    notFound,
  ],
  [
    'changing the first version',
    ({ draft }) => ['POST', `/transactions/${draft}`, change({ metadata: { a: 'b' } }, { 'If-Match': '"1"' })],
    notFound,
  ],
  [
    'changing a later version',
    ({ draft }) => ['POST', `/transactions/${draft}`, change({ metadata: { a: 'b' } }, { 'If-Match': '"2"' })],
    notFound,
  ],
  [
    'repeating a change under its key',
    ({ draft }) => [
      'POST',
      `/transactions/${draft}`,
      change({ metadata: { changed: 'yes' } }, { 'Idempotency-Key': 'the-same-change' }),
    ],
    notFound,
  ],
  [
    'another change under that key',
    ({ draft }) => [
      'POST',
      `/transactions/${draft}`,
      change({ metadata: { a: 'b' } }, { 'Idempotency-Key': 'the-same-change' }),
    ],
    notFound,
  ],
  ['replaying a sale', ({ sale }) => ['POST', `/transactions/${sale}/replay`], notFound],
  ['replaying a credit', ({ credit }) => ['POST', `/transactions/${credit}/replay`], notFound],
  ['listing after a sale', ({ sale }) => ['GET', `/transactions?starting_after=${sale}`], noCursor],
  [
    'listing with lines after a draft',
    ({ draft }) => ['GET', `/transactions?expand=line_items&starting_after=${draft}`],
    noCursor,
  ],
  ['crediting a sale', ({ sale }) => ['POST', '/transactions', creditOf(sale, { status: 'finalized' })], noParent],
  ['crediting a line in a draft', ({ sale }) => ['POST', '/transactions', creditOf(sale, line)], noParent],
  ['crediting a sale that is void', ({ voided }) => ['POST', '/transactions', creditOf(voided)], noParent],
  ['crediting a credit', ({ credit }) => ['POST', '/transactions', creditOf(credit, line)], noParent],
  [
    'crediting in another currency',
    ({ sale }) => ['POST', '/transactions', creditOf(sale, { currency: 'EUR' })],
    noParent,
  ],
  [
    'crediting under a key',
    ({ sale }) => ['POST', '/transactions', { ...creditOf(sale), headers: { 'Idempotency-Key': 'k' } }],
    noParent,
  ],
  ['calculating the credit of a sale', ({ sale }) => ['POST', '/calculations', creditOf(sale)], noParent],
  ['calculating the credit of a line', ({ sale }) => ['POST', '/calculations', creditOf(sale, line)], noParent],
  ['reading a filing', ({ filing }) => ['GET', `/filings/${filing}`], notFound],
  ['reading the entries of a filing', ({ filing }) => ['GET', `/filings/${filing}?expand=entries`], notFound],
  [
    'reading a filing as a table',
    ({ filing }) => ['GET', `/filings/${filing}`, { headers: { Accept: 'text/csv' } }],
    notFound,
  ],
  [
    'reading entries as a table',
    ({ filing }) => ['GET', `/filings/${filing}?expand=entries`, { headers: { Accept: 'text/csv' } }],
    notFound,
  ],
  [
    'filing a filing',
    ({ filing }) => ['POST', `/filings/${filing}`, change({ status: 'filed', confirmation_number: 'c' })],
    notFound,
  ],
  ['canceling a filing', ({ filing }) => ['POST', `/filings/${filing}`, change({ status: 'canceled' })], notFound],
  [
    'canceling a filing under a key',
    ({ earlier }) => ['POST', `/filings/${earlier}`, change({ status: 'canceled' }, { 'Idempotency-Key': 'k' })],
    notFound,
  ],
  ['listing after a filing', ({ filing }) => ['GET', `/filings?starting_after=${filing}`], noCursor],
];
