import { canonical, impersonal, personalDigest } from '../../support/committed-hash.ts';
import type { Item } from '../../support/memory-database.ts';
import { storedText } from '../../support/raw-items.ts';
import type { CustomerRedaction, Observed, Redaction } from '../client.ts';
import type { History } from '../history.ts';
import { getEntry, getKind, plain } from './decode.ts';
import type { Ledger, Reign } from './ledger.ts';

/** Returns a transaction without personal data and without the fields that a redaction changes. */
const getFigures = ({ head }: Reign): string => impersonal({ ...head.transaction, version: null, updated_at: null });

const isRedacted = ({ head }: Reign): boolean => head.transaction.redacted_at !== undefined;

/** The amounts and the commitments do not change. Neither the data nor the salt reappears. */
const ofTransaction = (reigns: readonly Reign[]): string[] => {
  const at = reigns.findIndex(isRedacted);
  const [before, first] = [reigns[at - 1], reigns[at]];
  if (!before || !first) return [];
  const wrong: string[] = [];
  const committed = ({ item }: Reign['head']) => item['commitments'] as { salt?: string; digest?: string };
  const digest = personalDigest(before.head.transaction, String(committed(before.head).salt));
  if (getFigures(before) !== getFigures(first)) wrong.push('changed a figure when it was redacted');
  if (committed(first.head).digest !== digest) wrong.push('lost its commitments when it was redacted');
  for (const { head } of reigns.slice(at)) {
    if (committed(head).salt !== undefined) wrong.push(`has a salt at version ${head.version}, after it was redacted`);
    if (committed(head).digest !== digest) wrong.push(`has other commitments at version ${head.version}`);
    if (head.item['customer_id'] !== undefined || getCanonical(head.transaction) !== impersonal(head.transaction))
      wrong.push(`has personal data at version ${head.version}, after it was redacted`);
  }
  return wrong;
};

const getCanonical = ({ redacted_at: _, ...transaction }: Reign['head']['transaction']): string =>
  canonical(transaction);

type Record = { readonly id: string; readonly step: number; readonly isClean: boolean };

const getRecord = (item: Item, step: number): Record => {
  const text = storedText(item['response']);
  const body = JSON.parse(text.slice(text.indexOf('\n') + 1));
  const isClean = body.object !== 'transaction' || getCanonical(body) === impersonal(body);
  return { id: String(body.id), step, isClean };
};

/** Returns the final entries and saved responses that still have the data of a redacted transaction. */
const leftOvers = ({ others }: Ledger, redactions: ReadonlyMap<string, Redaction>): string[] =>
  others.flatMap(([name, versions]) => {
    const { item, step } = versions.at(-1) ?? {};
    if (!item || step === undefined) return [];
    if (getKind(name) === 'entry') {
      const { transactionId, figures } = getEntry(item);
      const { customer_id = null } = figures.document;
      return redactions.has(transactionId) && customer_id !== null ? [`${name} names a redacted customer`] : [];
    }
    if (getKind(name) !== 'record') return [];
    const record = getRecord(item, step);
    const redaction = redactions.get(record.id);
    // A request that changed nothing can save its response while the redaction completes (SECURITY.md).
    return redaction && step < redaction.from && !record.isClean
      ? [`${name} has the personal data of ${record.id}`]
      : [];
  });

/** The customers of a document and its lines. */
const listCustomers = ({ head: { transaction } }: Reign) =>
  [transaction.customer, ...transaction.line_items.map(({ customer }) => customer)].filter((one) => one !== null);

/** The streets of a document, which only its credits share. */
const getStreets = (reign: Reign): string[] => listCustomers(reign).flatMap(({ address }) => address?.line1 ?? []);

/** The step after which a transaction is redacted. */
const redactedAt = (reigns: readonly Reign[]): number => reigns.find(isRedacted)?.from ?? Number.POSITIVE_INFINITY;

/** Returns credits that were recorded with the customer of a sale that had been redacted. */
const copies = (ledger: Ledger): string[] =>
  [...ledger.reigns.values()].flatMap(([first]) => {
    const credit = first as Reign;
    const { account, id, transaction } = credit.head;
    const sale = transaction.parent_transaction_id;
    const isCopy = getStreets(credit).length > 0;
    return sale && isCopy && redactedAt(ledger.of(account, sale)) < credit.from
      ? [`${id} was recorded with the data of ${sale}, which had been redacted`]
      : [];
  });

/**
 * Returns a customer's transactions that a redaction missed: transactions recorded before it, and credits of redacted
 * sales.
 */
const missed = ({ account, customer, from, to }: CustomerRedaction, history: History, ledger: Ledger): string[] =>
  [...ledger.reigns.values()].flatMap((reigns) => {
    const [first] = reigns as [Reign, ...Reign[]];
    const { id, transaction } = first.head;
    if (
      first.head.account !== account ||
      !listCustomers(first).some((one) => one.id === customer) ||
      redactedAt(reigns) <= to
    )
      return [];
    const ofSale = redactedAt(ledger.of(account, transaction.parent_transaction_id ?? ''));
    // An index can lack transactions recorded shortly before it was read.
    const readFrom = history.lackedSince(ofSale <= to ? Math.max(from, ofSale) : from, to);
    return first.from < readFrom ? [`${id} still names ${customer}, who was redacted (steps ${from} to ${to})`] : [];
  });

/** Returns items that still have a street at the end, although every transaction with this street was redacted. */
const streetsLeft = (ledger: Ledger): string[] => {
  const all = [...ledger.reigns.values()] as [Reign, ...Reign[]][];
  const kept = all.filter((reigns) => redactedAt(reigns) === Number.POSITIVE_INFINITY);
  const inUse = new Set(kept.flatMap(([first]) => getStreets(first)));
  const removed = new Map(
    all.flatMap(([first, ...later]) => {
      const at = redactedAt([first, ...later]);
      return getStreets(first).flatMap((street) => (inUse.has(street) ? [] : [[street, at] as const]));
    }),
  );
  return ledger.others.flatMap(([name, versions]) => {
    const { item, step } = versions.at(-1) ?? {};
    if (!item || step === undefined) return [];
    const text = JSON.stringify(plain(item));
    // A request that changed nothing can save its response while the redaction completes (SECURITY.md).
    const isLate = (at: number) => getKind(name) === 'record' && step >= at;
    return [...removed].flatMap(([street, at]) =>
      text.includes(street) && !isLate(at) ? [`${name} has the street ${street} of a redacted customer`] : [],
    );
  });
};

/** After a successful redaction, no item of the transaction has its personal data, and all amounts are unchanged. */
export const redactionViolations = (
  history: History,
  ledger: Ledger,
  { redactions, customerRedactions }: Observed,
): string[] => {
  const byId = new Map(redactions.map((redaction) => [redaction.id, redaction]));
  const missing = redactions
    .filter(({ account, id }) => !ledger.of(account, id).some(isRedacted))
    .map(({ id }) => `${id} was redacted with success, and is not`);
  const wrong = [...ledger.reigns.values()].flatMap((reigns) =>
    ofTransaction(reigns).map((words) => `${reigns[0]?.head.id} ${words}`),
  );
  const ofCustomers = customerRedactions.flatMap((redaction) => missed(redaction, history, ledger));
  const streets = customerRedactions.length > 0 ? streetsLeft(ledger) : [];
  return [...missing, ...wrong, ...leftOvers(ledger, byId), ...copies(ledger), ...ofCustomers, ...streets];
};
