/** New sales and credits, with retries by idempotency key or by reference. */
import type { Answer, Schema } from '../../support/http.ts';
import { amountUpTo, type Sent, type SentLine, saleFrom, type Transaction, taxDateFrom } from '../bodies.ts';
import { type Creation, note, noteCreation } from '../book.ts';
import { must, same } from '../violation.ts';
import { codeOf, drawnId, mustSucceedOr, type Scene } from './scene.ts';

const path = '/transactions';

/** The transaction with a reference that is not void, if there is one. */
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

/** A client without idempotency keys: after a lost reply it looks for its reference, and sends again if it is not there. */
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

/** Whether two answers to one request are the same transaction. */
const mustBeTwin = (first: Answer<Transaction>, second: Answer<Transaction>): void => {
  same([second.status, second.body.id], [first.status, first.body.id], 'A repeated request has another answer.');
  same(second.headers.get('idempotent-replayed'), 'true', 'A repeated request is no replay.');
  // A redaction removes personal data from saved answers as well.
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
    ...{ name, body, parent, idempotencyKey: isKeyed ? `key of ${name}` : null },
    outcome: 'pending',
    id: null,
  });
  await (isKeyed ? createByKey : createByReference)(scene, creation, codes);
  return creation;
};

const duplicate = 'conflict_duplicate_reference_id';

/** Record a sale. Some have no reference, and some one that other clients use as well. */
export const createSale = async (scene: Scene, name: string): Promise<void> => {
  const { draw, month, customers } = scene;
  const kind = draw.weighted({ own: 80, shared: 12, none: 8 });
  const shared = `shared-${month}-${draw.below(4)}`;
  const reference = kind === 'own' ? { reference_id: name } : kind === 'shared' ? { reference_id: shared } : {};
  // Only a sale with a reference of its own can be recognized after its personal data was removed.
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

/** Credit a sale that a client has recorded: all of it, what remains of it, or a part. */
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

/** Send an earlier request again, after other requests. */
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
