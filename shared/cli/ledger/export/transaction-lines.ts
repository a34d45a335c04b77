import { auditEntryFrom } from '../../../store/ledger/audit-item.ts';
import { auditItems, claimItemOf, headItem, transactionIds } from '../../../store/ledger/ledger-walk.ts';
import { transactionFrom } from '../../../store/ledger/transaction-item.ts';
import type { AuditEntry } from '../../../transactions/audit.ts';
import type { StoredTransaction } from '../../../transactions/transaction.ts';
import { CommandError } from '../../terminal/errors.ts';
import type { Line } from './format.ts';

const pageSize = 100;
const atOnce = 16;

/** Entries up to the transaction's version. Later entries were written after the transaction was read. */
const chainOf = async (account: string, { transaction: { id, version } }: StoredTransaction): Promise<AuditEntry[]> => {
  const pages = await Array.fromAsync(auditItems(account, id));
  const entries = pages.flatMap((items) => items.map(auditEntryFrom)).filter((entry) => entry.version <= version);
  if (entries.length !== version)
    throw new CommandError(
      `${id} has ${entries.length} audit entries at version ${version}. Run npm run ledger -- verify --account ${account}.`,
    );
  return entries;
};

const holdsReference = async (account: string, { transaction }: StoredTransaction): Promise<boolean> => {
  const { id, status, reference_id } = transaction;
  if (reference_id === null || status === 'void') return false;
  return (await claimItemOf(account, reference_id))?.['transaction_id'] === id;
};

type Exported = { readonly stored: StoredTransaction; readonly lines: readonly Line[] };

const exportedOf = async (account: string, id: string): Promise<Exported> => {
  const head = await headItem(account, id);
  if (!head) throw new CommandError(`${id} was deleted during the export. Stop the deletion, then export again.`);
  const stored = transactionFrom(head);
  const [entries, holds_reference] = await Promise.all([chainOf(account, stored), holdsReference(account, stored)]);
  const chain = entries.map((entry): Line => ({ kind: 'audit_entry', entry }));
  return { stored, lines: [...chain, { kind: 'transaction', holds_reference, stored }] };
};

/** An account's transactions with their audit chains as lines, oldest first, from strongly consistent reads of the table. */
export const exportedTransactions = async function* (account: string): AsyncGenerator<Exported> {
  for await (const ids of transactionIds(account, pageSize))
    for (let start = 0; start < ids.length; start += atOnce)
      yield* await Promise.all(ids.slice(start, start + atOnce).map((id) => exportedOf(account, id)));
};
