import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { safetyHeaders } from '../../api/response.ts';
import { asObject, type JsonObject as Body, parseJson } from '../../base/json.ts';

/** Thrown if a check fails or a request gets no response. The message never contains a key. */
class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

type Request = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Overrides the session's key; `null` sends none. */
  readonly key?: string | null;
};

/** Returns the cause of a `fetch` error, because its message is only "fetch failed". */
const getCause = (error: unknown): string => {
  const { name, message, cause } = error as Error & { cause?: Error & { code?: string } };
  if (name === 'TimeoutError') return 'timeout';
  return cause?.code ?? cause?.message ?? message;
};

type Settings = {
  readonly url: string;
  readonly key: string;
  /** Time limit of one request. */
  readonly timeoutMs: number;
  readonly print: (line: string) => void;
};

/**
 * Starts a run against a service. `prefix` is the prefix of its transactions' references; `stop` makes the next step
 * fail.
 */
export const newSession = ({ url, key: ownKey, timeoutMs, print }: Settings) => {
  let waitedMs = 0;
  let stopped = false;

  const send = async ({ method, path, body, headers, key = ownKey }: Request) => {
    const start = performance.now();
    try {
      const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...(key !== null && { 'X-API-Key': key }), ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        // A redirect would send the key to another host.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: asObject(parseJson(text)) ?? null, text };
    } catch (error) {
      throw new Unexpected(`${method} ${path}: no response (${getCause(error)})`);
    } finally {
      waitedMs += performance.now() - start;
    }
  };

  /** Runs a step and prints it with its latency. */
  const step = async <Value>(title: string, run: () => Promise<Value>): Promise<Value> => {
    if (stopped) throw new Unexpected('The run was stopped.');
    waitedMs = 0;
    let word = 'FAILED';
    try {
      const value = await run();
      word = 'ok';
      return value;
    } finally {
      print(`${word.padEnd(6)} ${`${Math.round(waitedMs)} ms`.padStart(8)}  ${title}`);
    }
  };

  const stop = () => {
    stopped = true;
  };
  return { prefix: `smoke_${randomUUID()}`, send, step, print, stop };
};

type Session = ReturnType<typeof newSession>;
type HttpResponse = Awaited<ReturnType<Session['send']>>;

/** Fails the run with this message unless the condition is true. */
const expected = (words: string, holds: boolean): void => {
  if (!holds) throw new Unexpected(words);
};

const equal = (what: string, actual: unknown, expectedValue: unknown): void =>
  expected(`${what} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expectedValue)}`, actual === expectedValue);

const requiredHeaders = ['X-Request-Id', 'Service-Version', ...Object.keys(safetyHeaders)];
const forbiddenHeaders = ['Access-Control-Allow-Origin', 'X-Powered-By'];

/** Returns the code and detail of the first error, and the request id, if present. */
const getReason = ({ body, headers }: HttpResponse): string => {
  const [error] = Array.isArray(body?.['errors']) ? body['errors'] : [];
  return `${error ? ` (${error.code}: ${error.detail})` : ''}, request ${headers.get('X-Request-Id')}`;
};

/** Checks the status, the headers and the media type of a response. */
const checkResponse = (response: HttpResponse, status: number, type: string): void => {
  const { headers } = response;
  expected(`status is ${response.status}, expected ${status}${getReason(response)}`, response.status === status);
  for (const name of requiredHeaders) expected(`${name} is missing`, headers.has(name));
  for (const name of forbiddenHeaders) expected(`${name} is present but must not be`, !headers.has(name));
  const actual = headers.get('Content-Type') ?? '';
  expected(`Content-Type is ${actual}, expected ${type}`, actual.startsWith(type));
};

/** Checks a JSON response, which must not be cacheable, and returns its body. */
const readBody = (response: HttpResponse, status: number): Body => {
  checkResponse(response, status, 'application/json');
  equal('Cache-Control', response.headers.get('Cache-Control'), 'no-store');
  if (response.body === null) throw new Unexpected('the body is not JSON');
  return response.body;
};

/** A transaction of a run. It is added before its request is sent, so cleanup can find it even without a response. */
type Created = {
  readonly reference: string;
  readonly request: Request;
  /** `null` until a response contains the id. */
  id: string | null;
};

/**
 * Returns the id of a transaction in a response if its reference matches, so the run never voids other transactions.
 */
