import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '../../../shared/transactions/transaction.ts';
import { shippingCharges } from '../../support/shipping.ts';
import { cents, decimalsOf, type Head, isLive, sum } from './decode.ts';
import type { Ledger, Reign } from './ledger.ts';

const next: Readonly<Record<string, readonly string[]>> = {
  draft: ['draft', 'finalized', 'void'],
  finalized: ['finalized', 'void', 'filed'],
  filed: ['filed'],
  void: ['void'],
};

const netOf = ({ line_items, shipping }: Transaction) =>
  sum([...line_items, ...shippingCharges(shipping)].map((charge) => cents(charge.net_amount)));

const taxOf = ({ taxes }: Pick<Transaction['line_items'][number], 'taxes'>) =>
  sum(taxes.map((row) => cents(row.tax_amount)));

/** Violations of sums: totals equal the lines, and lines equal their jurisdictions. */
const sums = ({ transaction, item }: Head): string[] => {
  const { line_items, shipping, tax_amount, total_amount, tax_summary } = transaction;
  const charges = [...line_items, ...shippingCharges(shipping)];
  const wrong = charges
    .filter((charge) => taxOf(charge) !== cents(charge.tax_amount))
    .map(() => 'a line is not the sum of its jurisdictions');
  if (sum(charges.map((charge) => cents(charge.tax_amount))) !== cents(tax_amount))
    wrong.push('the tax is not the sum of the lines');
  if (sum(tax_summary.map((row) => cents(row.tax_amount))) !== cents(tax_amount))
    wrong.push('the tax is not the sum of the summary');
  if (netOf(transaction) + cents(tax_amount) !== cents(total_amount))
    wrong.push('the total is not the sum of its parts');
  const amounts = charges.flatMap((charge) => [charge.net_amount, charge.tax_amount]);
  const decimals = decimalsOf[transaction.currency];
  if ([...amounts, total_amount].some((amount) => (amount.split('.')[1] ?? '').length !== decimals))
    wrong.push(`an amount has not the decimals of ${transaction.currency}`);
  for (const name of [
    'status',
    'version',
    'total_amount',
    'tax_amount',
    'credited_amount',
    'credited_tax_amount',
  ] as const)
    if (item[name] !== transaction[name]) wrong.push(`its attribute ${name} is ${item[name]}`);
  return wrong;
};

/** Changes of an update that its audit entry does not list. */
const silently = (before: Head, after: Head, fields: readonly string[]): string[] => {
  const [old, current] = [before.transaction, after.transaction];
  const wrong: string[] = [];
  const isListed = (...names: readonly string[]) => names.some((name) => fields.includes(name));
  for (const key of Object.keys(old.metadata))
    if (!fields.includes('redacted_at') && current.metadata[key] !== old.metadata[key])
      wrong.push(`lost the metadata ${key}`);
  for (const name of [
    'reference_id',
    'credited_amount',
    'status',
    'line_items',
    'tax_date',
    'discount_amount',
  ] as const)
    if (
      !isDeepStrictEqual(old[name], current[name]) &&
      !isListed(name) &&
      !(name === 'line_items' && fields.some((field) => field !== 'metadata'))
    )
      wrong.push(`changed its ${name} without an audit entry`);
  return wrong;
};

const checked = (reigns: readonly Reign[], fieldsOf: (head: Head) => readonly string[]): string[] => {
  const wrong: string[] = [];
  reigns.forEach(({ head }, at) => {
    const before = reigns[at - 1]?.head;
    const where = `${head.id} at version ${head.version}`;
    wrong.push(...sums(head).map((words) => `${where}: ${words}`));
    if (head.version !== at + 1 || head.transaction.version !== at + 1)
      wrong.push(`${where} is the ${at + 1}. that was written`);
    if (!before) return;
    if (!next[before.status]?.includes(head.status))
      wrong.push(`${where} went from ${before.status} to ${head.status}`);
    wrong.push(...silently(before, head, fieldsOf(head)).map((words) => `${where} ${words}`));
  });
  return wrong;
};

/** Totals, versions and transitions of every version, and audited changes. */
export const stateViolations = (ledger: Ledger, fieldsOf: (head: Head) => readonly string[]): string[] =>
  [...ledger.reigns.values()].flatMap((reigns) => checked(reigns, fieldsOf));

/** At no step have two live transactions of an account the same reference. */
export const referenceViolations = (ledger: Ledger): string[] => {
  const wrong: string[] = [];
  const holders = new Map<string, Map<string, Head>>();
  const changes = [...ledger.reigns.values()].flat().sort((a, b) => a.from - b.from);
  for (const { head, version } of changes) {
    for (const [reference, of] of holders) if (reference.startsWith(`${head.account} `)) of.delete(head.id);
    if (head.reference === null || !isLive(head, version.nowMs)) continue;
    const name = `${head.account} ${head.reference}`;
    const of = holders.get(name) ?? new Map<string, Head>();
    holders.set(name, of);
    for (const other of of.values())
      if (isLive(other, version.nowMs))
        wrong.push(`${head.id} and ${other.id} are both live under ${name} at step ${version.step}`);
    of.set(head.id, head);
  }
  return wrong;
};
