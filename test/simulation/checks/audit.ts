import { canonical, committedHash, personalDigest, sha256 } from '../../support/committed-hash.ts';
import type { Item } from '../../support/memory-database.ts';
import type { Version } from '../history.ts';
import { type Head, kindOf } from './decode.ts';
import type { Ledger, Reign } from './ledger.ts';

const hash = (value: unknown) => sha256(canonical(value));

const entryHash = ({
  transaction_id,
  version,
  at,
  by,
  from_status,
  to_status,
  fields,
  state_hash,
  previous_hash,
}: Item) =>
  hash({
    transactionId: transaction_id,
    version,
    at,
    by,
    from: from_status,
    to: to_status,
    fields,
    stateHash: state_hash,
    previousHash: previous_hash,
  });

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
  const { salt, personal_digest: digest } = item;
  return committedHash(transaction, salt === undefined ? String(digest) : personalDigest(transaction, String(salt)));
};

/** Whether a command redacted a customer. */
const isOfOperator = ({ invocation }: Version): boolean => invocation.id.includes('.redact');

const ofState = ({ head, version }: Reign, before: Reign | undefined, audit: Audit, isHashed: boolean): string[] => {
  const entry = audit.of(head);
  const where = `The audit entry of ${head.id} at version ${head.version}`;
  if (!entry) return [`${where} is missing.`];
  const wrong: string[] = [];
  if (entry['audit_hash'] !== head.item['audit_hash']) wrong.push(`${where} is another than its head names.`);
  if (entry['previous_hash'] !== (before?.head.item['audit_hash'] ?? null))
    wrong.push(`${where} does not follow the one before.`);
  if (entry['to_status'] !== head.status || entry['from_status'] !== (before?.head.status ?? null))
    wrong.push(`${where} tells of another change.`);
  // A mark of a filing is attributed to the request that filed it, which may be much older.
  const isMarked = (entry['fields'] as string[]).includes('filings');
  const names = [version.invocation.id, 'draft_expired', ...(isOfOperator(version) ? ['operator'] : [])];
  if (!isMarked && !names.includes(String(entry['by'])))
    wrong.push(`${where} is by ${entry['by']}, not ${version.invocation.id}.`);
  if (!isHashed) return wrong;
  if (entry['audit_hash'] !== entryHash(entry)) wrong.push(`${where} has a wrong hash.`);
  if (entry['state_hash'] !== stateHashOf(head)) wrong.push(`${where} has the hash of another state.`);
  return wrong;
};

/** Every version has an audit entry that follows the one before. Hashes are computed for the last version, or for all. */
export const auditViolations = (ledger: Ledger, audit: Audit, areAllHashed: boolean): string[] => [
  ...audit.violations,
  ...[...ledger.reigns.values()].flatMap((reigns) =>
    reigns.flatMap((reign, at) => ofState(reign, reigns[at - 1], audit, areAllHashed || at === reigns.length - 1)),
  ),
];
