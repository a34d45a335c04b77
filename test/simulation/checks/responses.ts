import { isDeepStrictEqual } from 'node:util';
import type { TransactionRow } from '../../../shared/ledger/response.ts';
import type { Transaction } from '../../../shared/ledger/transaction.ts';
import { impersonal } from '../../support/committed-hash.ts';
import type { Schema } from '../../support/http.ts';
import type { Attempt, Listing, Observed, Sent } from '../client.ts';
import { type Head, isLive } from './decode.ts';
import type { Audit, Ledger, Reign } from './ledger.ts';

const isDone = (attempt: Attempt) => getStatus(attempt) >= 200 && getStatus(attempt) < 300;
const isRefused = (attempt: Attempt) => getStatus(attempt) >= 400 && getStatus(attempt) < 500;

/** Number of versions by attempt and transaction, from the audit entries. */
const writtenBy = (audit: Audit): Map<string, Map<string, number>> => {
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

/** An attempt writes one version, and a credit also writes a version of its sale; a refused attempt writes nothing. */
const effects = (
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

/** A change with If-Match creates the version after the given one. */
const unmatched = ({ account, request }: Sent, { invocation }: Attempt, ledger: Ledger, audit: Audit): string[] => {
  if (!request.ifMatch) return [];
  const own = ledger
    .of(account, request.id ?? '')
    .filter(({ head, version }) => version.invocation === invocation && audit.of(head)?.['by'] === invocation.id);
  return own.every(({ head }) => request.ifMatch === `"${head.version - 1}"`)
    ? []
    : ['changed another version than it named'];
};

/**
 * An idempotency key makes at most one change, and always has the response of its first success, byte for byte unless
 * its transaction was redacted.
 */
const keyed = (sent: Sent, written: ReadonlyMap<string, unknown>): string[] => {
  if (!sent.request.key) return [];
  // After a redaction, a repeated request gets its response without the personal data.
  const isRedacted = sent.attempts.some((one) => isDone(one) && one.response?.body?.redacted_at !== undefined);
  const getText = ({ response }: Attempt) =>
    `${response?.status} ${response?.headers['ETag']} ${isRedacted ? impersonal(response?.body) : response?.text}`;
  const changes = sent.attempts.filter(({ invocation }) => written.has(invocation.id)).length;
  const texts = new Set(sent.attempts.filter(isDone).map(getText));
  const later = sent.attempts.slice(sent.attempts.findIndex(isDone));
  return [
    ...(changes > 1 ? [`made ${changes} changes under one key`] : []),
    ...(texts.size > 1 ? [`got ${texts.size} responses under one key`] : []),
    ...(texts.size > 0 && later.some(isRefused) ? ['was refused under the key of a successful request'] : []),
  ];
};

/** Compares responses with the ledger at the time of the request. */

const getStatus = ({ response }: Attempt) => response?.status ?? 0;
const getCode = ({ response }: Attempt): string => response?.body?.errors?.[0]?.code ?? '';
const getMeta = ({ response }: Attempt): Partial<Record<string, unknown>> => response?.body?.errors?.[0]?.meta ?? {};

/** The forms in which a state can be returned: an expired draft can be returned as void before that is written. */
const readings = ({ head: { transaction, status } }: Reign): readonly Transaction[] => {
  if (status !== 'draft') return [transaction];
  const at = transaction.expires_at as string;
  const end = { status: 'void', void_reason: 'draft_expired', voided_at: at, updated_at: at } as const;
  return [transaction, { ...transaction, ...end, version: transaction.version + 1 }];
};

/** Returns whether a response has the requested values. */
const isShown = ({ request: { body = {} } }: Sent, response: Transaction, isRedacted: boolean): boolean => {
  const { status, metadata = {}, reference_id, type } = body;
  return (
    (isRedacted ||
      Object.entries(metadata as Transaction['metadata']).every(([key, value]) => response.metadata[key] === value)) &&
    (status === undefined || response.status === status) &&
    (reference_id === undefined || response.reference_id === reference_id) &&
    (type === undefined || response.type === type)
  );
};

/** A returned transaction was stored with the same content between request and response. */
const acknowledged = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  const { body } = attempt.response ?? {};
  if (!body) return ['got a success without a body'];
  const { history, commitments: _, ...response } = body as Schema<'RetrievedTransaction'>;
  const from = sent.attempts[0]?.from ?? 0;
  const states = ledger.during(sent.account, response.id, from, attempt.to);
  // A saved response whose personal data was removed.
  const isRedacted = Boolean(attempt.response?.headers['Idempotent-Replayed']) && response.redacted_at !== undefined;
  const isSame = isRedacted
    ? (reading: Transaction) => impersonal(reading) === impersonal(response)
    : (reading: Transaction) => isDeepStrictEqual(reading, response);
  const isThere = states.some((reign) => readings(reign).some(isSame));
  const wrong = isThere ? [] : [`got ${response.id} at version ${response.version}, which did not exist`];
  if (sent.request.method === 'POST' && !isShown(sent, response, isRedacted))
    wrong.push('got a success without the change');
  if (history && !isWhole(history, response.version)) wrong.push('got a history with gaps');
  return wrong;
};

/** Whether a page has every version from the newest down to the first, or to the end of a full page. */
const isWhole = (history: readonly { readonly version: number }[], newest: number): boolean =>
  history.every(({ version }, at) => version === newest - at) && (history.length === newest || history.length >= 10);

const duplicate = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  const holder = String(getMeta(attempt)['transaction_id']);
  // Finalizing a draft claims its reference again.
  const own = ledger
    .during(sent.account, sent.request.id ?? '', attempt.from, attempt.to)
    .map(({ head }) => head.reference);
  const requested = sent.request.body?.['reference_id'] as string | undefined;
  const references = requested === undefined ? own : [requested];
  const holders = references.flatMap((reference) =>
    reference === null ? [] : ledger.holders(sent.account, reference, attempt.from, attempt.to, attempt.fromMs),
  );
  if (!holders.includes(holder)) return [`got ${holder} as holder of ${references}, which only [${holders}] had`];
  const maker = ledger.of(sent.account, holder)[0]?.version.invocation;
  const attempts = sent.request.key ? sent.attempts : [attempt];
  return holder === sent.request.id || attempts.some(({ invocation }) => invocation === maker)
    ? [`got itself as the holder of ${references}`]
    : [];
};

