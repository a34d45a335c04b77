import { now } from '../config/clock.ts';
import { replyOfAnswer } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import { accept, refuse } from '../result.ts';
import { ledgerReads } from '../store/ledger-reads.ts';
import { answerOf } from '../transactions/answer.ts';
import { asOf } from '../transactions/lifecycle.ts';
import { notFound } from '../transactions/ports.ts';

export const serve = operation({
  run: async ({ caller, exchange }) => {
    const stored = await ledgerReads.find(caller.account.id, exchange.pathParameters['id'] ?? '');
    if (!stored) return refuse(notFound);
    return accept(replyOfAnswer({ answer: answerOf(200, asOf(stored.transaction, now())), isReplayed: false }));
  },
});