const getId = ({ reference }: Created, body: unknown): string | null => {
  const { id, reference_id } = (body ?? {}) as Body;
  return reference_id === reference && typeof id === 'string' && /^txn_\w+$/.test(id) ? id : null;
};

/** Creates a transaction with a reference of this run, and adds it to `all`. */
const create = async (session: Session, all: Created[], name: string, body: Body) => {
  const reference = `${session.prefix}_${name}`;
  const headers = { 'Idempotency-Key': randomUUID() };
  const request = {
    method: 'POST',
    path: '/transactions',
    body: { ...body, reference_id: reference },
    headers,
  } as const;
  const created: Created = { reference, request, id: null };
  all.push(created);
  const response = await session.send(request);
  if ([400, 401, 403, 413, 415, 422].includes(response.status)) all.pop();
  created.id = getId(created, response.body);
  return { created, response };
};

/** A transaction that was not voided. `id` is `null` if no response contained it. */
type NotVoided = { readonly reference: string; readonly id: string | null; readonly reason: string };

/** Tries up to four times until a value is returned, because the fault that ended the run may last. */
const retry = async <Value>(attempt: () => Promise<Value | null>): Promise<Value | null> => {
  for (const ms of [0, 500, 1000, 2000]) {
    await pause(ms);
    const value = await attempt().catch(() => null);
    if (value !== null) return value;
  }
  return null;
};

const voided = async ({ send }: Session, created: Created): Promise<NotVoided | null> => {
  const { reference } = created;
  const id =
    created.id ??
    (await retry(async () => {
      const { body } = await send({ method: 'GET', path: `/transactions?reference_id=${reference}` });
      const rows = Array.isArray(body?.['data']) ? body['data'] : [];
      return rows.map((row) => getId(created, row)).find((found) => found !== null) ?? null;
    }));
  if (id === null) return { reference, id, reason: 'no response contained its id' };
  let reason = 'no response';
  const path = `/transactions/${id}`;
  const status = await retry(async () => {
    const response = await send({ method: 'POST', path, body: { status: 'void', void_reason: 'Smoke test' } });
    reason = `status ${response.status}`;
    const { body } = await send({ method: 'GET', path });
    return getId(created, body) === id && body?.['status'] === 'void' ? 'void' : null;
  });
  return status === null ? { reference, id, reason } : null;
};

/**
 * Voids the transactions of a run, newest first, because a sale with credits cannot be voided. Returns the transactions
 * that could not be confirmed void.
 */
const cleanUp = async (session: Session, all: readonly Created[]): Promise<readonly NotVoided[]> => {
  const left: (NotVoided | null)[] = [];
  for (const created of all.toReversed()) left.push(await voided(session, created));
  return left.filter((one) => one !== null);
};

type Run = { readonly session: Session; readonly all: Created[] };

