import type { AuditEntry } from '../../../shared/ledger/audit.ts';
import { auditFaults, differing, faultText } from '../../../shared/ledger/invariants.ts';
import { canonical, committedHash, personalDigest, sha256 } from '../../support/committed-hash.ts';
import type { Item } from '../../support/memory-database.ts';
import type { Version } from '../history.ts';
import { type Head, kindOf } from './decode.ts';
import type { Ledger, Reign } from './ledger.ts';

const entryOf = ({ pk: _, sk: _sk, answer: _answer, about: _about, ...entry }: Item) => entry as AuditEntry;

const entryHash = ({ hash: _, ...covered }: AuditEntry): string => sha256(canonical(covered));

/** The audit entries of a schedule, by transaction and version. */
export class Audit {
  readonly #entries = new Map<string, Item>();
  readonly violations: string[] = [];

  constructor({ others }: Ledger) {
    for (const [name, versions] of others) {
      if (kindOf(name) !== 'audit') continue;
      const [{ item }] = versions as [Version];
      if (versions.length > 1 || !item) this.violations.push(`The audit entry ${name} was changed.`);
      if (item) this.#entries.set(nameOf(String(item['pk']), item['version'] as number), item);
    }
  }

  of({ item, version }: Head): Item | undefined {
    return this.#entries.get(nameOf(String(item['pk']), version));
  }

  readonly fieldsOf = (head: Head): readonly string[] => (this.of(head)?.['fields'] as string[] | undefined) ?? [];

  all(): readonly Item[] {
    return [...this.#entries.values()];
  }
}

const nameOf = (pk: string, version: number) => `${pk} ${version}`;

const stateHashOf = ({ item, transaction }: Head): string => {
  const { salt, digest } = item['commitments'] as { readonly salt?: string; readonly digest?: string };
  return committedHash(transaction, salt === undefined ? String(digest) : personalDigest(transaction, String(salt)));
};

/** Whether a command redacted a customer. */
const isOfOperator = ({ invocation }: Version): boolean => invocation.id.includes('.redact');

const ofState = ({ head, version }: Reign, before: Reign | undefined, audit: Audit, isHashed: boolean): string[] => {
  const item = audit.of(head);
  const where = `The audit entry of ${head.id} at version ${head.version}`;
  if (!item) return [`${where} is missing.`];
  const entry = entryOf(item);
  const last = before && { hash: String(before.head.item['auditHash']), to: before.head.status };
  const hash = isHashed ? entryHash(entry) : null;
  const faults = [
    ...auditFaults(entry, { id: head.id, version: head.version, before: last ?? null, hash }),
    ...differing('hash of the entry, as the transaction has it', head.item['auditHash'], entry.hash),
    ...differing('status in the entry', entry.to, head.status),
    ...(isHashed ? differing('hash of the state in the entry', entry.stateHash, stateHashOf(head)) : []),
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
