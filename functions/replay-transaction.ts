import { type Documentation, defineEndpoint } from '../shared/api/define-endpoint.ts';
import { now } from '../shared/config/clock.ts';
import { replayTransaction } from '../shared/ledger/replay.ts';
import { Replay } from '../shared/ledger/response.ts';
import { loadContent } from '../shared/store/content/load-content.ts';
import { ledgerReads } from '../shared/store/ledger/ledger-reads.ts';
import { partitions } from '../shared/store/table-access.ts';

export const { endpoint, handler } = defineEndpoint({
  name: 'replay-transaction',
  method: 'POST',
  path: '/transactions/{id}/replay',
  scope: 'read',
  access: {
    actions: { content: ['BatchGetItem'], transactions: ['GetItem'] },
    partitions: { transactions: [partitions.transactions] },
  },
  respond: ({ id, caller }) => replayTransaction(id, caller.account, { ledger: ledgerReads, loadContent, now }),
});

export const documentation = (): Documentation => ({
  summary: 'Replay a transaction',
  description: [
    'Recalculates a recorded transaction with the current engine and the recorded releases, account settings and tax date, and compares every value. Stores nothing.',
    "`match: false` comes with the differences. `match: null` means that the comparison is not possible; `reason` states why: a release is missing, or the state of a credit's sale at that time is unknown.",
    'A supplied tax is distributed again. A credit is recalculated from the state of its sale at that time.',
  ].join('\n\n'),
  response: { description: 'The result of the comparison.', schema: Replay, example: ({ replay }) => replay },
});
