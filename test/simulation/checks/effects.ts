import { faultText, idempotencyFaults } from '../../../shared/ledger/invariants.ts';
import { impersonal } from '../../support/committed-hash.ts';
import type { Attempt, Sent } from '../observed.ts';
import type { Audit } from './audit.ts';
import type { Ledger } from './ledger.ts';

const statusOf = ({ response }: Attempt) => response?.status ?? 0;
const isDone = (attempt: Attempt) => statusOf(attempt) >= 200 && statusOf(attempt) < 300;
const isRefused = (attempt: Attempt) => statusOf(attempt) >= 400 && statusOf(attempt) < 500;

/** Number of versions by attempt and transaction, from the audit entries. */
export const writtenBy = (audit: Audit): Map<string, Map<string, number>> => {
  const written = new Map<string, Map<string, number>>();
  for (const entry of audit.all()) {
    const by = String(entry['by']);
    const heads = written.get(by) ?? new Map<string, number>();
    written.set(by, heads);
    const id = String(entry['pk']);
    heads.set(id, (heads.get(id) ?? 0) + 1);
  }
  return written;
};

/** An attempt writes one version, a credit also one of its sale; a refused one writes nothing. */
export const effects = (
  attempt: Attempt,
  isOfFilings: boolean,
  written: ReadonlyMap<string, ReadonlyMap<string, number>>,
): string[] => {
  const heads = written.get(attempt.invocation.id);
  if (!heads) return [];
  const wrong: string[] = [];
  if ([...heads.values()].some((versions) => versions > 1)) wrong.push('wrote one transaction twice');
  if (heads.size > 2 && !isOfFilings) wrong.push('wrote more than a transaction and its sale');
  if (isRefused(attempt)) wrong.push(`was refused with ${attempt.response?.body?.errors?.[0]?.code}, and wrote`);
  return wrong;
};

/** A change with If-Match makes the version after the named one. */
export const unmatched = (
  { account, request }: Sent,
  { invocation }: Attempt,
  ledger: Ledger,
  audit: Audit,
): string[] => {
  if (!request.ifMatch) return [];
  const own = ledger
    .of(account, request.id ?? '')
    .filter(({ head, version }) => version.invocation === invocation && audit.of(head)?.['by'] === invocation.id);
  return own.every(({ head }) => request.ifMatch === `"${head.version - 1}"`)
    ? []
    : ['changed another version than it named'];
};

/** One idempotency key has one change and one response, to the byte unless its transaction was redacted. */
export const keyed = (sent: Sent, written: ReadonlyMap<string, unknown>): string[] => {
  if (!sent.request.key) return [];
  // After a redaction, a repeated request gets its answer without the personal data.
  const isRedacted = sent.attempts.some((one) => isDone(one) && one.response?.body?.redacted_at !== undefined);
  const textOf = ({ response }: Attempt) => (isRedacted ? impersonal(response?.body) : response?.text);
  const answers = sent.attempts.map((attempt) => {
    const isText = isDone(attempt) || isRefused(attempt);
    const text = isText ? `${attempt.response?.headers['ETag']} ${textOf(attempt)}` : '';
    return { status: statusOf(attempt), text };
  });
  const changes = sent.attempts.filter(({ invocation }) => written.has(invocation.id)).length;
  return idempotencyFaults(changes, answers).map(faultText);
};
