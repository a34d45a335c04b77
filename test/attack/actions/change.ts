/** Changes of transactions: edits, finalizing, voiding, another tax. */
import { amountUpTo, linesFrom, type Transaction, taxDateFrom } from '../bodies.ts';
import { type Change, note, noteChange } from '../book.ts';
import { drawnId, mustSucceedOr, type Scene } from './scene.ts';

/** The refusals of any change, by the state that other clients brought the transaction into. */
const conflicts = [
  ...['conflict_invalid_status_transition', 'conflict_immutable_field', 'conflict_draft_expired'],
  ...['conflict_has_credits', 'conflict_period_closed', 'conflict_parent_not_creditable'],
  ...['conflict_over_credit', 'conflict_credit_stale'],
];

const kinds = { metadata: 30, finalize: 30, void: 18, lines: 12, tax: 10 };

const bodyOf = ({ draw, month, book }: Scene, name: string, target: string): Record<string, unknown> => {
  const creation = book.creations.get(target);
  const currency = creation?.body.currency ?? 'JPY';
  switch (draw.weighted(kinds)) {
    case 'metadata':
      return { metadata: { [`by ${name}`]: 'yes' } };
    case 'finalize':
      return { status: 'finalized', metadata: { [`by ${name}`]: 'yes' } };
    case 'void':
      return { status: 'void', void_reason: `by ${name}` };
    case 'lines':
      return creation?.parent === null
        ? { line_items: linesFrom(draw, currency), tax_date: taxDateFrom(draw, month) }
        : { tax_date: taxDateFrom(draw, month) };
    case 'tax':
      return { tax_amount: draw.chance(30) ? null : amountUpTo(draw, currency, 30) };
  }
};

/** Change a transaction that a client has recorded. */
export const change = async (scene: Scene, name: string): Promise<void> => {
  const { client, book, draw, service } = scene;
  const target = drawnId(scene);
  const body = bodyOf(scene, name, target?.name ?? '');
  const isImpatient = draw.chance(12);
  if (target === null) return;
  const path = `/transactions/${target.id}`;
  const sending = {
    ...{ key: book.key, method: 'POST' as const, path, body },
    headers: { 'Idempotency-Key': `key of ${name}` },
  };
  const noted: Change = noteChange(book, target.id, { name, body, outcome: 'pending' });
  const answer = isImpatient ? await client.sendOnce<Transaction>(sending) : await client.send<Transaction>(sending);
  noted.outcome = 'unknown';
  if (!answer) return;
  mustSucceedOr(answer, conflicts, sending);
  if (answer.status < 300) {
    noted.outcome = 'accepted';
    note(book, answer.body, service.now() + 1000);
  } else if (isImpatient || ('isSure' in answer && answer.isSure)) noted.outcome = 'refused';
};
