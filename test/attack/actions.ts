import type { Answer, Schema } from '../support/http.ts';
import { firstDayOf, lastDayOf, monthOf, Registered } from '../support/local-days.ts';
import { type Book, type Change, type Creation, note, noteChange, noteCreation } from './book.ts';
import type { Draw } from './draw.ts';
import {
  amountUpTo,
  linesFrom,
  type Sent,
  type SentLine,
  saleFrom,
  states,
  type Transaction,
  taxDateFrom,
} from './draw.ts';
import type { Client, Sending } from './network.ts';
import type { Service } from './processes.ts';
import { must, same, Violation } from './violation.ts';

/** The context of an account's client. */
export type Scene = {
  readonly book: Book;
  /** The other account, whose data it must never access. */
  readonly other: Book;
  readonly client: Client;
  readonly service: Service;
  readonly draw: Draw;
  /** The month in which it acts. */
  readonly month: number;
  /** The names of the transactions that clients may have recorded so far. */
  readonly names: readonly string[];
  /** The transactions of this month. */
  readonly recent: readonly string[];
  readonly customers: readonly string[];
};

/** The type of every response includes the fields of refusals. */
export const codeOf = ({ body }: Answer): string => body?.errors?.[0]?.code ?? '';

const isExpected = (answer: Answer, codes: readonly string[]): boolean =>
  answer.status < 300 || codes.includes(codeOf(answer));

/** Throws a `Violation` for an unexpected refusal. */
const mustSucceedOr = (answer: Answer, codes: readonly string[], sending: Omit<Sending, 'key'>): void => {
  if (isExpected(answer, codes)) return;
  const { method, path, body } = sending;
  throw new Violation(
    `${method} ${path} is answered with ${answer.status} ${codeOf(answer)}.\n${JSON.stringify({ body, answer: answer.body }, null, 1)}`,
  );
};

/** All clients contend for the first transactions of a month. */
const contended = 5;

/** Returns a random transaction recorded under one of the names, if it is known to exist. */
const drawnId = ({ book, draw, names, recent }: Scene): { readonly name: string; readonly id: string } | null => {
  if (names.length === 0) return null;
  const first = recent.slice(0, contended);
  const name = draw.of(first.length > 0 && draw.chance(35) ? first : names);
  const id = book.creations.get(name)?.id ?? null;
  return id === null ? null : { name, id };
};

/** New sales and credits, with retries by idempotency key or by reference. */

const path = '/transactions';

/** Finds the transaction with a reference that is not void, if any. */
const findByReference = async ({ client, book }: Scene, reference: string): Promise<Transaction | undefined> => {
  const query = new URLSearchParams({ reference_id: reference });
  const list = await client.send<Schema<'TransactionList'>>({ key: book.key, method: 'GET', path: `${path}?${query}` });
  const live = list.body.data.filter(({ status }) => status !== 'void');
  must(live.length < 2, `Several live transactions have the reference ${reference}.`, live);
  return live[0] as unknown as Transaction | undefined;
};

const accept = (scene: Scene, creation: Creation, transaction: Transaction): void => {
  creation.outcome = 'accepted';
  creation.id = transaction.id;
  note(scene.book, transaction, scene.service.now() + 1000);
};

/**
 * A client without idempotency keys: after a lost reply, it searches for its reference, and sends the request again if
 * there is none.
 */
const createByReference = async (scene: Scene, creation: Creation, codes: readonly string[]): Promise<void> => {
  const { client, book } = scene;
  const sending = { key: book.key, method: 'POST' as const, path, body: creation.body };
  let isSure = true;
  for (;;) {
    const answer = await client.sendOnce<Transaction>(sending);
    isSure &&= answer !== null;
    if (answer) {
      mustSucceedOr(answer, codes, sending);
      if (answer.status < 300) return accept(scene, creation, answer.body);
    }
    const found = await findByReference(scene, creation.body.reference_id ?? '');
    if (found && found.metadata['op'] === creation.name) return accept(scene, creation, found);
    if (answer) {
      creation.outcome = isSure ? 'refused' : 'unknown';
      return;
    }
  }
};

