import { isDeepStrictEqual } from 'node:util';
import type { Attempt, Observed, Sent } from '../observed.ts';
import type { Audit } from './audit.ts';
import { isLive } from './decode.ts';
import { effects, keyed, unmatched, writtenBy } from './effects.ts';
import type { Ledger, Reign } from './ledger.ts';

/** What clients were told, held against what was really there while they were asking. */

const statusOf = ({ response }: Attempt) => response?.status ?? 0;
const codeOf = ({ response }: Attempt): string => response?.body?.errors?.[0]?.code ?? '';
const metaOf = ({ response }: Attempt): any => response?.body?.errors?.[0]?.meta ?? {};

/** How a state reads at a time: a draft whose time is over, as the void that somebody will write. */
const readings = ({ head: { transaction, status } }: Reign): readonly any[] => {
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
      updated_at: expires_at,
      version: transaction.version + 1,
    },
  ];
};

/** The marks of a request that its effect must show. */
const isShown = ({ request: { body = {} } }: Sent, answer: any): boolean => {
  const { status, metadata = {}, reference_id, type } = body as Record<string, any>;
  return (
    Object.entries(metadata).every(([key, value]) => answer.metadata[key] === value) &&
    (status === undefined || answer.status === status) &&
    (reference_id === undefined || answer.reference_id === reference_id) &&
    (type === undefined || answer.type === type)
  );
};

/** An answer that was given is there, with the same content, at some moment between the question and the answer. */
const acknowledged = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  const { history, ...answer } = attempt.response?.body ?? {};
  const from = sent.attempts[0]?.from ?? 0;
  const states = ledger.during(sent.account, answer.id, from, attempt.to);
  const isThere = states.some((reign) => readings(reign).some((reading) => isDeepStrictEqual(reading, answer)));
  const wrong = isThere ? [] : [`was told of ${answer.id} at version ${answer.version}, which was not there`];
  if (sent.request.method === 'POST' && !isShown(sent, answer)) wrong.push('was told that it was done, and it is not');
  if (history && !isWhole(history, answer.version)) wrong.push('was told of a history with gaps');
  return wrong;
};

/** Every version from the one that was read down to the first, or to where the answer ends. */
const isWhole = (history: readonly { readonly version: number }[], newest: number): boolean =>
  history.every(({ version }, at) => version === newest - at) && (history.length === newest || history.length >= 10);

const duplicate = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  const { transaction_id: told } = metaOf(attempt);
  // A draft that is finalized takes its own reference once more.
  const own = ledger
    .during(sent.account, sent.request.id ?? '', attempt.from, attempt.to)
    .map(({ head }) => head.reference);
  const asked = sent.request.body?.['reference_id'] as string | undefined;
  const references = asked === undefined ? own : [asked];
  const holders = references.flatMap((reference) =>
    reference === null ? [] : ledger.holders(sent.account, reference, attempt.from, attempt.to, attempt.fromMs),
  );
  if (!holders.includes(told)) return [`was told that ${told} has ${references}, and only [${holders}] did`];
  const maker = ledger.of(sent.account, told)[0]?.version.invocation;
  const attempts = sent.request.key ? sent.attempts : [attempt];
  return told === sent.request.id || attempts.some(({ invocation }) => invocation === maker)
    ? [`was told that ${told} has ${references}, which is its own`]
    : [];
};

const notFound = (sent: Sent, attempt: Attempt, id: string, ledger: Ledger): string[] =>
  ledger.of(sent.account, id).some(({ from }) => from < attempt.from) ? [`was told that there is no ${id}`] : [];

const preconditionFailed = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  const { version } = metaOf(attempt);
  const states = ledger.during(sent.account, sent.request.id ?? '', attempt.from, attempt.to);
  const isTrue =
    states.some((reign) => readings(reign).some((reading) => reading.version === version)) &&
    sent.request.ifMatch !== `"${version}"`;
  return isTrue ? [] : [`was told of a version ${version}, which was not there or is the one that it named`];
};

const expired = (sent: Sent, attempt: Attempt, ledger: Ledger): string[] => {
  const states = ledger.of(sent.account, sent.request.id ?? '');
  return states.some(({ head }) => head.endsMs !== null && !isLive(head, attempt.toMs))
    ? []
    : ['was told of a deadline that has not passed'];
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
      return sent.request.isOther ? [] : ['was told that its key was used for another request'];
    default:
      return [];
  }
};

/** Everything that a client was told was true, and nothing was done twice, or done and refused. */
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
        wrong.push('was done, which is under the key of another request, or with the cursor of another account');
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
