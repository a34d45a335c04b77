import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '../../../shared/ledger/transaction.ts';
import { impersonal } from '../../support/committed-hash.ts';
import type { Schema } from '../../support/http.ts';
import type { Attempt, Observed, Sent } from '../observed.ts';
import type { Audit } from './audit.ts';
import { isLive } from './decode.ts';
import { effects, keyed, unmatched, writtenBy } from './effects.ts';
import type { Ledger, Reign } from './ledger.ts';

/** Compares responses with the ledger at the time of the request. */

const statusOf = ({ response }: Attempt) => response?.status ?? 0;
const codeOf = ({ response }: Attempt): string => response?.body?.errors?.[0]?.code ?? '';
const metaOf = ({ response }: Attempt): Partial<Record<string, unknown>> => response?.body?.errors?.[0]?.meta ?? {};

/** How a state can be returned: an expired draft also as void, before that is written. */
const readings = ({ head: { transaction, status } }: Reign): readonly Transaction[] => {
  if (status !== 'draft') return [transaction];
  const { expires_at } = transaction;
  const void_reason = 'draft_expired';
  return [
    transaction,
    {
      ...transaction,
      status: 'void',
      void_reason,
      voided_at: expires_at,
      updated_at: expires_at as string,
      version: transaction.version + 1,
    },
  ];
};

/** Whether a response shows the requested values. */
const isShown = ({ request: { body = {} } }: Sent, answer: Transaction, isRedacted: boolean): boolean => {
  const { status, metadata = {}, reference_id, type } = body;
  return (
    (isRedacted ||
      Object.entries(metadata as Transaction['metadata']).every(([key, value]) => answer.metadata[key] === value)) &&
    (status === undefined || answer.status === status) &&
    (reference_id === undefined || answer.reference_id === reference_id) &&
    (type === undefined || answer.type === type)
  );
};

/** A returned transaction was stored with the same content between request and response. */
const acknowledged = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  const { body } = attempt.response ?? {};
  if (!body) return ['got a success without a body'];
  const { history, commitments: _, ...answer } = body as Schema<'RetrievedTransaction'>;
  const from = sent.attempts[0]?.from ?? 0;
  const states = ledger.during(sent.account, answer.id, from, attempt.to);
  // A saved answer whose personal data was removed.
  const isRedacted = Boolean(attempt.response?.headers['Idempotent-Replayed']) && answer.redacted_at !== undefined;
  const isSame = isRedacted
    ? (reading: Transaction) => impersonal(reading) === impersonal(answer)
    : (reading: Transaction) => isDeepStrictEqual(reading, answer);
  const isThere = states.some((reign) => readings(reign).some(isSame));
  const wrong = isThere ? [] : [`got ${answer.id} at version ${answer.version}, which did not exist`];
  if (sent.request.method === 'POST' && !isShown(sent, answer, isRedacted))
    wrong.push('got a success without the change');
  if (history && !isWhole(history, answer.version)) wrong.push('got a history with gaps');
  return wrong;
};

/** Every version from the newest down to the first, or to the end of the page. */
const isWhole = (history: readonly { readonly version: number }[], newest: number): boolean =>
  history.every(({ version }, at) => version === newest - at) && (history.length === newest || history.length >= 10);

const duplicate = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  const holder = String(metaOf(attempt)['transaction_id']);
  // A draft that is finalized takes its own reference once more.
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
  const { version } = metaOf(attempt);
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
  switch (codeOf(attempt)) {
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

/** Violations of responses: wrong content, changes done twice, and refused changes that were made. */
export const answerViolations = (ledger: Ledger, audit: Audit, { sent: all }: Observed): string[] => {
  const written = writtenBy(audit);
  return all.flatMap((sent) => {
    const wrong = keyed(sent, written);
    for (const attempt of sent.attempts) {
      const status = statusOf(attempt);
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
