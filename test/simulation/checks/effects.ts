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
  const wrong: string[] = [];
  if (sent.attempts.filter(({ invocation }) => written.has(invocation.id)).length > 1)
    wrong.push('wrote more than once under one key');
  const done = sent.attempts.filter((attempt) => isDone(attempt));
  // After a redaction, a repeated request gets its answer without the personal data.
  const isRedacted = done.some(({ response }) => response?.body?.redacted_at !== undefined);
  const textOf = ({ response }: Attempt) => (isRedacted ? impersonal(response?.body) : response?.text);
  if (
    new Set(
      done.map((attempt) => `${attempt.response?.status} ${attempt.response?.headers['ETag']} ${textOf(attempt)}`),
    ).size > 1
  )
    wrong.push('was answered differently under one key');
  const first = sent.attempts.findIndex((attempt) => isDone(attempt));
  if (first >= 0 && sent.attempts.slice(first).some((attempt) => isRefused(attempt)))
    wrong.push('was refused under the key of what had been done');
  return wrong;
};
