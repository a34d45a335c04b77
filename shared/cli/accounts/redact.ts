import { encodeTime } from 'ulid';
import { dayMs, isDay } from '../../base/calendar.ts';
import { concurrently } from '../../base/collections.ts';
import { now } from '../../config/clock.ts';
import { namesCustomer } from '../../ledger/personal-data/fields.ts';
import { type Redacted, type RedactionPorts, redactTransaction } from '../../ledger/personal-data/redact.ts';
import type { Transaction } from '../../ledger/transaction.ts';
import { customerReads } from '../../store/customers/customer-reads.ts';
import { removeCustomer } from '../../store/customers/customer-store.ts';
import { ledgerReads } from '../../store/ledger/ledger-reads.ts';
import { creditIds, transactionIds } from '../../store/ledger/ledger-walk.ts';
import { redactionPorts } from '../../store/ledger/redaction-ports.ts';
import { idsOfReference } from '../ledger/history.ts';
import { refuseValue, requireAccount } from '../terminal/arguments.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { requireConfirmation, withProgress } from '../terminal/progress.ts';
import { account, CommandError, flag, optional, subcommand, yes } from '../terminal/run-command.ts';

/** Selects the transactions to redact: one with its credits, all of a customer, or all created before a time. */
type Selection = { readonly transaction: string } | { readonly customer: string } | { readonly beforeMs: number };

const pageSize = 100;

/** A transaction of the selection. */
type Selected = Pick<Transaction, 'id' | 'redacted_at'>;

/** Returns the transactions with these ids that match the selection, from strongly consistent reads of the table. */
const matching = async (
  account: string,
  ids: readonly string[],
  matches: (transaction: Transaction) => boolean,
): Promise<readonly Selected[]> =>
  (await ledgerReads.findSome(account, ids)).map(({ transaction }) => transaction).filter(matches);

const ofTransaction = async function* (account: string, reference: string): AsyncGenerator<readonly Selected[]> {
  const found = await matching(account, await idsOfReference(account, reference), () => true);
  if (found.length === 0)
    throw new CommandError(`${account} has no transaction with the id or reference ${reference}. Nothing was changed.`);
  yield found;
  for (const { id } of found)
    for await (const ids of creditIds(account, id))
      yield await matching(account, ids, ({ parent_transaction_id }) => parent_transaction_id === id);
};

/** Yields the transactions of a selection in pages. A customer can be on any line, so every transaction is read. */
const selectedTransactions = async function* (account: string, selection: Selection) {
  if ('transaction' in selection) return yield* ofTransaction(account, selection.transaction);
  // An id begins with the creation time.
  const end = 'beforeMs' in selection ? `txn_${encodeTime(selection.beforeMs, 10)}` : '~';
  const matches = (transaction: Transaction) =>
    !('customer' in selection) || namesCustomer(transaction, selection.customer);
  for await (const page of transactionIds(account, pageSize)) {
    const ids = page.filter((id) => id < end);
    yield await matching(account, ids, matches);
    if (ids.length < page.length) return;
  }
};

/** The number of transactions by outcome. */
export type Outcome = Record<Redacted, number> & {
  readonly inconsistentIds: string[];
  /** Transactions that were recorded during the redaction and still have the data. */
  left: number;
};

/** The value of `by` in audit entries that an operator's command writes. */
const operator = 'operator';

/** The maximum number of reads of the selection. Later reads find transactions recorded in the meantime. */
const passesMax = 5;

/**
 * Redacts the transactions of a selection concurrently, then repeats for transactions that were recorded in the
 * meantime, up to a maximum number of passes. After an interruption, the next run continues.
 */
export const redactSelection = async (
  account: string,
  selection: Selection,
  ports: RedactionPorts,
  onPage: (redacted: number) => void = () => {},
): Promise<Outcome> => {
  const outcome: Outcome = { redacted: 0, already: 0, unknown: 0, inconsistent: 0, inconsistentIds: [], left: 0 };
  const isLeft = ({ id, redacted_at }: Selected): boolean =>
    redacted_at === undefined && !outcome.inconsistentIds.includes(id);
  for (let pass = 0; pass < passesMax; pass += 1) {
    for await (const page of selectedTransactions(account, selection)) {
      // The first pass includes redacted transactions, because an interrupted run may have left their saved responses.
      await concurrently(pass === 0 ? page : page.filter(isLeft), async ({ id }) => {
        const done = await redactTransaction(account, id, operator, ports);
        outcome[done] += 1;
        if (done === 'inconsistent') outcome.inconsistentIds.push(id);
      });
      onPage(outcome.redacted);
    }
    outcome.left = 0;
    for await (const page of selectedTransactions(account, selection)) outcome.left += page.filter(isLeft).length;
    if (outcome.left === 0) break;
  }
  return outcome;
};

/** `accounts redact`: remove personal data from an account. */

const daysMax = 36_500;

