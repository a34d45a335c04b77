import { answered, type Body, checkResponse, equal, expected, type Session, Unexpected } from './session.ts';
import { type Created, cleanUp, create, type NotVoided } from './transactions.ts';

type Run = { readonly session: Session; readonly all: Created[] };

// Michigan has no local rates, so the amounts are the same with any active content.
const customer = { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } };
const line_items = [{ id: 'mug', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' }];
const sale = { customer, line_items };

const record = async ({ session, all }: Run, name: string, body: Body) => {
  const { created, answer } = await create(session, all, name, body);
  const stored = answered(answer, 201);
  equal('reference_id', stored['reference_id'], created.reference);
  equal('status', stored['status'], body['status']);
  expected('Location is missing', answer.headers.get('Location')?.endsWith(`transactions/${stored['id']}`) ?? false);
  expected('ETag is missing', answer.headers.has('ETag'));
  return { created, answer, body: stored };
};

const read = async ({ session }: Run, { id }: Created, query = ''): Promise<Body> =>
  answered(await session.send({ method: 'GET', path: `/transactions/${id}${query}` }), 200);

const calculatedTax = async ({ session }: Run, body: Body): Promise<string> => {
  const { tax_amount } = answered(await session.send({ method: 'POST', path: '/calculations', body }), 200);
  expected(`tax_amount is ${tax_amount}, should be an amount`, /^\d+\.\d\d$/.test(String(tax_amount)));
  return String(tax_amount);
};

/** Public documents, and 401 without a valid key. */
const publicAccess = async ({ session: { step, send } }: Run): Promise<void> => {
  await step('GET /openapi.json returns the contract', async () => {
    const answer = await send({ method: 'GET', path: '/openapi.json', key: null });
    checkResponse(answer, 200, 'application/json');
    expected('openapi is not 3.x', String(answer.body?.['openapi']).startsWith('3.'));
  });
  await step('GET /docs returns the documentation page', async () => {
    checkResponse(await send({ method: 'GET', path: '/docs', key: null }), 200, 'text/html');
  });
  await step('401 without a key', async () => {
    const answer = await send({ method: 'GET', path: '/transactions', key: null });
    checkResponse(answer, 401, 'application/json');
    // A REST API of API Gateway renames the header.
    const challenges = ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate'];
    expected(
      'WWW-Authenticate is missing',
      challenges.some((name) => answer.headers.has(name)),
    );
  });
  await step('401 with an unknown key', async () => {
    const key = `levy_${'0'.repeat(43)}`;
    const answer = await send({ method: 'POST', path: '/calculations', body: sale, key });
    checkResponse(answer, 401, 'application/json');
  });
};

/** Draft invoice: create a draft, repeat the request, finalize. */
const draftInvoice = async (run: Run): Promise<Created> => {
  const { step, send } = run.session;
  const { created, answer, body } = await step('draft invoice: create a draft', () =>
    record(run, 'draft', { ...sale, status: 'draft' }),
  );
  await step('draft invoice: repeat the request with its Idempotency-Key', async () => {
    const again = await send(created.request);
    answered(again, answer.status);
    expected('the repeated request has another response', again.text === answer.text);
  });
  await step('draft invoice: finalize', async () => {
    const headers = { 'If-Match': answer.headers.get('ETag') ?? '' };
    const path = `/transactions/${created.id}`;
    const finalized = answered(await send({ method: 'POST', path, headers, body: { status: 'finalized' } }), 200);
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

/** Record a credit of a sale, and check its tax and what the sale then shows. */
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

/** `failure` is the message of the first failed check. `left` are the transactions that were not voided. */
type Outcome = { readonly failure: string | null; readonly left: readonly NotVoided[] };

/** Runs the workflows, then voids their transactions, even after a failure. */
export const runSmoke = async (session: Session): Promise<Outcome> => {
  const run: Run = { session, all: [] };
  let failure: string | null = null;
  try {
    await publicAccess(run);
    const invoice = await draftInvoice(run);
    const recorded = await estimate(run);
    await fullRefund(run, invoice);
    await partialRefund(run, recorded);
  } catch (error) {
    // The clean-up must run even after a bug of this command.
    failure = error instanceof Unexpected ? error.message : String((error as Error).stack);
    session.print(`       ${failure}`);
  }
  const left = await cleanUp(session, run.all);
  session.print(`Voided ${run.all.length - left.length} of ${run.all.length} transactions of this run.`);
  return { failure, left };
};
