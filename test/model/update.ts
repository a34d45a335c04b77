import type { Answer } from '../support/http.ts';
import {
  type Body,
  type Book,
  change,
  holderOf,
  instant,
  type Model,
  type Requested,
  type Sent,
  same,
  viewOf,
} from './book.ts';
import { duplicate, picked, recount } from './create.ts';
import { isTaken, post, takeBack } from './journal.ts';
import { mustBeRefused, type Refusal, refusal, tooFine, wrongReason } from './refusal.ts';
import { type Asked, fieldsOf, redactedRefusals, requestedChanges, stateRefusals } from './requested-changes.ts';
import {
  type Case,
  creditRefusals,
  figureFields,
  isFinalizing,
  judgeFigures,
  suppliedAfter,
} from './update-figures.ts';

/** Everything of a transaction after an update that is no figure. */
const restAfter = (update: Requested, view: Body, asked: Asked, nowMs: number) => {
  const at = instant(nowMs);
  const edited = asked.inputs.filter((field) => !figureFields.has(field));
  const edits = edited.map((field) => [field, update[field as keyof Requested]]);
  return {
    ...view,
    ...Object.fromEntries(edits),
    ...(asked.metadata && { metadata: asked.metadata }),
    ...(asked.reference && { reference_id: update.reference_id }),
    ...(asked.status && { status: update.status }),
    ...(asked.status && update.status === 'finalized' && { finalized_at: at, expires_at: null }),
    ...(asked.status && update.status === 'void' && { voided_at: at, void_reason: update.void_reason ?? null }),
    updated_at: at,
    version: view.version + 1,
  };
};

/** The refusals of an update, in the order of their checks. */
const reasonsOf = (one: Case, nowMs: number, answer: Answer): readonly Refusal[] => {
  const { update, view, asked, book, sale } = one;
  const invalid = [...tooFine(update.tax_amount, view.currency), ...wrongReason(update, view)];
  if (invalid.length > 0) return invalid;
  const redacted = redactedRefusals(update, view, asked);
  if (redacted.length > 0) return redacted;
  const state = stateRefusals(update, view, asked, book);
  if (state.length > 0) return state;
  const credit = sale && fieldsOf(asked).length > 0 ? creditRefusals({ ...one, sale }, answer) : [];
  if (credit.length > 0) return credit;
  // Edits come first, then the status: a void transaction needs no reference.
  const isHeld = asked.reference && (update.status ?? view.status) !== 'void';
  const holder = isHeld ? holderOf(book, update.reference_id, nowMs) : undefined;
  if (holder) return [duplicate(holder)];
  const isOwed = view.status === 'finalized' && (asked.tax || asked.status);
  return isOwed && isTaken(book, view)
    ? [refusal('conflict_period_closed', asked.status ? '/status' : '/tax_amount')]
    : [];
};

const isMatch = (ifMatch: string | undefined, { version }: Body): boolean =>
  ifMatch === undefined || ifMatch === '*' || ifMatch === `"${version}"`;

/** Hold the answer to an update against the model, and write down what it changed. */
export const judgeUpdate = (
  { nowMs }: Model,
  book: Book,
  { path, body: update, headers }: Sent,
  answer: Answer<Body>,
): void => {
  const entry = book.entries.get(path.slice('/transactions/'.length));
  const view = entry && viewOf(entry, nowMs);
  if (!entry || !view) mustBeRefused(answer, [refusal('not_found')]);
  else if (!isMatch(headers['If-Match'], view))
    mustBeRefused(answer, [refusal('precondition_failed', 'If-Match', { version: view.version })]);
  else {
    const asked = requestedChanges(update, view);
    const sale = view.type === 'credit' ? (book.entries.get(view.parent_transaction_id ?? '')?.body ?? null) : null;
    const one = { update, view, entry, asked, book, sale, supplied: suppliedAfter(update, view, asked) };
    const reasons = reasonsOf(one, nowMs, answer);
    if (reasons.length > 0) mustBeRefused(answer, reasons);
    else accept(one, answer, nowMs);
  }
};

const accept = (one: Case, answer: Answer<Body>, nowMs: number): void => {
  const { update, view, entry, asked, book, sale } = one;
  const { body } = answer;
  const fields = fieldsOf(asked);
  same(answer.status, 200, `The status of ${answer.text}`);
  same(answer.headers.get('etag'), `"${body.version}"`, 'The entity tag');
  if (fields.length === 0) {
    same(body, view, 'An update that changes nothing');
    return;
  }
  const isFigured = asked.inputs.length > 0 || asked.tax || (sale !== null && isFinalizing(one));
  if (isFigured) judgeFigures(one, body);
  const rest = restAfter(update, view, asked, nowMs);
  const figures = Object.fromEntries([...figureFields].map((field) => [field, null]));
  const expected = isFigured ? { ...rest, ...picked(body, figures) } : rest;
  same(body, expected, 'The transaction after the update');
  if (sale && asked.inputs.includes('line_items')) entry.kind = 'lines';
  const wasLive = view.status === 'finalized';
  const isLive = body.status === 'finalized';
  change(entry, nowMs, body, fields);
  if (isLive && !wasLive) post(book, body);
  if (wasLive && !isLive) takeBack(book, body);
  if (sale && (wasLive !== isLive || (isLive && asked.tax))) recount(book, sale.id, nowMs);
};
