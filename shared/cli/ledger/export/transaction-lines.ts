import { auditEntryFrom } from '../../../store/ledger/audit-item.ts';
import { auditItems, claimItemOf, headItem } from '../../../store/ledger/ledger-walk.ts';
import { transactionFrom } from '../../../store/ledger/transaction-item.ts';
import type { AuditEntry } from '../../../transactions/audit.ts';
import type { StoredTransaction } from '../../../transactions/transaction.ts';
import { CommandError } from '../../terminal/errors.ts';
import type { Line } from './format.ts';

/** Every entry up to the transaction's own version: what came since the transaction was read is not in the file. */
const chainOf = async (account: string, { transaction: { id, version } }: StoredTransaction): Promise<AuditEntry[]> => {
  const entries: AuditEntry[] = [];
  for await (const items of auditItems(account, id))
    entries.push(...items.map(auditEntryFrom).filter((entry) => entry.version <= version));
  if (entries.length !== version)
    throw new CommandError(
      `${id} has ${entries.length} audit entries at version ${version}. See what is wrong: npm run ledger -- verify --account ${account}`,
    );
  return entries;
};

const holdsReference = async (account: string, { transaction }: StoredTransaction): Promise<boolean> => {
  const { id, status, reference_id } = transaction;
  if (reference_id === null || status === 'void') return false;
  return (await claimItemOf(account, reference_id))?.['transaction_id'] === id;
};

export type Exported = { readonly stored: StoredTransaction; readonly lines: readonly Line[] };

/** A transaction and its audit chain as lines, from the table itself. */
export const transactionLines = async (account: string, id: string): Promise<Exported> => {
  const head = await headItem(account, id);
  if (!head) throw new CommandError(`${id} is listed, and is not there: what removed it must end before an export.`);
  const stored = transactionFrom(head);
  const [entries, holds_reference] = await Promise.all([chainOf(account, stored), holdsReference(account, stored)]);
  return {
    stored,
    lines: [
      ...entries.map((entry): Line => ({ kind: 'audit_entry', entry })),
      { kind: 'transaction', holds_reference, stored },
    ],
  };
};
