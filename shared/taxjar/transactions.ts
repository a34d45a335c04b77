import { isDay } from '../base/calendar.ts';
import type { Calculation } from '../calculations/response.ts';
import type { Replaces } from '../ledger/create-transaction.ts';
import { planReplacement } from '../ledger/updates/plan.ts';
import {
  amountAt,
  changedFields,
  type Fields,
  isSameLine,
  listLines,
  parseDate,
  requiredAt,
  requireObject,
  textAt,
  unknownCodes,
} from './document.ts';
import { parseJson } from './numbers.ts';
import {
  buildCreditRequest,
  differences,
  exactUnits,
  getTransactionId,
  isSameOrder,
  isUnchanged,
  type Left,
  listSold,
  mergeChange,
  type Recorded,
  requireSum,
  toOrder,
  toSale,
  unrepeatable,
} from './orders.ts';
import { concurrentChange, hasCode, notFound, nullIfRefused, TaxJarRefusal } from './refusal.ts';
import {
  everyRow,
  type Levy,
  listCodes,
  type Request,
  type Route,
  type TaxJarResponse,
  type Warned,
} from './request.ts';

/** The routes of orders and refunds, which are sales and credits of the ledger. */

type Kind = 'sale' | 'credit';
const names = { sale: 'order', credit: 'refund' } as const;

/** The currency of all amounts of this API. */
const currency = 'USD';

/** Returns a refund with the id of its order, which only this interface stores with the refund. */
const withOrderId = async (levy: Levy, found: Recorded): Promise<Recorded> => {
  const { parent_transaction_id: parent, metadata } = found;
  if (parent === null || metadata['taxjar_reference'] !== undefined) return found;
  const order = await levy.get<Recorded>(`/transactions/${parent}`);
  return { ...found, metadata: { ...metadata, taxjar_reference: getTransactionId(order) } };
};

/** Returns the transaction with an id of Levy that has no `reference_id`, or `null`. */
const findUnnamed = async (levy: Levy, id: string): Promise<Recorded | null> => {
  if (!/^txn_\w+$/.test(id)) return null;
  const found = await nullIfRefused(levy.get<Recorded>(`/transactions/${id}`), 404);
  return found?.reference_id === null ? found : null;
};

/**
 * Returns the `reference_id` of an order or refund if a transaction of the other kind has its id: TaxJar numbers orders
 * and refunds separately, and TaxJar's API reference creates a refund with the id of its order.
 */
const ownReference = (kind: Kind, id: string): string => `${id}#${names[kind]}`;

const readHolder = async (levy: Levy, kind: Kind, id: string): Promise<string | null> => {
  const holders = await levy.readHolders([ownReference(kind, id), id]);
  return holders.get(ownReference(kind, id)) ?? holders.get(id) ?? null;
};

/** Returns the recorded transaction with an id, or `null`. Refuses amounts in other currencies than US dollars. */
const find = async (levy: Levy, kind: Kind, reference: string): Promise<Recorded | null> => {
  const holder = await readHolder(levy, kind, reference);
  const found = await (holder === null ? findUnnamed(levy, reference) : levy.get<Recorded>(`/transactions/${holder}`));
  if (found?.type === kind && (found.status === 'finalized' || found.status === 'filed')) {
    if (found.currency === currency) return withOrderId(levy, found);
    const advice = 'Use the Levy API for it: the amounts of this interface are in USD.';
    throw new TaxJarRefusal(422, `The ${names[kind]} ${reference} is in ${found.currency}. ${advice}`);
  }
  // The transaction may have been replaced since its id was read.
  const isReplaced =
    holder !== null && found?.status === 'void' && (await readHolder(levy, kind, reference)) !== holder;
  return isReplaced ? find(levy, kind, reference) : null;
};

const isSameProvider = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/**
 * Returns the provider of a recorded transaction if a request names a different one. As in TaxJar, it is then a different
 * transaction: two shops of an account can have the same ids. A transaction of Levy's API may have no provider.
 */
const getOtherProvider = ({ metadata }: Recorded, provider: string | null | undefined): string | null => {
  const own = metadata['taxjar_provider'] ?? (metadata['taxjar_request'] === undefined ? null : 'api');
  return provider && own && !isSameProvider(own, provider) ? own : null;
};

/** Refuses the id of a transaction of another provider. */
const requireProvider = (name: string, found: Recorded, fields: Fields): void => {
  const other = getOtherProvider(found, textAt(fields, 'provider'));
  if (other === null) return;
  const holder = `The provider ${other} has the ${names[found.type]} ${getTransactionId(found)}.`;
  throw new TaxJarRefusal(406, `${name}: ${holder} Send a different id, unique in the account.`);
};