const notFound = (sent: Sent, attempt: Attempt, id: string, ledger: Ledger): string[] =>
  ledger.of(sent.account, id).some(({ from }) => from < attempt.from) ? [`got not_found for ${id}`] : [];

const preconditionFailed = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  const { version } = getMeta(attempt);
  const states = ledger.during(sent.account, sent.request.id ?? '', attempt.from, attempt.to);
  const isTrue =
    states.some((reign) => readings(reign).some((reading) => reading.version === version)) &&
    sent.request.ifMatch !== `"${version}"`;
  return isTrue
    ? []
    : [`got precondition_failed with version ${version}, which did not exist or was the requested one`];
};

const expired = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  const states = ledger.of(sent.account, sent.request.id ?? '');
  return states.some(({ head }) => head.endsMs !== null && !isLive(head, attempt.toMs))
    ? []
    : ['got draft_expired before the expiry'];
};

const refused = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  switch (getCode(attempt)) {
    case 'conflict_duplicate_reference_id':
      return duplicate(sent, attempt, ledger);
    case 'not_found':
      return notFound(sent, attempt, sent.request.id ?? '', ledger);
    case 'validation_parent_not_found':
      return notFound(sent, attempt, String(sent.request.body?.['parent_transaction_id']), ledger);
    case 'precondition_failed':
      return preconditionFailed(sent, attempt, ledger);
    case 'conflict_draft_expired':
      return expired(sent, attempt, ledger);
    case 'idempotency_key_reused':
      return sent.request.isOther ? [] : ['got idempotency_key_reused for the same request'];
    default:
      return [];
  }
};

