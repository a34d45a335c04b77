import { now } from '../shared/config/clock.ts';
import { defineEndpoint } from '../shared/http/define-endpoint.ts';
import { lambdaHandler } from '../shared/http/lambda-handler.ts';
import { mapResult } from '../shared/result.ts';
import { loadContent } from '../shared/store/content/load-content.ts';
import { ledgerReads } from '../shared/store/ledger/ledger-reads.ts';
import { partitions } from '../shared/store/table-access.ts';
import { replayTransaction } from '../shared/transactions/replay/replay-transaction.ts';

export const endpoint = defineEndpoint({
  name: 'replay-transaction',
  method: 'POST',
  path: '/transactions/{id}/replay',
  scope: 'read',
  access: {
    actions: { content: ['BatchGetItem'], transactions: ['GetItem'] },
    partitions: { transactions: [partitions.transactions] },
  },
  tag: 'Transactions',
  summary: 'Replay a transaction',
  description: [
    'Calculates a recorded transaction again, from the releases, the account settings and the tax date that it keeps, with the engine as it is now, and compares every figure. Stores nothing.',
    '`match: false` comes with the differences. `match: null` says that it cannot be known, and `reason` why: a release is no longer there, or the sale of a credit is not known as it was.',
    'A tax that was supplied is spread again. A credit is computed again from its sale as that stood then.',
  ].join('\n\n'),
  responses: [{ status: 200, description: 'What came out.', schema: 'Replay' }],
  errors: ['not_found'],
  run: async ({ id, caller }) => {
    const ports = { ledger: ledgerReads, loadContent, now };
    return mapResult(await replayTransaction(id, caller.account, ports), (body) => ({ status: 200, body }));
  },
});

export const handler = lambdaHandler(endpoint);
