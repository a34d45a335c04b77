import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry } from '../../../shared/ledger/audit.ts';
import { auditFaults, differing, faultText, statusFaults, sumFaults } from '../../../shared/ledger/invariants.ts';
import { canonical, committedHash, personalDigest, sha256 } from '../../support/committed-hash.ts';
import type { Item } from '../../support/memory-database.ts';
import { listCharges } from '../../support/sales.ts';
import type { History, Version } from '../history.ts';
import { currencyDecimals, getHead, getKind, type Head, isLive } from './decode.ts';

/** A state of a transaction, from the step that wrote it to the step that replaced it. */
export type Reign = { readonly head: Head; readonly version: Version; readonly from: number; readonly to: number };

export type Change = { readonly name: string; readonly version: Version; readonly before: Version | undefined };

/** A check of every step: returns the violations of a step, whose writes are checked together. */
export type Book = { readonly step: (changes: readonly Change[]) => readonly string[] };

/** The history of a schedule, by transaction and by step. */
export class Ledger {
  /** The states of each transaction, by account and id, oldest first. */
  readonly reigns = new Map<string, Reign[]>();
  /** The versions of all other items, by key. */
  readonly others: readonly (readonly [string, readonly Version[]])[];
  /** The writes of each step, in order. */
  readonly steps: readonly (readonly Change[])[];

  constructor({ versions }: History) {
    const all = [...versions];
    for (const [name, states] of all) {
      if (getKind(name) !== 'head') continue;
      const heads = states.map((version, at) => ({
        head: getHead(present(name, version)),
        version,
        from: version.step,
        to: states[at + 1]?.step ?? Number.POSITIVE_INFINITY,
      }));
      const [{ head }] = heads as [Reign];
      this.reigns.set(`${head.account} ${head.id}`, heads);
    }
    this.others = all.filter(([name]) => getKind(name) !== 'head');
    const byStep = new Map<number, Change[]>();
    for (const [name, states] of all)
      states.forEach((version, at) => {
        const change = { name, version, before: states[at - 1] };
        const step = byStep.get(version.step);
        if (step) step.push(change);
        else byStep.set(version.step, [change]);
      });
    this.steps = [...byStep].sort(([a], [b]) => a - b).map(([, changes]) => changes);
  }

  /** Shows each step to all books. Returns their violations. */
  walk(books: readonly Book[]): string[] {
    return this.steps.flatMap((changes) =>
      books.flatMap((book) => book.step(changes).map((words) => `${words} (step ${changes[0]?.version.step})`)),
    );
  }

  of(account: string, id: string): readonly Reign[] {
    return this.reigns.get(`${account} ${id}`) ?? [];
  }

  /** Returns the states of a transaction at any time between two steps, inclusive. */
  during(account: string, id: string, from: number, to: number): readonly Reign[] {
    return this.of(account, id).filter((reign) => reign.from <= to && reign.to >= from);
  }

  /** Returns the transactions that occupied a reference at any time between two steps. */
  holders(account: string, reference: string, from: number, to: number, fromMs: number): readonly string[] {
    return [...this.reigns.values()]
      .filter(([first]) => (first as Reign).head.account === account)
      .filter((reigns) =>
        reigns.some(
          (reign) =>
            reign.from <= to && reign.to >= from && reign.head.reference === reference && isLive(reign.head, fromMs),
        ),
      )
      .map(([first]) => (first as Reign).head.id);
  }
}

const present = (name: string, { item }: Version) => {
  if (!item) throw new Error(`${name} was deleted.`);
  return item;
};

