import { createHash } from 'node:crypto';
import type { StoredTransaction } from '../../shared/transactions/transaction.ts';

type Item = Readonly<Record<string, unknown>>;
type Read = {
  readonly transactionFrom: (item: unknown) => StoredTransaction;
  readonly openEntryFrom: (item: unknown) => { readonly transactionId: string; readonly state: string };
};

const cents = (amount: string) => Math.round(Number(amount) * 100);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const isLive = ({ transaction: { status } }: StoredTransaction) => status === 'finalized' || status === 'filed';

/**
 * What of an account's items is not whole, in words: each item must be there with those that were written with it.
 *
 * It reads the items themselves, and knows no more of the service's code than how they are compressed.
 */
export const halvesOf = (
  account: string,
  items: readonly Item[],
  { transactionFrom, openEntryFrom }: Read,
): string[] => {
  const found: string[] = [];
  const say = (words: string, holds: boolean) => void (holds || found.push(words));
  const begins = (letter: string) => items.filter(({ pk }) => String(pk).startsWith(`${letter}#${account}#`));
  const heads = begins('T').filter(({ sk }) => sk === 'H');
  const audits = Map.groupBy(
    begins('T').filter(({ sk }) => sk !== 'H'),
    ({ pk }) => String(pk),
  );
  const all = heads.map((head) => ({ head, stored: transactionFrom(head) }));

  say('audit entries of a transaction that is not there', audits.size === heads.length);
  for (const { head, stored } of all) {
    const { id, version, status } = stored.transaction;
    const chain = (audits.get(String(head['pk'])) ?? []).toSorted((one, other) =>
      String(one['sk']) < String(other['sk']) ? -1 : 1,
    );
    say(`${id} has ${chain.length} entries at version ${version}`, chain.length === version);
    for (const [at, entry] of chain.entries()) {
      say(`${id} entry ${at} has another version`, entry['version'] === at + 1);
      say(`${id} entry ${at} is not chained`, entry['previous_hash'] === (chain[at - 1]?.['audit_hash'] ?? null));
    }
    say(`${id} does not end its chain`, chain.at(-1)?.['audit_hash'] === stored.auditHash);
    say(`${id} is ${status} and its last entry is not`, chain.at(-1)?.['to_status'] === status);
  }

  const claimKey = (reference: string) => `R#${account}#${createHash('sha256').update(reference).digest('hex')}`;
  const claims = new Map(begins('R').map((claim) => [String(claim['pk']), claim]));
  const claiming = all.filter(
    ({ stored: { transaction } }) => transaction.status !== 'void' && transaction.reference_id !== null,
  );
  say('another number of claims than of live references', claims.size === claiming.length);
  for (const {
    stored: { transaction },
  } of claiming) {
    const claim = claims.get(claimKey(transaction.reference_id ?? ''));
    say(`${transaction.id} has no claim`, claim?.['transaction_id'] === transaction.id);
    say(
      `the claim of ${transaction.id} has the wrong deadline`,
      (transaction.status === 'draft') === (claim?.['expires_at'] !== undefined),
    );
  }

  const entries = begins('O')
    .map(openEntryFrom)
    .map(({ transactionId, state }) => `${transactionId} ${state}`);
  const owed = all
    .filter(({ stored }) => isLive(stored))
    .flatMap(({ stored: { transaction } }) =>
      transaction.tax_summary.map((row) => `${transaction.id} ${row.jurisdiction_code.slice(0, 5)}`),
    );
  say(
    'open entries that are not those of the finalized',
    entries.toSorted().join() === [...new Set(owed)].toSorted().join(),
  );

  for (const { stored } of all.filter(({ stored: { transaction } }) => transaction.type === 'sale')) {
    const credits = all
      .map((one) => one.stored)
      .filter((one) => isLive(one) && one.transaction.parent_transaction_id === stored.transaction.id);
    const { id, credited_amount, credited_tax_amount } = stored.transaction;
    const lines = Object.values(stored.credited.lines);
    const nets = credits.map(({ transaction }) => cents(transaction.subtotal_amount));
    const taxes = credits.map(({ transaction }) => cents(transaction.tax_amount));
    say(`${id} counts another net than its credits`, cents(credited_amount) === sum(nets));
    say(`${id} counts another tax than its credits`, cents(credited_tax_amount) === sum(taxes));
    say(`the lines of ${id} count another net`, sum(lines.map(({ net }) => cents(net))) === sum(nets));
    say(`the lines of ${id} count another tax`, sum(lines.map(({ tax }) => cents(tax))) === sum(taxes));
  }
  return found;
};
