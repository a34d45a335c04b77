import * as z from 'zod/mini';
import type { RetrievedTransaction } from '../../transactions/history/response.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { calculationOf, retrievedOf, transactionOf } from './contents.ts';
import type { Created, Journal } from './created.ts';
import { answeredInPrivate, equal, expected, published, refused } from './expectations.ts';
import type { Answer, Session } from './session.ts';
import { checkHalf, checkSums } from './sums.ts';

type Run = { readonly session: Session; readonly journal: Journal };

// Michigan has one rate and nothing else: whatever content is active, the amounts are easy to follow.
const customer = { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } };
const line_items = [{ id: 'mug', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' }];
const sale = { customer, line_items };

const read = async ({ session }: Run, { id }: Created, query = ''): Promise<RetrievedTransaction> =>
  retrievedOf(answeredInPrivate(await session.send({ method: 'GET', path: `/transactions/${id}${query}` }), 200));

/** A recorded transaction: its state, its place, and amounts that add up. */
const recorded = (answer: Answer, created: Created, status: string): Transaction => {
  const body = transactionOf(answeredInPrivate(answer, 201));
  equal('reference_id', body.reference_id, created.reference);
  equal('status', body.status, status);
  equal('Location', answer.headers.get('Location')?.replace(/^.*?(?=transactions\/)/, ''), `transactions/${body.id}`);
  expected('ETag is missing', answer.headers.has('ETag'));
  checkSums(body);
  return body;
};

// A REST API of API Gateway gives it the second name on its way back.
const challenges = ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate'];

const OpenApi = z.object({ openapi: z.string().check(z.regex(/^3\./)) });

/** What anybody may read, and what nobody may without a key. */
export const openDoors = async ({ session }: Run): Promise<void> => {
  await session.step('GET /openapi.json describes the API', async () => {
    const answer = await session.send({ method: 'GET', path: '/openapi.json', key: null });
    published(answer, 'application/json');
    expected('openapi is not 3.x', OpenApi.safeParse(answer.body).success);
  });
  await session.step('GET /docs is its page', async () => {
    published(await session.send({ method: 'GET', path: '/docs', key: null }), 'text/html');
  });
  await session.step('without a key 401', async () => {
    const answer = await session.send({ method: 'GET', path: '/transactions', key: null });
    refused(answer, 401, 'auth_error');
    expected(
      'WWW-Authenticate is missing',
      challenges.some((name) => answer.headers.has(name)),
    );
  });
  await session.step('with a key of nobody 401', async () => {
    const key = `levy_${'0'.repeat(43)}`;
    const answer = await session.send({ method: 'POST', path: '/calculations', body: sale, key });
    expected(`status is ${answer.status}, should be 401`, answer.status === 401);
  });
};

/** Draft invoice: a draft, sent a second time, and finalized. */
export const draftInvoice = async (run: Run): Promise<Created> => {
  const { session, journal } = run;
  const { created, answer, draft } = await session.step('draft invoice: a draft', async () => {
    const made = await journal.create('draft', { ...sale, status: 'draft' });
    return { ...made, draft: recorded(made.answer, made.created, 'draft') };
  });
  await session.step('draft invoice: sent again, the same answer', async () => {
    const again = await session.send({
      method: 'POST',
      path: '/transactions',
      body: created.body,
      headers: { 'Idempotency-Key': created.idempotencyKey },
    });
    answeredInPrivate(again, answer.status);
    expected('the answer to the repeated request is another one', again.text === answer.text);
  });
  await session.step('draft invoice: finalized', async () => {
    const path = `/transactions/${created.id}`;
    const headers = { 'If-Match': answer.headers.get('ETag') ?? '' };
    const finalized = await session.send({ method: 'POST', path, headers, body: { status: 'finalized' } });
    const body = transactionOf(answeredInPrivate(finalized, 200));
    equal('status', body.status, 'finalized');
    equal('tax_amount', body.tax_amount, draft.tax_amount);
    const stored = await read(run, created, '?expand=history');
    equal('status as stored', stored.status, 'finalized');
    equal('number of changes', stored.history?.length, 2);
  });
  return created;
};

/** Calculation estimate: calculated first, recorded with that tax. */
export const estimate = async (run: Run): Promise<Created> => {
  const { session, journal } = run;
  const tax_amount = await session.step('estimate: a calculation', async () => {
    const answer = await session.send({ method: 'POST', path: '/calculations', body: sale });
    const body = calculationOf(answeredInPrivate(answer, 200));
    checkSums(body);
    return body.tax_amount;
  });
  return session.step('estimate: recorded with its tax', async () => {
    const { created, answer } = await journal.create('estimate', { ...sale, status: 'finalized', tax_amount });
    const body = recorded(answer, created, 'finalized');
    equal('tax_amount', body.tax_amount, tax_amount);
    equal('tax_amount_source', body.tax_amount_source, 'provided');
    return created;
  });
};

const checkCredited = async (run: Run, of: Created, credit: Transaction, refundStatus: string): Promise<void> => {
  const parent = await read(run, of);
  equal('refund_status of the sale', parent.refund_status, refundStatus);
  equal('credited_amount of the sale', parent.credited_amount, credit.subtotal_amount);
  equal('credited_tax_amount of the sale', parent.credited_tax_amount, credit.tax_amount);
};

/** Full refund: a credit of the whole sale. */
export const fullRefund = (run: Run, of: Created): Promise<void> =>
  run.session.step('full refund: a credit of the sale', async () => {
    const whole = await read(run, of);
    const body = { type: 'credit', parent_transaction_id: of.id, status: 'finalized' };
    const { created, answer } = await run.journal.create('full', body);
    const credit = recorded(answer, created, 'finalized');
    equal('tax_amount of the credit', credit.tax_amount, whole.tax_amount);
    equal('total_amount of the credit', credit.total_amount, whole.total_amount);
    await checkCredited(run, of, credit, 'full');
  });

/** Partial refund: what it would be, and then a credit of one of two. */
export const partialRefund = async (run: Run, of: Created): Promise<void> => {
  const { session, journal } = run;
  const part = { type: 'credit', parent_transaction_id: of.id, line_items: [{ id: 'mug', quantity: '1' }] };
  const tax = await session.step('partial refund: a calculation', async () => {
    const answer = await session.send({ method: 'POST', path: '/calculations', body: part });
    const body = calculationOf(answeredInPrivate(answer, 200));
    checkSums(body);
    return body.tax_amount;
  });
  await session.step('partial refund: a credit of one of two', async () => {
    const { created, answer } = await journal.create('partial', { ...part, status: 'finalized' });
    const credit = recorded(answer, created, 'finalized');
    equal('tax_amount of the credit', credit.tax_amount, tax);
    checkHalf('tax_amount of the credit', credit.tax_amount, (await read(run, of)).tax_amount);
    await checkCredited(run, of, credit, 'partial');
  });
};
