import { chooseIndex } from '../../ledger/list-filters.ts';
import { transactionIndex } from '../../store/ledger/transaction-index.ts';

const pageSize = 100;

/**
 * The ids of the transactions that have had this reference, the one that is not void first. A transaction id is returned as
 * it is.
 */
export const idsOfReference = async (account: string, reference: string): Promise<readonly string[]> => {
  if (/^txn_[0-9A-Z]{26}$/.test(reference)) return [reference];
  const choice = chooseIndex({ reference_id: reference }, 'UTC');
  const { rows } = await transactionIndex.page(account, { ...choice, after: null, limit: pageSize });
  return rows.toSorted((a, b) => Number(a.status === 'void') - Number(b.status === 'void')).map(({ id }) => id);
};
