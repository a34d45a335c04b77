import { invalidFormat } from '../../calculations/fields.ts';
import type { Problem } from '../../problem.ts';
import type { Transaction } from '../transaction.ts';
import type { CreditRequest } from './credit.ts';

/** The refusal of a credit because of what its parent is, or `null` (interface decisions 5). */
export const creditProblem = ({ type, status, currency }: Transaction, request: CreditRequest): Problem | null => {
  if (type !== 'sale' || (status !== 'finalized' && status !== 'filed'))
    return {
      code: 'conflict_parent_not_creditable',
      title: 'Parent cannot be credited',
      detail: `Only a finalized or filed sale can be credited; this is a ${status} ${type}.`,
      source: { pointer: '/parent_transaction_id' },
      meta: { parent_type: type, parent_status: status },
    };
  if (request.currency && request.currency !== currency)
    return invalidFormat('/currency', 'Invalid currency', `Credit in the currency of the sale, ${currency}.`);
  const name = (['discount_amount', 'third_party_discount_amount'] as const).find((field) => request[field]);
  return name
    ? invalidFormat(`/${name}`, `Invalid ${name}`, 'A credit of a sale carries its discounts on its lines.')
    : null;
};

/** The refusal of a parent that is not there, or is another account's: nobody learns which. */
export const parentNotFound: Problem = {
  code: 'validation_parent_not_found',
  title: 'Parent not found',
  detail: 'No transaction of this account has this id.',
  source: { pointer: '/parent_transaction_id' },
};