/** Returns whether two responses to a request have the same transaction. */
const mustBeTwin = (first: Answer<Transaction>, second: Answer<Transaction>): void => {
  same([second.status, second.body.id], [first.status, first.body.id], 'A repeated request has another answer.');
  same(second.headers.get('idempotent-replayed'), 'true', 'A repeated request is no replay.');
  // A redaction also removes personal data from saved responses.
  if (second.body.redacted_at === undefined) same(second.text, first.text, 'A replay has another text.');
};

const createByKey = async (scene: Scene, creation: Creation, codes: readonly string[]): Promise<void> => {
  const { client, book, draw } = scene;
  const headers = { 'Idempotency-Key': creation.idempotencyKey ?? '' };
  const sending = { key: book.key, method: 'POST' as const, path, body: creation.body, headers };
  const [isImpatient, isTwice, isRepeated] = [draw.chance(12), draw.chance(8), draw.chance(10)];
  const send = () => client.send<Transaction>(sending);
  const once = async () => {
    const answer = await client.sendOnce<Transaction>(sending);
    return answer && { ...answer, isSure: true };
  };
  const [answer] = isImpatient ? [await once()] : await Promise.all(isTwice ? [send(), send()] : [send()]);
  if (!answer) {
    creation.outcome = 'unknown';
    return;
  }
  mustSucceedOr(answer, codes, sending);
  if (answer.status >= 300) {
    creation.outcome = answer.isSure && !isTwice ? 'refused' : 'unknown';
    return;
  }
  accept(scene, creation, answer.body);
  if (isRepeated || isTwice) mustBeTwin(answer, await send());
};

const create = async (
  scene: Scene,
  name: string,
  body: Partial<Sent>,
  parent: string | null,
  codes: readonly string[],
): Promise<Creation> => {
  const isKeyed = body.reference_id === undefined || scene.draw.chance(75);
  const creation = noteCreation(scene.book, {
    name,
    body,
    parent,
    idempotencyKey: isKeyed ? `key of ${name}` : null,
    outcome: 'pending',
    id: null,
  });
  await (isKeyed ? createByKey : createByReference)(scene, creation, codes);
  return creation;
};

const duplicate = 'conflict_duplicate_reference_id';

/** Records a sale. Some sales have no reference, and some have a reference that other clients use too. */
export const createSale = async (scene: Scene, name: string): Promise<void> => {
  const { draw, month, customers } = scene;
  const kind = draw.weighted({ own: 80, shared: 12, none: 8 });
  const shared = `shared-${month}-${draw.below(4)}`;
  const reference = kind === 'own' ? { reference_id: name } : kind === 'shared' ? { reference_id: shared } : {};
  // Only a sale with a unique reference can be recognized after redaction.
  const body = { ...saleFrom(draw, name, month, kind === 'own' ? customers : customers.slice(1)), ...reference };
  const { outcome, idempotencyKey } = await create(scene, name, body, null, [duplicate]);
  const isAlone = kind !== 'shared' && (idempotencyKey !== null || outcome === 'refused');
  must(!isAlone || outcome !== 'refused', `The sale ${name} is refused, but nothing else has its reference.`, body);
};

const partFrom = ({ draw }: Scene, sale: Partial<Sent>): SentLine[] => {
  const lines = (sale.line_items ?? []).filter(() => draw.chance(60));
  const chosen = lines.length > 0 ? lines : (sale.line_items ?? []).slice(0, 1);
  return chosen.map((line, at) => ({
    id: `credit-${at}`,
    parent_line_item_id: line.id,
    quantity: String(1 + draw.below(Number(line.quantity))),
    ...(draw.chance(20) && sale.currency && { quantity: '1', unit_price: amountUpTo(draw, sale.currency, 4) }),
  })) as SentLine[];
};

