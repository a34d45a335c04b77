import * as z from 'zod/mini';
import type { RetrievedTransaction } from '../../transactions/history/response.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import {
  answeredInPrivate,
  calculationOf,
  equal,
  expected,
  published,
  refused,
  retrievedOf,
  transactionOf,
} from './checks.ts';
import { type Created, cleanUp, Journal, type Left } from './journal.ts';
import { type Answer, type Session, Unexpected } from './session.ts';

type Run = { readonly session: Session; readonly journal: Journal };

// Michigan has no local rates, so the amounts are the same with any active content.
const customer = { address: { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } };
const line_items = [{ id: 'mug', product_tax_code: 'GENERAL', quantity: '2', unit_price: '50.00' }];
const sale = { customer, line_items };

const read = async ({ session }: Run, { id }: Created, query = ''): Promise<RetrievedTransaction> =>
  retrievedOf(answeredInPrivate(await session.send({ method: 'GET', path: `/transactions/${id}${query}` }), 200));

/** Check the response to a create. */
const recorded = (answer: Answer, created: Created, status: string): Transaction => {
  const body = transactionOf(answeredInPrivate(answer, 201));
  equal('reference_id', body.reference_id, created.reference);
  equal('status', body.status, status);
  equal('Location', answer.headers.get('Location')?.replace(/^.*?(?=transactions\/)/, ''), `transactions/${body.id}`);
  expected('ETag is missing', answer.headers.has('ETag'));
  return body;
};

// A REST API of API Gateway renames the header.
const challenges = ['WWW-Authenticate', 'x-amzn-Remapped-WWW-Authenticate'];

const OpenApi = z.object({ openapi: z.string().check(z.regex(/^3\./)) });

/** Public documents, and 401 without a valid key. */
const publicAccess = async ({ session }: Run): Promise<void> => {
  await session.step('GET /openapi.json returns the contract', async () => {
    const answer = await session.send({ method: 'GET', path: '/openapi.json', key: null });
    published(answer, 'application/json');
    expected('openapi is not 3.x', OpenApi.safeParse(answer.body).success);
  });
  await session.step('GET /docs returns the documentation page', async () => {
    published(await session.send({ method: 'GET', path: '/docs', key: null }), 'text/html');
  });
  await session.step('401 without a key', async () => {
    const answer = await session.send({ method: 'GET', path: '/transactions', key: null });
    refused(answer, 401, 'auth_error');
    expected(
      'WWW-Authenticate is missing',
      challenges.some((name) => answer.headers.has(name)),
    );
  });
  await session.step('401 with an unknown key', async () => {
    const key = `levy_${'0'.repeat(43)}`;
    const answer = await session.send({ method: 'POST', path: '/calculations', body: sale, key });
    expected(`status is ${answer.status}, should be 401`, answer.status === 401);
  });
};

/** Draft invoice: create a draft, repeat the request, finalize. */
const draftInvoice = async (run: Run): Promise<Created> => {
  const { session, journal } = run;
  const { created, answer, draft } = await session.step('draft invoice: create a draft', async () => {
    const made = await journal.create('draft', { ...sale, status: 'draft' });
    return { ...made, draft: recorded(made.answer, made.created, 'draft') };
  });
  await session.step('draft invoice: repeat the request with its Idempotency-Key', async () => {
    const again = await session.send({
      method: 'POST',
      path: '/transactions',
      body: created.body,
      headers: { 'Idempotency-Key': created.idempotencyKey },
    });
    answeredInPrivate(again, answer.status);
    expected('the repeated request has another response', again.text === answer.text);
  });
  await session.step('draft invoice: finalize', async () => {
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

/** Estimate: calculate, then record a transaction with that tax. */
const estimate = async (run: Run): Promise<Created> => {
  const { session, journal } = run;
  const tax_amount = await session.step('estimate: calculate', async () => {
    const answer = await session.send({ method: 'POST', path: '/calculations', body: sale });
    const body = calculationOf(answeredInPrivate(answer, 200));
    return body.tax_amount;
  });
  return session.step('estimate: record with that tax', async () => {
    const { created, answer } = await journal.create('estimate', { ...sale, status: 'finalized', tax_amount });
    const body = recorded(answer, created, 'finalized');
    equal('tax_amount', body.tax_amount, tax_amount);
    equal('tax_amount_source', body.tax_amount_source, 'provided');
    return created;
  });
};

const checkCredited = async (run: Run, parent: Created, credit: Transaction, refundStatus: string): Promise<void> => {
  const stored = await read(run, parent);
  equal('refund_status of the sale', stored.refund_status, refundStatus);
  equal('credited_amount of the sale', stored.credited_amount, credit.subtotal_amount);
  equal('credited_tax_amount of the sale', stored.credited_tax_amount, credit.tax_amount);
};

/** Full refund: credit the whole sale. */
const fullRefund = (run: Run, parent: Created): Promise<void> =>
  run.session.step('full refund: credit the sale', async () => {
    const whole = await read(run, parent);
    const body = { type: 'credit', parent_transaction_id: parent.id, status: 'finalized' };
    const { created, answer } = await run.journal.create('full', body);
    const credit = recorded(answer, created, 'finalized');
    equal('tax_amount of the credit', credit.tax_amount, whole.tax_amount);
    equal('total_amount of the credit', credit.total_amount, whole.total_amount);
    await checkCredited(run, parent, credit, 'full');
  });

/** Partial refund: calculate the credit of one of two items, then record it. */
const partialRefund = async (run: Run, parent: Created): Promise<void> => {
  const { session, journal } = run;
  const part = { type: 'credit', parent_transaction_id: parent.id, line_items: [{ id: 'mug', quantity: '1' }] };
  const tax = await session.step('partial refund: calculate', async () => {
    const answer = await session.send({ method: 'POST', path: '/calculations', body: part });
    const body = calculationOf(answeredInPrivate(answer, 200));
    return body.tax_amount;
  });
  await session.step('partial refund: credit one of two items', async () => {
    const { created, answer } = await journal.create('partial', { ...part, status: 'finalized' });
    const credit = recorded(answer, created, 'finalized');
    equal('tax_amount of the credit', credit.tax_amount, tax);
    await checkCredited(run, parent, credit, 'partial');
  });
};

/** `failure` is the message of the first failed check. `left` are the transactions that were not voided. */
export type Outcome = { readonly failure: string | null; readonly left: readonly Left[] };

/** Run the workflows, then void their transactions, also after a failure. */
export const runSmoke = async (session: Session): Promise<Outcome> => {
  const journal = new Journal(session);
  const run = { session, journal };
  let failure: string | null = null;
  try {
    await publicAccess(run);
    const sale = await draftInvoice(run);
    const second = await estimate(run);
    await fullRefund(run, sale);
    await partialRefund(run, second);
  } catch (error) {
    // The clean-up must also run after a bug of this command.
    failure = error instanceof Unexpected ? error.message : String((error as Error).stack);
    session.say(`       ${failure}`);
  }
  const left = await cleanUp(session, journal);
  const made = journal.all.filter(({ id }) => id !== null).length;
  session.say(`Voided ${made - left.filter(({ id }) => id !== null).length} of ${made} transactions of this run.`);
  return { failure, left };
};