/** Returns violations of one version: its sums, status, decimals, and attributes that differ from the transaction. */
const ofVersion = ({ transaction, item }: Head): string[] => {
  const { total_amount } = transaction;
  const wrong = [...sumFaults(transaction), ...statusFaults(transaction)].map(faultText);
  const amounts = listCharges(transaction).flatMap((charge) => [charge.net_amount, charge.tax_amount]);
  const decimals = currencyDecimals[transaction.currency];
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

/** Returns the changes of an update that its audit entry does not list. */
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

const checked = (reigns: readonly Reign[], listFields: (head: Head) => readonly string[]): string[] => {
  const wrong: string[] = [];
  reigns.forEach(({ head }, at) => {
    const before = reigns[at - 1]?.head;
    const where = `${head.id} at version ${head.version}`;
    wrong.push(...ofVersion(head).map((words) => `${where}: ${words}`));
    if (head.version !== at + 1 || head.transaction.version !== at + 1)
      wrong.push(`${where} is the ${at + 1}. that was written`);
    if (!before) return;
    wrong.push(...silently(before, head, listFields(head)).map((words) => `${where} ${words}`));
  });
  return wrong;
};

/** Sums, statuses and numbers of all versions, and audited changes. */
export const stateViolations = (ledger: Ledger, listFields: (head: Head) => readonly string[]): string[] =>
  [...ledger.reigns.values()].flatMap((reigns) => checked(reigns, listFields));

/** At no step do two live transactions of an account have the same reference. */
export const referenceViolations = (ledger: Ledger): string[] => {
  const books = new Map<string, Map<string, Head>>();
  const changes = [...ledger.reigns.values()].flat().sort((a, b) => a.from - b.from);
  return changes.flatMap(({ head, version: { nowMs, step } }) => {
    const book = books.get(head.account) ?? new Map<string, Head>();
    books.set(head.account, book.set(head.id, head));
    if (head.reference === null) return [];
    const holders = [...book.values()].filter((one) => one.reference === head.reference && isLive(one, nowMs));
    const ids = holders.map(({ id }) => id).join(' and ');
    return holders.length > 1 ? [`${head.account}, step ${step}: ${ids} have the reference ${head.reference}`] : [];
  });
};

const getEntry = ({ pk: _, sk: _sk, response: _response, about: _about, ...entry }: Item) => entry as AuditEntry;

const entryHash = ({ hash: _, ...covered }: AuditEntry): string => sha256(canonical(covered));

/** The audit entries of a schedule, by transaction and version. */
export class Audit {
  readonly #entries = new Map<string, Item>();
  readonly violations: string[] = [];

  constructor({ others }: Ledger) {
    for (const [name, versions] of others) {
      if (getKind(name) !== 'audit') continue;
      const [{ item }] = versions as [Version];
      if (versions.length > 1 || !item) this.violations.push(`The audit entry ${name} was changed.`);
      if (item) this.#entries.set(getName(String(item['pk']), item['version'] as number), item);
    }
  }

  of({ item, version }: Head): Item | undefined {
    return this.#entries.get(getName(String(item['pk']), version));
  }

  readonly listFields = (head: Head): readonly string[] => (this.of(head)?.['fields'] as string[] | undefined) ?? [];

  all(): readonly Item[] {
    return [...this.#entries.values()];
  }
}

const getName = (pk: string, version: number) => `${pk} ${version}`;

const getStateHash = ({ item, transaction }: Head): string => {
  const { salt, digest } = item['commitments'] as { readonly salt?: string; readonly digest?: string };
  return committedHash(transaction, salt === undefined ? String(digest) : personalDigest(transaction, String(salt)));
};

/** Whether a command redacted a customer. */
const isOfOperator = ({ invocation }: Version): boolean => invocation.id.includes('.redact');

const ofState = ({ head, version }: Reign, before: Reign | undefined, audit: Audit, isHashed: boolean): string[] => {
  const item = audit.of(head);
  const where = `The audit entry of ${head.id} at version ${head.version}`;
  if (!item) return [`${where} is missing.`];
  const entry = getEntry(item);
  const last = before && { hash: String(before.head.item['auditHash']), to: before.head.status };
  const hash = isHashed ? entryHash(entry) : null;
  const faults = [
    ...auditFaults(entry, { id: head.id, version: head.version, before: last ?? null, hash }),
    ...differing('hash of the entry, as the transaction has it', head.item['auditHash'], entry.hash),
    ...differing('status in the entry', entry.to, head.status),
    ...(isHashed ? differing('hash of the state in the entry', entry.stateHash, getStateHash(head)) : []),
  ];
  const wrong = faults.map((fault) => `${where}: ${faultText(fault)}`);
  // A filing's mark is attributed to the request that filed it, which can be much older.
  const isMarked = entry.fields.includes('filings');
  const names = [version.invocation.id, 'draft_expired', ...(isOfOperator(version) ? ['operator'] : [])];
  if (!isMarked && !names.includes(entry.by)) wrong.push(`${where} is by ${entry.by}, not ${version.invocation.id}.`);
  return wrong;
};

/**
 * Every version has an audit entry linked to the previous one. Hashes are computed for the last version, or for all.
 */
export const auditViolations = (ledger: Ledger, audit: Audit, areAllHashed: boolean): string[] => [
  ...audit.violations,
  ...[...ledger.reigns.values()].flatMap((reigns) =>
    reigns.flatMap((reign, at) => ofState(reign, reigns[at - 1], audit, areAllHashed || at === reigns.length - 1)),
  ),
];