const creditCodes = [
  ...[duplicate, 'conflict_over_credit', 'conflict_parent_not_creditable'],
  ...['conflict_credit_stale'],
];

/** Credits a sale that a client has recorded: all of it, its remainder, or a part. */
export const createCredit = async (scene: Scene, name: string): Promise<void> => {
  const target = drawnId(scene);
  const { draw, month, book } = scene;
  const kind = draw.weighted({ all: 25, remaining: 15, lines: 60 });
  const sale = target && book.creations.get(target.name);
  if (!sale || sale.parent !== null) return;
  const body = {
    type: 'credit',
    parent_transaction_id: target.id,
    status: draw.chance(75) ? ('finalized' as const) : ('draft' as const),
    tax_date: taxDateFrom(draw, month),
    metadata: { op: name },
    reference_id: name,
    ...(kind === 'remaining' && { credit_remaining: true }),
    ...(kind === 'lines' && { line_items: partFrom(scene, sale.body) }),
  };
  const creation = await create(scene, name, body, target.name, creditCodes);
  must(creation.outcome !== 'pending', 'A credit has no outcome.');
};

/** Repeats an earlier request after other requests. */
export const repeatCreation = async (scene: Scene): Promise<void> => {
  // The service forgets a key after 24 hours.
  const target = drawnId({ ...scene, names: scene.recent });
  const creation = target && scene.book.creations.get(target.name);
  if (!creation?.idempotencyKey || creation.outcome !== 'accepted') return;
  const headers = { 'Idempotency-Key': creation.idempotencyKey };
  const sending = { key: scene.book.key, method: 'POST' as const, path, body: creation.body, headers };
  const answer = await scene.client.send<Transaction>(sending);
  mustSucceedOr(answer, [], sending);
  same([answer.body.id, codeOf(answer)], [creation.id, ''], 'A repeated request records another transaction.');
};

/** Changes of transactions: edits, finalizing, voiding, a different tax. */

/** The refusals of any change that depend on the transaction's status, which other clients change concurrently. */
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

