import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { identifier } from '../../shared/calculations/fields.ts';
import { CalculationRequest } from '../../shared/calculations/request.ts';
import { CustomerRequest, CustomerUpdate } from '../../shared/customers/request.ts';
import { TransactionListQuery } from '../../shared/ledger/list-query.ts';
import { ReconciliationRequest } from '../../shared/ledger/reconciliation.ts';
import { TransactionRequest, TransactionUpdate } from '../../shared/ledger/request.ts';
import { getPlace, parseSent } from '../support/handler-calls.ts';

const address = { state: 'MI', postal_code: '48933' };
const line = { quantity: '1', unit_price: '1.00' };
const order = { customer: { address }, line_items: [line] };

/** Each identifier field, as a request that sends the value in that field. */
const fields: [pointer: string, z.ZodMiniType, (value: string) => object][] = [
  ['/line_items/0/id', CalculationRequest, (id) => ({ ...order, line_items: [{ ...line, id }] })],
  [
    '/line_items/0/parent_line_item_id',
    CalculationRequest,
    (id) => ({ ...order, line_items: [{ ...line, parent_line_item_id: id }] }),
  ],
  ['/shipping/id', CalculationRequest, (id) => ({ ...order, shipping: { id, amount: '1.00' } })],
  [
    '/shipping/0/line_item_ids/0',
    CalculationRequest,
    (id) => ({ ...order, shipping: [{ amount: '1.00', line_item_ids: [id] }] }),
  ],
  ['/customer/id', CalculationRequest, (id) => ({ ...order, customer: { id, address } })],
  ['/line_items/0/customer/id', CalculationRequest, (id) => ({ line_items: [{ ...line, customer: { id, address } }] })],
  ['/reference_id', TransactionRequest, (reference_id) => ({ ...order, reference_id })],
  ['/reference_id', TransactionUpdate, (reference_id) => ({ reference_id })],
  ['/id', CustomerRequest, (id) => ({ id })],
  ['/id', CustomerUpdate, (id) => ({ id })],
  [
    '/transactions/0/reference_id',
    ReconciliationRequest,
    (reference_id) => ({ transactions: [{ reference_id, total_amount: '1.00', tax_amount: '0.06' }] }),
  ],
  ['/reference_id', TransactionListQuery, (reference_id) => ({ reference_id })],
  ['/customer_id', TransactionListQuery, (customer_id) => ({ customer_id })],
];

const listProblems = (schema: z.ZodMiniType, body: object) =>
  parseSent({ schema, answer: {} }, body).problems.map((problem) => [problem.code, getPlace(problem), problem.detail]);

it.each(fields)(
  'an identifier may have white space within it, and none around it: %s',
  (pointer, schema, buildBody) => {
    expect(listProblems(schema, buildBody('order  4711 a'))).toEqual([]);
    for (const value of [' o1', 'o1 ', '\u00a0o1', 'o1\u3000', '\ufeffo1']) {
      const advice = `You sent ${JSON.stringify(value)}. Send "o1", without white space at the start or the end.`;
      expect(listProblems(schema, buildBody(value))).toEqual([['validation_invalid_format', pointer, advice]]);
    }
    const alone = expect.stringContaining('Send 1 to 255 characters');
    expect(listProblems(schema, buildBody(' '))).toEqual([['validation_invalid_format', pointer, alone]]);
  },
);

it('documents a pattern for each identifier that accepts exactly what the check accepts', () => {
  const pattern = new RegExp((z.globalRegistry.get(identifier) as { readonly pattern: string }).pattern);
  const parts = ['', ' ', '\t', '\n', '\u00a0', '\u0085', '\u200b', '🧾', 'a', '/'];
  for (const start of parts)
    for (const middle of parts)
      for (const end of parts) {
        const value = `${start}${middle}${end}`;
        if (value === '') continue;
        expect([value, pattern.test(value)]).toEqual([value, identifier.safeParse(value).success]);
      }
});