// Michigan has no local rates, so the amounts are the same with any active content.
const customer = { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } };
const line_items = [{ id: 'mug', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' }];
const sale = { customer, line_items };

const record = async ({ session, all }: Run, name: string, body: Body) => {
  const { created, response } = await create(session, all, name, body);
  const stored = readBody(response, 201);
  equal('reference_id', stored['reference_id'], created.reference);
  equal('status', stored['status'], body['status']);
  expected('Location is missing', response.headers.get('Location')?.endsWith(`transactions/${stored['id']}`) ?? false);
  expected('ETag is missing', response.headers.has('ETag'));
  return { created, response, body: stored };
};

const read = async ({ session }: Run, { id }: Created, query = ''): Promise<Body> =>
  readBody(await session.send({ method: 'GET', path: `/transactions/${id}${query}` }), 200);

const calculatedTax = async ({ session }: Run, body: Body): Promise<string> => {
  const { tax_amount } = readBody(await session.send({ method: 'POST', path: '/calculations', body }), 200);
  expected(`tax_amount is ${tax_amount}, expected an amount`, /^\d+\.\d\d$/.test(String(tax_amount)));
  return String(tax_amount);
};

/** Public documents, and 401 without a valid key. */
const publicAccess = async ({ session: { step, send } }: Run): Promise<void> => {
  await step('GET /openapi.json returns the contract', async () => {
    const response = await send({ method: 'GET', path: '/openapi.json', key: null });
    checkResponse(response, 200, 'application/json');
    expected('openapi is not 3.x', String(response.body?.['openapi']).startsWith('3.'));
  });
  await step('GET /docs returns the documentation page', async () => {
    checkResponse(await send({ method: 'GET', path: '/docs', key: null }), 200, 'text/html');
  });
  await step('401 without a key', async () => {
    const response = await send({ method: 'GET', path: '/transactions', key: null });
    checkResponse(response, 401, 'application/json');
    // A REST API of API Gateway renames the header.
    const challenges = ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate'];
    expected(
      'WWW-Authenticate is missing',
      challenges.some((name) => response.headers.has(name)),
    );
  });
  await step('401 with an unknown key', async () => {
    const key = `levy_${'0'.repeat(43)}`;
    const response = await send({ method: 'POST', path: '/calculations', body: sale, key });
    checkResponse(response, 401, 'application/json');
  });
};

/** Draft invoice: create a draft, repeat the request, finalize. */
const draftInvoice = async (run: Run): Promise<Created> => {
  const { step, send } = run.session;
  const { created, response, body } = await step('draft invoice: create a draft', () =>
    record(run, 'draft', { ...sale, status: 'draft' }),
  );
  await step('draft invoice: repeat the request with its Idempotency-Key', async () => {
    const again = await send(created.request);
    readBody(again, response.status);
    expected('the repeated request has a different response', again.text === response.text);
  });
  await step('draft invoice: finalize', async () => {
    const headers = { 'If-Match': response.headers.get('ETag') ?? '' };
    const path = `/transactions/${created.id}`;
    const finalized = readBody(await send({ method: 'POST', path, headers, body: { status: 'finalized' } }), 200);
    equal('tax_amount', finalized['tax_amount'], body['tax_amount']);
    const { status, history } = await read(run, created, '?expand=history');
    equal('status as stored', status, 'finalized');
    equal('number of changes', Array.isArray(history) ? history.length : null, 2);
  });
  return created;
};

/** Estimate: calculate, then record a transaction with that tax. */
const estimate = async (run: Run): Promise<Created> => {
  const { step } = run.session;
  const tax_amount = await step('estimate: calculate', () => calculatedTax(run, sale));
  return step('estimate: record with that tax', async () => {
    const { created, body } = await record(run, 'estimate', { ...sale, status: 'finalized', tax_amount });
    equal('tax_amount', body['tax_amount'], tax_amount);
    equal('tax_amount_source', body['tax_amount_source'], 'provided');
    return created;
  });
};

/** Records a credit of a sale, and checks its tax and the refund fields of the sale. */
const refund = async (run: Run, parent: Created, credit: Body, refundStatus: string, tax: unknown): Promise<void> => {
  const { body } = await record(run, refundStatus, { ...credit, status: 'finalized' });
  equal('tax_amount of the credit', body['tax_amount'], tax);
  const stored = await read(run, parent);
  equal('refund_status of the sale', stored['refund_status'], refundStatus);
  equal('credited_tax_amount of the sale', stored['credited_tax_amount'], tax);
};

const fullRefund = (run: Run, parent: Created): Promise<void> =>
  run.session.step('full refund: credit the sale', async () => {
    const { tax_amount } = await read(run, parent);
    await refund(run, parent, { type: 'credit', parent_transaction_id: parent.id }, 'full', tax_amount);
  });

/** Partial refund: calculate the credit of one of two items, then record it. */
const partialRefund = async (run: Run, parent: Created): Promise<void> => {
  const { step } = run.session;
  const part = { type: 'credit', parent_transaction_id: parent.id, line_items: [{ id: 'mug', quantity: '1' }] };
  const tax = await step('partial refund: calculate', () => calculatedTax(run, part));
  await step('partial refund: credit one of two items', () => refund(run, parent, part, 'partial', tax));
};

/**
 * Runs the workflows, then voids their transactions, even after a failure. Returns the message of the first failed check
 * (`failure`), and the transactions that were not voided (`left`).
 */
export const runSmoke = async (session: Session) => {
  const run: Run = { session, all: [] };
  let failure: string | null = null;
  try {
    await publicAccess(run);
    const invoice = await draftInvoice(run);
    const recorded = await estimate(run);
    await fullRefund(run, invoice);
    await partialRefund(run, recorded);
  } catch (error) {
    // Cleanup must run even after a bug in this command.
    failure = error instanceof Unexpected ? error.message : String((error as Error).stack);
    session.print(`       ${failure}`);
  }
  const left = await cleanUp(session, run.all);
  session.print(`Voided ${run.all.length - left.length} of ${run.all.length} transactions of this run.`);
  return { failure, left };
};