/** Parses an age in days, or a past day, to milliseconds since 1970. */
const parseBefore = (text: string): number => {
  const days = /^(\d{1,5})d?$/.exec(text)?.[1];
  const atMs = isDay(text) ? Date.parse(text) : days === undefined ? Number.NaN : now() - Number(days) * dayMs;
  if (!Number.isNaN(atMs) && Number(days ?? 0) <= daysMax && atMs >= 0 && atMs <= now()) return atMs;
  return refuseValue(
    `Pass a number of days up to ${daysMax.toLocaleString('en-US')}, or a past date such as 2024-01-01.`,
  );
};

type Chosen = Readonly<Record<'transaction' | 'customer', string | undefined>> & {
  readonly olderThan: number | undefined;
};

const getSelection = ({ transaction, customer, olderThan: beforeMs }: Chosen): Selection => {
  if ([transaction, customer, beforeMs].filter((value) => value !== undefined).length !== 1)
    throw new CommandError('Pass one of --transaction, --customer and --older-than.');
  if (transaction !== undefined) return { transaction };
  return customer === undefined ? { beforeMs: beforeMs ?? 0 } : { customer };
};

type Found = { readonly open: number; readonly already: number; readonly isCustomer: boolean };

/** Counts the objects of a selection; refuses a customer that neither exists nor is in a transaction. */
const find = async (account: string, selection: Selection): Promise<Found> => {
  let [open, already] = [0, 0];
  for await (const page of selectedTransactions(account, selection))
    for (const { redacted_at } of page)
      if (redacted_at === undefined) open += 1;
      else already += 1;
  const isCustomer = 'customer' in selection && (await customerReads.find(account, selection.customer)) !== undefined;
  if ('customer' in selection && !isCustomer && open === 0)
    throw new CommandError(
      `The account ${account} has no customer ${selection.customer}, and no transaction has this customer. Nothing was changed.`,
    );
  return { open, already, isCustomer };
};

const foundText = ({ open, already, isCustomer }: Found): string =>
  [
    counted(open, 'transaction'),
    ...(isCustomer ? ['the stored customer with its certificates'] : []),
    ...(already > 0 ? [`${counted(already, 'transaction')} already redacted`] : []),
  ].join(', ');

/** Redacts a selection and shows the progress of the first pass. */
const redactAll = (account: string, selection: Selection, total: number): Promise<Outcome> => {
  const interrupted = 'Interrupted: run the same command again to continue';
  return withProgress(`Redacting ${account}`, Math.max(1, total), interrupted, async ({ reach, finish }) => {
    const outcome = await redactSelection(account, selection, redactionPorts(), (redacted) =>
      reach(redacted, counted(redacted, 'transaction')),
    );
    finish(`Redacted ${counted(outcome.redacted, 'transaction')}`);
    return outcome;
  });
};

export const redact = subcommand({
  name: 'redact',
  summary: 'permanently remove personal data from an account',
  description:
    'Remove personal data: customer ids, street lines, ZIP+4, certificate numbers, descriptions, metadata and messages that may quote them. Amounts, dates, references, states, cities and five-digit ZIP codes are kept, and `ledger verify` can still verify them. A sale is redacted with its credits.',
  options: {
    account,
    transaction: optional('<id>', 'the transaction with this id, or all that have had this reference_id'),
    customer: optional('<id>', 'every transaction of the customer, and the stored customer'),
    olderThan: optional(
      '<days|date>',
      'transactions older than this number of days, or created before a date (UTC)',
      parseBefore,
    ),
    dryRun: flag('only count'),
    yes,
    json: flag('one JSON object; needs --yes or --dry-run'),
  },
  examples: [
    'accounts -- redact --account acct_demo --customer cus_42 --dry-run',
    'accounts -- redact --account acct_demo --older-than 2555 --yes',
  ],
  run: async (options) => {
    const selection = getSelection(options);
    const { id: account } = await requireAccount(options.account);
    const found = await find(account, selection);
    const { json, dryRun } = options;
    if (dryRun) {
      const { open, already, isCustomer } = found;
      if (json) return printJson({ account, dry_run: true, transactions: open, already, customer: isCustomer });
      return print(`Would remove the personal data of ${account}: ${foundText(found)}.`);
    }
    await requireConfirmation(`Permanently remove the personal data of ${account}: ${foundText(found)}?`, options);
    const { redacted, already, inconsistentIds, left } = await redactAll(account, selection, found.open);
    const isClean = inconsistentIds.length === 0 && left === 0;
    const isRemoved = 'customer' in selection && isClean && (await removeCustomer(account, selection.customer));
    if (json)
      printJson({ account, transactions: redacted, already, left, customer: isRemoved, inconsistent: inconsistentIds });
    else {
      print(`Redacted: ${counted(redacted, 'transaction')}; ${already} were already redacted.`);
      if (isRemoved) print('Removed the stored customer with its certificates.');
      for (const transaction of inconsistentIds)
        print(`${transaction} was not redacted: its state differs from its audit chain. See npm run ledger -- verify.`);
      if (left > 0)
        print(`${counted(left, 'transaction')} recorded in the meantime are not redacted: run the same command again.`);
    }
    if (!isClean) process.exitCode = 1;
  },
});
