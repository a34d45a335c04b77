import type { Transaction } from '../bodies.ts';
import type { FiledPeriod } from '../ledger.ts';
import { minor, sumOf } from '../oracle/amounts.ts';
import { entriesOf, nothing, plus } from '../oracle/entries.ts';
import { must, same } from '../violation.ts';

/** Refunds never exceed their sale, and a full refund leaves no amount in any state. */

export const isLive = ({ status }: Transaction): boolean => status === 'finalized' || status === 'filed';

/** The credits that are not void, by the id of their sale. */
const creditsBySale = (transactions: readonly Transaction[]): Map<string, Transaction[]> =>
  Map.groupBy(
    transactions.filter((one) => one.parent_transaction_id !== null && isLive(one)),
    ({ parent_transaction_id }) => parent_transaction_id as string,
  );

const netOf = ({ currency, total_amount, tax_amount }: Transaction): bigint =>
  minor(currency, total_amount) - minor(currency, tax_amount);

const checkSale = (sale: Transaction, credits: readonly Transaction[]): void => {
  const { id, currency, refund_status } = sale;
  const [net, tax] = [sumOf(credits.map(netOf)), sumOf(credits.map((one) => minor(currency, one.tax_amount)))];
  same(minor(currency, sale.credited_amount), net, `The credited amount of ${id} is not that of its credits.`, credits);
  same(minor(currency, sale.credited_tax_amount), tax, `The credited tax of ${id} is not that of its credits.`);
  must(net <= netOf(sale) && tax <= minor(currency, sale.tax_amount), `More than ${id} is credited.`, credits);
  const isFull = net === netOf(sale) && tax === minor(currency, sale.tax_amount);
  const expected = net === 0n && tax === 0n && !(isFull && credits.length > 0) ? 'none' : isFull ? 'full' : 'partial';
  same(refund_status, expected, `The refund status of ${id} is wrong.`, credits);
  if (expected !== 'full') return;
  const sums = [sale, ...credits].flatMap((one) => entriesOf(one, sale));
  for (const [state, entries] of Map.groupBy(sums, (entry) => entry.state)) {
    const { gross, taxable, tax: left } = entries.map(({ whole }) => whole).reduce(plus, nothing);
    same([gross, taxable, left].map(String), ['0', '0', '0'], `The refunds of ${id} leave something in ${state}.`);
    const codes = entries.flatMap(({ rates }) => [...rates]);
    for (const [key, rates] of Map.groupBy(codes, ([code]) => code)) {
      const sum = rates.map(([, one]) => one).reduce(plus, nothing);
      same(
        [sum.gross, sum.taxable, sum.tax].map(String),
        ['0', '0', '0'],
        `The refunds of ${id} leave something in ${key}.`,
      );
    }
  }
};

export const checkCredits = (transactions: readonly Transaction[]): void => {
  const credits = creditsBySale(transactions);
  for (const sale of transactions)
    if (sale.type === 'sale') {
      const own = credits.get(sale.id) ?? [];
      must(own.length === 0 || isLive(sale), `${sale.id} is ${sale.status} and has credits.`, own);
      checkSale(sale, own);
    }
};

/** The entries of a fully refunded sale add up to zero in every state, for each amount of the returns. */

const figures = [
  ...(['gross_amount', 'exempt_amount', 'taxable_amount', 'tax_amount'] as const),
  ...(['not_covered_amount', 'calculated_tax_amount', 'over_collected_amount'] as const),
] as const;

export const checkRefunds = (filings: readonly FiledPeriod[], transactions: readonly Transaction[]): void => {
  const credits = creditsBySale(transactions);
  for (const { id, currency, refund_status } of transactions) {
    if (refund_status !== 'full') continue;
    const family = new Set([id, ...(credits.get(id) ?? []).map((one) => one.id)]);
    for (const [state, some] of Map.groupBy(filings, (filing) => filing.state)) {
      const members = some.flatMap((filing) => filing.members.filter((one) => family.has(one.transaction_id)));
      const amounts = members.flatMap((one) => one.amounts);
      const left = figures.filter((name) => sumOf(amounts.map((one) => minor(currency, one[name]))) !== 0n);
      same(left, [], `The returns of ${state} keep something of ${id}, which is refunded in full.`, members);
    }
  }
};