/** Changes a transaction that a client has recorded. */
export const change = async (scene: Scene, name: string): Promise<void> => {
  const { client, book, draw, service } = scene;
  const target = drawnId(scene);
  const body = bodyOf(scene, name, target?.name ?? '');
  const isImpatient = draw.chance(12);
  if (target === null) return;
  const path = `/transactions/${target.id}`;
  const sending = {
    key: book.key,
    method: 'POST' as const,
    path,
    body,
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

/** Filings: dry runs, closing, canceling and filing. */

export type Filing = Schema<'Filing'>;

const closingConflicts = [
  ...['conflict_period_order', 'conflict_period_not_over', 'conflict_filing_in_progress'],
  ...['validation_date_out_of_range'],
];

/** A period in a response must match the calendar. */
const mustBePeriod = (scene: Pick<Scene, 'book'>, state: string, end: string, start?: string): void => {
  const { registrations } = scene.book.settings;
  const { first, last } = new Registered(registrations, state).periodOf(monthOf(end));
  same(
    { start: start ?? firstDayOf(first), end },
    { start: firstDayOf(first), end: lastDayOf(last) },
    `A period of ${state} is wrong.`,
    registrations,
  );
};

const close = async (
  scene: Scene,
  name: string,
  state: string,
  end: string,
  isDry: boolean,
): Promise<Answer<Filing>> => {
  const { client, book } = scene;
  const sending = {
    key: book.key,
    method: 'POST' as const,
    path: '/filings',
    body: { state, period_end: end, ...(isDry && { dry_run: true }) },
    headers: { 'Idempotency-Key': `key of ${name} ${end}` },
  };
  const answer = await client.send<Filing>(sending);
  // A dry run on a slow machine may run out of time.
  mustSucceedOr(answer, [...closingConflicts, ...(isDry ? ['validation_too_many_entries'] : [])], sending);
  if (answer.status < 300) mustBePeriod(scene, `US-${state}`, answer.body.period_end, answer.body.period_start);
  return answer;
};

/** Closes a period of a state, or the next period that the service reports. */
export const closePeriod = async (scene: Scene, name: string): Promise<void> => {
  const { draw, month, book } = scene;
  const [state, isDry] = [draw.of(states), draw.chance(30)];
  const of = month - draw.of([0, 1, 1, 2, 3]);
  const { last } = new Registered(book.settings.registrations, `US-${state}`).periodOf(of);
  const answer = await close(scene, name, state, lastDayOf(last), isDry);
  if (codeOf(answer) !== 'conflict_period_order' || isDry) return;
  const next = String(answer.body.errors[0].meta?.['period_end']);
  mustBePeriod(scene, `US-${state}`, next);
  await close(scene, name, state, next, false);
};

const filingConflicts = [
  ...['conflict_period_order', 'conflict_filing_in_progress', 'conflict_invalid_status_transition'],
  ...['conflict_exceptions_not_acknowledged', 'conflict_immutable_field'],
];

/** Marks a closed filing as filed, or cancels it. */
export const changeFiling = async (scene: Scene, name: string): Promise<void> => {
  const { client, book, draw } = scene;
  const [isFiled, at, key] = [draw.chance(60), draw.below(100), book.key];
  const list = await client.send<Schema<'FilingList'>>({ key, method: 'GET', path: '/filings?status=closed' });
  const chosen = list.body.data[at % Math.max(1, list.body.data.length)];
  if (!chosen) return;
  const path = `/filings/${chosen.id}`;
  const { body: filing } = await client.send<Filing>({ key, method: 'GET', path });
  const count = filing.exceptions?.count ?? 0;
  const body = isFiled
    ? { status: 'filed', confirmation_number: `by ${name}`, ...(count > 0 && { acknowledge_exceptions: count }) }
    : { status: 'canceled' };
  const sending = { key, method: 'POST' as const, path, body, headers: { 'Idempotency-Key': `key of ${name}` } };
  mustSucceedOr(await client.send(sending), filingConflicts, sending);
};

/** Reads, and attempts to access the other account. */

const paths = [
  '/transactions?limit=100',
  '/transactions?status=draft',
  '/transactions?type=credit&limit=10&expand=line_items',
  '/filings',
  '/filing-periods',
  '/reports/by-state',
  '/registrations/advice',
];

/** Reads during concurrent writes. */
export const read = async ({ client, book, draw }: Scene): Promise<void> => {
  const sending = { key: book.key, method: 'GET' as const, path: draw.of(paths) };
  mustSucceedOr(await client.send(sending), [], sending);
};

/** Requests a transaction of the other account with this account's key, which must return "not found". */
export const trespass = async (scene: Scene, name: string): Promise<void> => {
  const { client, book, other, draw, names } = scene;
  const target =
    names.length === 0 ? null : (other.creations.get(`${other.letter}${draw.of(names).slice(1)}`)?.id ?? null);
  const kind = draw.of(['get', 'update', 'history', 'credit'] as const);
  if (target === null) return;
  const path = `/transactions/${target}`;
  const [key, headers] = [book.key, { 'Idempotency-Key': `key of ${name}` }];
  const credit = { type: 'credit', parent_transaction_id: target, status: 'finalized', metadata: { op: name } };
  const answer = await {
    get: () => client.send({ key, method: 'GET', path }),
    history: () => client.send({ key, method: 'GET', path: `${path}/history` }),
    update: () => client.send({ key, method: 'POST', path, body: { status: 'void' }, headers }),
    credit: () => client.send({ key, method: 'POST', path: '/transactions', body: credit, headers }),
  }[kind]();
  const expected = kind === 'credit' ? 'validation_parent_not_found' : 'not_found';
  if (codeOf(answer) !== expected)
    throw new Violation(`${kind} of a transaction of another account: ${answer.status} ${answer.text}`);
};
