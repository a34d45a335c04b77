/** Refunds the remainder of many sales, so that their returns are zero. */

import { send } from '../support/http.ts';
import type { Transaction } from './bodies.ts';
import type { Book } from './book.ts';
import { noteCreation } from './book.ts';
import { readTransactions } from './ledger.ts';
import { firstDay } from './oracle/days.ts';
import { same } from './violation.ts';
import type { World } from './world.ts';

export const refundSome = async ({ service, draw, month }: World, book: Book): Promise<void> => {
  const sales = (await readTransactions({ url: service.url, key: book.key })).filter(
    ({ type, status, refund_status }) =>
      type === 'sale' && ['finalized', 'filed'].includes(status) && refund_status !== 'full',
  );
  for (const sale of sales) {
    if (draw.chance(50)) continue;
    const name = `${book.letter}-refund-${sale.id}`;
    const body = {
      ...{ type: 'credit', parent_transaction_id: sale.id, credit_remaining: true, status: 'finalized' as const },
      ...{ tax_date: firstDay(month + 2), metadata: { op: name } },
    };
    const answer = await send(service.url, 'POST', '/transactions', { headers: { 'X-API-Key': book.key }, body });
    same(answer.status, 201, `The rest of ${sale.id} cannot be credited.`, answer.body);
    const { id } = answer.body as unknown as Transaction;
    noteCreation(book, { name, body, parent: sale.id, idempotencyKey: null, outcome: 'accepted', id });
  }
};
