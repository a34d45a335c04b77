import { advanceClock, now } from '../../shared/config/clock.ts';
import type { Call, Caller } from './api.ts';
import type { Answer, Request, Schema } from './http.ts';

/** Michigan taxes at 6 %, without local taxes. */
export const michigan = {
  line1: '1 Woodward Avenue',
  city: 'Detroit',
  state: 'MI',
  postal_code: '48226',
  country: 'US',
} as const;

export const goods = (others: Record<string, unknown> = {}) => ({
  product_tax_code: 'GENERAL',
  quantity: '2',
  unit_price: '50.00',
  ...others,
});

/** A sale of 100.00 in Michigan, with a tax of 6.00, unless the test says otherwise. */
export const sale = (others: Record<string, unknown> = {}) => ({
  tax_date: '2026-10-08',
  customer: { address: michigan },
  line_items: [goods({ id: 'item_1' })],
  ...others,
});

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Run something later by the service's clock, which is set back afterwards. */
export const later = async <Value>(byMs: number, run: () => Promise<Value>): Promise<Value> => {
  advanceClock(byMs);
  try {
    return await run();
  } finally {
    advanceClock(-byMs);
  }
};

/** On this day the files that tests publish are current, and the periods that tests name are over, running or to come. */
export const testDay = '2026-11-24T12:00:00Z';

/** Set the service's clock to the test day, for the rest of a test file. The clock keeps running. */
export const startOnTestDay = (): void => advanceClock(Date.parse(testDay) - now());

/** A caller in the words of the tests: bodies go in, answers come out. */
export const clientOf = ({ call }: Pick<Caller, 'call'>) => {
  const headed = (headers: Request['headers']) => (headers ? { headers } : {});
  return {
    call,
    calculate: (body: unknown) => call('POST', '/calculations', { body }),
    create: (body: unknown, headers?: Request['headers']) =>
      call('POST', '/transactions', { body, ...headed(headers) }),
    update: (id: string, body: unknown, headers?: Request['headers']) =>
      call('POST', `/transactions/${id}`, { body, ...headed(headers) }),
    get: (id: string) => call('GET', `/transactions/${id}`),
    list: (parameters: Record<string, string> = {}) => call('GET', `/transactions?${new URLSearchParams(parameters)}`),
  };
};
export type Client = ReturnType<typeof clientOf>;

/** The transaction of an answer that must not be a refusal. */
export const made = async <Body>(answer: Promise<Answer<Body>>): Promise<Body> => {
  const { status, body, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
};

/** The GET response of a transaction, expected from the response of the write, plus the history that only GET returns. */
export const retrieved = <Recorded>(transaction: Recorded): Recorded & { readonly history: null } => ({
  ...transaction,
  history: null,
});

/** The transaction of such an answer, as writes and lists know it. */
export const recorded = ({ history: _, ...transaction }: Schema<'RetrievedTransaction'>): Schema<'Transaction'> =>
  transaction;

/** A sale that is stored and finalized. */
export const sold = (client: Client, others: Record<string, unknown> = {}) =>
  made(client.create(sale({ status: 'finalized', ...others })));

/** A credit of a sale, finalized unless the test says otherwise. */
export const creditOf = (parent: { readonly id: string }, others: Record<string, unknown> = {}) => ({
  type: 'credit',
  status: 'finalized',
  parent_transaction_id: parent.id,
  ...others,
});

type Page = Pick<Schema<'TransactionList'>, 'has_more' | 'next_cursor'> & { data: { id: string }[] };

/** Everything of a list, page by page, with the number of pages. */
export const everyPage = async (
  client: { readonly list: (parameters: Record<string, string>) => Promise<Answer<Page>> },
  parameters: Record<string, string> = {},
  cursor: 'next_cursor' | 'last id' = 'next_cursor',
): Promise<{ ids: string[]; pages: number }> => {
  const ids: string[] = [];
  let after: string | null = null;
  for (let pages = 1; pages <= 1000; pages++) {
    const body: Page = await made(client.list({ ...parameters, ...(after !== null && { starting_after: after }) }));
    ids.push(...body.data.map(({ id }) => id));
    if (!body.has_more) return { ids, pages };
    after = cursor === 'next_cursor' ? body.next_cursor : (ids.at(-1) ?? null);
  }
  throw new Error('The list does not end.');
};

/** A refusal in short: its status and codes, each with where it lies. */
export const refusalOf = ({ status, body }: Answer): string =>
  [
    status,
    ...(body?.errors ?? []).map((error) =>
      [error.code, error.source?.pointer ?? error.source?.parameter ?? error.source?.header ?? ''].join(' ').trim(),
    ),
  ].join(' | ');

export const metaOf = ({ body }: Answer): Record<string, unknown> => {
  const { request_id: _, ...meta } = body?.errors?.[0]?.meta ?? {};
  return meta;
};

export type { Call };
