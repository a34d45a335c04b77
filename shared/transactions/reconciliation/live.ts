import type { Transaction } from '../transaction.ts';

/** Whether a transaction counts: it is finalized or filed. */
export const isLive = ({ status }: Pick<Transaction, 'status'>): boolean =>
  status === 'finalized' || status === 'filed';