const requireRecorded = async (
  levy: Levy,
  kind: Kind,
  reference: string,
  provider: string | null | undefined,
): Promise<Recorded> => {
  const found = await find(levy, kind, reference);
  if (found && getOtherProvider(found, provider) === null) return found;
  throw notFound(`The ${names[kind]} ${reference}${found ? ` of the provider ${provider}` : ''}`);
};

const toResponse = (kind: Kind, recorded: Recorded, status = 200): TaxJarResponse => ({
  status,
  body: { [names[kind]]: toOrder(recorded) },
});

/**
 * Returns the line items and shipping of an order that remain after other credits; all of its line items if nothing
 * remains.
 */
const readLeft = async (levy: Levy, order: Recorded, replaces?: Replaces): Promise<Left> => {
  const all = { type: 'credit', parent_transaction_id: order.id, credit_remaining: true };
  const options = { ...(replaces && { replaces }), isProbe: true };
  const rest = await nullIfRefused(levy.post<Calculation>('/calculations', all, options), 422);
  return rest ? { ...rest, shipping: [rest.shipping ?? []].flat() } : { ...order, shipping: [] };
};

type Recording = Pick<Request, 'levy' | 'note'> & { readonly replaces?: Replaces };
type TransactionRequest = { readonly reference_id: string; readonly metadata: object };

/** Records a transaction, under its own reference if a transaction of the other kind has its id. */
const post = async (kind: Kind, body: TransactionRequest, { levy, replaces }: Recording) => {
  const send = (sent: object) => levy.post<Recorded & Warned>('/transactions', sent, replaces ? { replaces } : {});
  const { reference_id: id, metadata } = body;
  return send(body).catch(async (error: unknown) => {
    if (!hasCode(error, 'conflict_duplicate_reference_id')) throw error;
    const holder = (await levy.readHolders([id])).get(id);
    const held = holder && (await levy.get<Recorded>(`/transactions/${holder}`));
    if (!held) throw error;
    if (held.type === kind) throw replaces ? concurrentChange() : error;
    return send({
      ...body,
      reference_id: ownReference(kind, id),
      metadata: { ...metadata, taxjar_transaction_id: id },
    });
  });
};

/** Returns the request that records an order or a refund. */
const prepareRequest = async (kind: Kind, fields: Fields, { levy, replaces }: Recording, isWide = false) => {
  if (kind === 'sale') return toSale(fields);
  const order = await find(levy, 'sale', requiredAt(fields, 'transaction_reference_id'));
  if (order) requireProvider('transaction_reference_id', order, fields);
  const lines = listLines(fields, true);
  const sold = order ? listSold(order.line_items, order.line_items) : [];
  const isRead = order && (isWide || !lines?.every((line) => isSameLine(line, sold)) || Array.isArray(order.shipping));
  return buildCreditRequest(
    fields,
    order,
    isRead ? await readLeft(levy, order, replaces) : { line_items: [], shipping: [] },
    isWide,
  );
};

/**
 * Records an order or a refund. Adds warnings for amounts that the client sent, in `sent`, and that differ from the
 * recorded amounts.
 */
const record = async (
  kind: Kind,
  fields: Fields,
  request: TransactionRequest,
  recording: Recording,
  sent = fields,
): Promise<Recorded> => {
  const { note } = recording;
  const created = await post(kind, request, recording).catch(async (error: unknown) => {
    if (!hasCode(error, 'conflict_over_credit')) throw error;
    return post(kind, await prepareRequest(kind, fields, recording, true), recording);
  });
  const unknown = unknownCodes(fields).length > 0;
  note([...listCodes(created), ...(unknown ? ['product_tax_code_missing'] : []), ...differences(sent, created)]);
  return created;
};

const create = async (kind: Kind, { levy, body, note, version }: Request): Promise<TaxJarResponse> => {
  const fields = requireObject(body);
  const reference = requiredAt(fields, 'transaction_id');
  const repeated = async (): Promise<Recorded | null> => {
    const existing = await find(levy, kind, reference);
    if (!existing || isSameOrder(fields, existing)) return existing;
    requireProvider('transaction_id', existing, fields);
    throw new TaxJarRefusal(422, `The ${names[kind]} ${reference} already exists. Send PUT to change it.`);
  };
  const request = async () => record(kind, fields, await prepareRequest(kind, fields, { levy, note }), { levy, note });
  const recorded = await repeated();
  if (recorded) return toResponse(kind, recorded, 201);
  requireSum(fields, version);
  try {
    return toResponse(kind, await request(), 201);
  } catch (error) {
    if (!(error instanceof TaxJarRefusal) || error.status !== 422) throw error;
    // A concurrent request may have recorded the same transaction.
    const concurrent = await repeated();
    if (concurrent) return toResponse(kind, concurrent, 201);
    // 422 means that the transaction exists. Plugins then send PUT, and some send POST again if PUT returns 404.
    throw new TaxJarRefusal(406, error.message);
  }
};

