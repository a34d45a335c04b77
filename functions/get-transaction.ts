import { now } from '../shared/config/clock.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { replyOfAnswer } from '../shared/http/idempotency.ts';
import { accept, refuse } from '../shared/result.ts';
import { ledgerReads } from '../shared/store/ledger-reads.ts';
import { answerOf } from '../shared/transactions/answer.ts';
import { asOf } from '../shared/transactions/lifecycle.ts';
import { notFound } from '../shared/transactions/ports.ts';

/** GET /transactions/{id}: one transaction as it stands now. */
export const handler = endpoint('get-transaction', {
  run: async ({ caller, exchange }) => {
    const stored = await ledgerReads.find(caller.account.id, exchange.pathParameters['id'] ?? '');
    if (!stored) return refuse(notFound);
    return accept(replyOfAnswer({ answer: answerOf(200, asOf(stored.transaction, now())), isReplayed: false }));
  },
});
