import type { Transaction } from '../transaction.ts';

/** Whether a transaction counts: it is finalized or filed. A draft owes nothing yet, and what is void never did. */
export const isLive = ({ status }: Pick<Transaction, 'status'>): boolean =>
  status === 'finalized' || status === 'filed';
