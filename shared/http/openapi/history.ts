import { TransactionHistoryQuery, TransactionQuery } from '../../transactions/history/query.ts';
import { type HistoryEntry, RetrievedTransaction, TransactionHistory } from '../../transactions/history/response.ts';
import { finalized } from './answer-examples.ts';
import type { OperationDefinition } from './operations.ts';

export const getTransaction: OperationDefinition = {
  tag: 'Transactions',
  summary: 'Retrieve a transaction',
  description:
    'The transaction as it is now. A draft after its deadline reads as void. `expand=history` adds its newest 50 changes; `history` is in no other answer, and no part of the state that is hashed.',
  query: TransactionQuery,
  success: {
    status: 200,
    description: 'The transaction.',
    schema: RetrievedTransaction,
    example: { ...finalized, history: null } satisfies RetrievedTransaction,
    headers: ['ETag'],
  },
};

const entries = [
  {
    version: 2,
    at: finalized.updated_at,
    by: 'key_9c1f24ad7be0',
    from: 'draft',
    to: 'finalized',
    fields: ['reference_id', 'status'],
    state_hash: 'H0LzI5m3mJcWqYx3Tt9bV8m1b0dQn7rP2wK4sE6uA1c',
    previous_hash: 'x5oZ0Wm3n1nQm0N0uT7xR2v0d4JXk3yq2mS8cQ2r9a0',
    hash: 'p8TzWm1oZ0n3Nq7xR0uT2v4d0JXk9yS3mQ2cr5a8b1E',
  },
] satisfies HistoryEntry[];

export const getTransactionHistory: OperationDefinition = {
  tag: 'Transactions',
  summary: 'List the changes of a transaction',
  description: [
    'Every change, newest first, kept for ever. Page with `starting_after`.',
    'The entries are a chain: each holds the hash of the one before and of the state that it left, so that anybody can check that nothing was altered. The last entry of a draft after its deadline is the one that says so, whether or not it has been written yet.',
  ].join('\n\n'),
  query: TransactionHistoryQuery,
  success: {
    status: 200,
    description: 'A page of changes.',
    schema: TransactionHistory,
    example: {
      object: 'list',
      url: `/transactions/${finalized.id}/history`,
      has_more: true,
      next_cursor: '2',
      data: entries,
    } satisfies TransactionHistory,
  },
};