const show = async (kind: Kind, { levy, query, at: [reference = ''] }: Request): Promise<TaxJarResponse> =>
  toResponse(kind, await requireRecorded(levy, kind, reference, query['provider']));

const replaced = 'Replaced by PUT of the TaxJar interface';
const deleted = 'Deleted by the TaxJar interface';

const voidTransaction = (levy: Levy, { id, version, redacted_at }: Recorded, reason: string) =>
  levy.post(
    `/transactions/${id}`,
    // A redacted transaction cannot have a void_reason.
    { status: 'void', ...(redacted_at === undefined && { void_reason: reason }) },
    { headers: { 'if-match': `"${version}"` } },
  );

/**
 * Returns a recorded transaction as fields of a request, with numbers as text. `provider` is `null` unless it was sent.
 */
const sentFields = (recorded: Recorded): Fields => {
  const provider = recorded.metadata['taxjar_provider'] ?? null;
  return requireObject(parseJson(JSON.stringify({ ...toOrder(recorded, exactUnits), provider })));
};

/** Records the changed order or refund in place of the recorded one, in one step. */
const update = async (kind: Kind, { levy, body, note, version, at: [reference = ''] }: Request) => {
  const change = { ...changedFields(body), transaction_id: reference };
  const current = await requireRecorded(levy, kind, reference, textAt(change, 'provider'));
  const known = sentFields(current);
  if (isUnchanged(known, change, current)) return toResponse(kind, current);
  const lost = kind === 'sale' ? unrepeatable(current) : null;
  if (lost)
    throw new TaxJarRefusal(
      422,
      `The order has ${lost}, which a PUT would lose. Delete the order, and record it with POST.`,
    );
  const fields = mergeChange(known, change, current);
  // Without line items, the amount has been checked or distributed. An amount that was not sent follows the line items.
  if (listLines(change) && amountAt(change, 'amount') !== null) requireSum(fields, version);
  const recording = { levy, note, replaces: { id: current.id, planVoid: planReplacement(current, replaced) } };
  const request = await prepareRequest(kind, fields, recording);
  return toResponse(kind, await record(kind, fields, request, recording, change));
};

const remove = async (kind: Kind, { levy, query, at: [reference = ''] }: Request): Promise<TaxJarResponse> => {
  const found = await requireRecorded(levy, kind, reference, query['provider']);
  await voidTransaction(levy, found, deleted);
  return toResponse(kind, found);
};

/** Returns the day of a query parameter. */
const dayAt = ({ query }: Request, name: string): string | undefined => {
  const text = query[name];
  if (!text) return undefined;
  const day = parseDate(text).slice(0, 10);
  if (isDay(day)) return day;
  throw new TaxJarRefusal(406, `${name} is ${text}. Send a date such as 2026-10-14.`);
};

const list = async (kind: Kind, request: Request): Promise<TaxJarResponse> => {
  const { query } = request;
  const [day, from = day, to = day] = ['', 'from_', 'to_'].map((bound) => dayAt(request, `${bound}transaction_date`));
  const filters = {
    type: kind,
    ...(from && { 'tax_date[gte]': from }),
    // The bound includes the whole day.
    ...(to && { 'tax_date[lte]': to }),
  };
  const ids: string[] = [];
  const tooLong = 'The list is too long. Send a shorter range of from_transaction_date to to_transaction_date.';
  for await (const row of everyRow<Recorded>(request, '/transactions', filters, tooLong)) {
    const { status, metadata } = row;
    const own = metadata['taxjar_provider'] ?? 'api';
    const isOfProvider = !query['provider'] || isSameProvider(own, query['provider']);
    const isWanted = isOfProvider && row.currency === currency;
    if ((status === 'finalized' || status === 'filed') && isWanted) ids.push(getTransactionId(row));
  }
  return { body: { [`${names[kind]}s`]: ids } };
};

// Clients do not encode ids.
const id = '(.+)';
export const transactionRoutes = (kind: Kind): readonly Route[] => {
  const base = `/v2/transactions/${names[kind]}s`;
  return [
    ['GET', new RegExp(`^${base}$`), (request) => list(kind, request)],
    ['POST', new RegExp(`^${base}$`), (request) => create(kind, request)],
    ['GET', new RegExp(`^${base}/${id}$`), (request) => show(kind, request)],
    ['PUT', new RegExp(`^${base}/${id}$`), (request) => update(kind, request)],
    ['DELETE', new RegExp(`^${base}/${id}$`), (request) => remove(kind, request)],
  ];
};