/** Returns violations in responses: wrong content, duplicate changes, and refused changes that were made. */
export const responseViolations = (ledger: Ledger, audit: Audit, { sent: all }: Observed): string[] => {
  const written = writtenBy(audit);
  return all.flatMap((sent) => {
    const wrong = keyed(sent, written);
    for (const attempt of sent.attempts) {
      const status = getStatus(attempt);
      if (status >= 200 && status < 300 && attempt.response?.body?.object === 'transaction')
        wrong.push(...acknowledged(sent, attempt, ledger));
      else if (status >= 400 && status < 500) wrong.push(...refused(sent, attempt, ledger));
      if (sent.request.isOther && status < 300 && status > 0)
        wrong.push('succeeded with the key of another request or the cursor of another account');
      wrong.push(
        ...effects(attempt, sent.request.path.startsWith('/filings'), written),
        ...unmatched(sent, attempt, ledger, audit),
      );
    }
    return wrong.map(
      (words) => `${sent.name} (${sent.request.method} ${sent.request.path} of ${sent.account}) ${words}`,
    );
  });
};

const belongs = ({ transaction }: { readonly transaction: TransactionRow }, query: Listing['query']): boolean =>
  Object.entries(query).every(([name, value]) => {
    if (name === 'customer_id') return transaction.customer?.id === value;
    if (name === 'tax_date[gte]') return transaction.tax_date >= value;
    return name === 'limit' || transaction[name as keyof TransactionRow] === value;
  });

/** Returns whether a row equals a form of a state without its lines. */
const reads = (reign: Reign, row: TransactionRow): boolean =>
  readings(reign).some((reading) => isDeepStrictEqual({ ...reading, line_items: null, explanation: null }, row));

/** The state of a transaction that did not change or expire during the list request. */
const stable = (reigns: readonly Reign[], { from, to, fromMs, toMs }: Listing): Head | undefined => {
  const during = reigns.filter((reign) => reign.from <= to && reign.to >= from);
  const [only] = during;
  if (during.length !== 1 || !only || only.from >= from) return undefined;
  const { endsMs } = only.head;
  return endsMs !== null && endsMs >= fromMs && endsMs <= toMs ? undefined : only.head;
};

const ofListing = (listing: Listing, ledger: Ledger): string[] => {
  const rows = listing.pages.flatMap((page) => page.rows);
  const ids = rows.map(({ id }) => id);
  const wrong = rows
    .filter((row) => !ledger.of(listing.account, row.id).some((reign) => reads(reign, row)))
    .map(({ id }) => `shows ${id} as it never was in this account`);
  // With sorting by tax date, a transaction can move during the request.
  if (!('tax_date[gte]' in listing.query) && new Set(ids).size < ids.length)
    wrong.push(`shows a transaction twice: ${ids}`);
  for (const row of rows)
    if (!belongs({ transaction: row }, withoutCursor(listing.query)))
      wrong.push(`shows ${row.id}, which it does not ask for`);
  if (!listing.isWhole) return wrong;
  for (const reigns of ledger.reigns.values()) {
    const head = stable(reigns, listing);
    if (!head || head.account !== listing.account || !belongs(head, listing.query)) continue;
    const times = ids.filter((id) => id === head.id).length;
    if (times !== 1) wrong.push(`shows ${head.id} ${times} times`);
  }
  return wrong;
};

const withoutCursor = ({ starting_after: _, ...query }: Record<string, string>) => query;

/** A list contains only existing states, without duplicates, and every unchanged transaction. */
export const listViolations = (ledger: Ledger, { listings }: Observed): string[] =>
  listings.flatMap((listing) =>
    ofListing(listing, ledger).map(
      (words) => `The list ${JSON.stringify(listing.query)} of ${listing.account} ${words}`,
    ),
  );
