import { listCharges } from '../support/sales.ts';
import type { Body, Book, Entry, Filing, Posted } from './book.ts';
import { minor, sum, written } from './money.ts';

const getState = ({ jurisdiction_code }: { readonly jurisdiction_code: string }): string =>
  jurisdiction_code.slice(0, 5);

const listRows = (body: Body) => listCharges(body).flatMap(({ taxes }) => taxes);

/** Posts the open entries of a finalized transaction: one for each of its states. */
export const post = (book: Book, body: Body): void => {
  for (const state of new Set(listRows(body).map(getState)))
    book.journal.set(`${body.id} ${state}`, { id: body.id, state, month: body.tax_date.slice(0, 7), filing: null });
};

/** Removes the liability of a void transaction. */
export const takeBack = (book: Book, { id }: Body): void => {
  for (const [key, posted] of book.journal) if (posted.id === id) book.journal.delete(key);
};

/** Returns whether any entry of a transaction is in a filing. */
export const isTaken = (book: Book, { id }: Body): boolean =>
  [...book.journal.values()].some((posted) => posted.id === id && posted.filing !== null);

const isTaxedOtherwise = ({ tax_amount, calculated_tax_amount, ...body }: Body): boolean =>
  tax_amount !== calculated_tax_amount ||
  listRows(body as Body).some(({ taxability_reason }) => taxability_reason === 'over_collected');

/**
 * Returns whether a different tax was recorded on a document, its sale, or any credit of that sale, whose calculated
 * tax it shares.
 */
const mayDiffer = (book: Book, { id, parent_transaction_id: parent }: Body): boolean =>
  [...book.entries.values()].some(
    ({ body }) =>
      isTaxedOtherwise(body) &&
      (body.id === id || (parent !== null && (body.id === parent || body.parent_transaction_id === parent))),
  );

/** Returns how many entries of a filing can have exceptions. */
export const exceptionsAtMost = (book: Book, members: readonly string[]): number =>
  members.filter((id) => mayDiffer(book, (book.entries.get(id) as Entry).body)).length;

/**
 * Returns how many entries of a filing must have exceptions. The whole difference of a sale in one state is in its only
 * entry. A credit's share can equal its tax, so credits do not count.
 */
export const exceptionsAtLeast = (book: Book, members: readonly string[]): number =>
  members.filter((id) => {
    const { body } = book.entries.get(id) as Entry;
    const isInOneState = new Set(listRows(body).map(getState)).size === 1;
    return body.parent_transaction_id === null && isTaxedOtherwise(body) && isInOneState;
  }).length;

/** The sums of entries by currency; credits are negative. */
export const getAmounts = (book: Book, entries: readonly Posted[]): Filing['amounts'] => {
  const owed = entries.map(({ id, state }) => {
    const { body } = book.entries.get(id) as Entry;
    const rows = listRows(body).filter((row) => getState(row) === state);
    const sign = body.type === 'credit' ? -1n : 1n;
    const getSum = (field: 'taxable_amount' | 'exempt_amount' | 'tax_amount') =>
      sign * sum(rows.map((row) => minor(body.currency, row[field])));
    return {
      currency: body.currency,
      taxable: getSum('taxable_amount'),
      exempt: getSum('exempt_amount'),
      tax: getSum('tax_amount'),
    };
  });
  return [...new Set(owed.map(({ currency }) => currency))].sort().map((currency) => {
    const some = owed.filter((one) => one.currency === currency);
    const taxable = sum(some.map((one) => one.taxable));
    const exempt = sum(some.map((one) => one.exempt));
    const sums = {
      gross_amount: written(currency, taxable + exempt),
      exempt_amount: written(currency, exempt),
      taxable_amount: written(currency, taxable),
      tax_amount: written(currency, sum(some.map((one) => one.tax))),
      count: some.length,
    };
    return [currency, sums];
  });
};
