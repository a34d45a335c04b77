import { advanceClock } from '../../shared/config/clock.ts';
import type { Call, Client } from './api.ts';
import type { ApiResponse, Schema } from './http.ts';

/** Returns the shipping charges of a response as a list. */
export const shippingCharges = <Charge>(shipping: Charge | readonly Charge[] | null | undefined): readonly Charge[] =>
  [shipping ?? []].flat() as Charge[];

/** Returns all charges of a response: its line items, and then its shipping charges. */
export const listCharges = <Line, Charge>({
  line_items,
  shipping,
}: Charged<Line, Charge>): readonly (Line | Charge)[] => [...line_items, ...shippingCharges(shipping)];
type Charged<Line, Charge> = {
  readonly line_items: readonly Line[];
  readonly shipping: Charge | readonly Charge[] | null | undefined;
};

/** Returns the only shipping charge of a response; `undefined` without one. Throws if there are several. */
export const onlyShipping = <Charge>(shipping: Charge | readonly Charge[] | null | undefined): Charge | undefined => {
  const [only, ...others] = shippingCharges(shipping);
  if (others.length > 0) throw new Error('The response has several shipping charges.');
  return only;
};

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

/** A sale request: by default 100.00 in Michigan, with a tax of 6.00. */
export const sale = (others: Record<string, unknown> = {}) => ({
  tax_date: '2026-10-08',
  customer: { address: michigan },
  line_items: [goods({ id: 'item_1' })],
  ...others,
});

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Runs a function with the service's clock moved forward, and resets the clock afterwards. */
export const later = async <Value>(byMs: number, run: () => Promise<Value>): Promise<Value> => {
  advanceClock(byMs);
  try {
    return await run();
  } finally {
    advanceClock(-byMs);
  }
};

/** Returns the transaction of a response that must not be a refusal. */
export const made = async <Body>(response: Promise<ApiResponse<Body>>): Promise<Body> => {
  const { status, body, text } = await response;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
};

/**
 * Returns the expected GET response of a transaction: the response of the write, plus the history that only GET
 * returns.
 */
export const retrieved = <Recorded>(transaction: Recorded): Recorded & { readonly history: null } => ({
  ...transaction,
  history: null,
});

/** Returns the transaction of a GET response, in the form that writes and lists return. */
export const recorded = ({ history: _, ...transaction }: Schema<'RetrievedTransaction'>): Schema<'Transaction'> =>
  transaction;

/** Records a finalized sale. */
export const sold = (client: Client, others: Record<string, unknown> = {}) =>
  made(client.create(sale({ status: 'finalized', ...others })));

/** Builds the request that records a credit of a sale; finalized by default. */
export const buildCreditRequest = (parent: { readonly id: string }, others: Record<string, unknown> = {}) => ({
  type: 'credit',
  status: 'finalized',
  parent_transaction_id: parent.id,
  ...others,
});

type Page<Row> = { readonly data: readonly Row[]; readonly has_more: boolean; readonly next_cursor: string | null };

/** Reads a whole list. `read` takes the parameter that continues it. Returns the rows and the number of pages. */
export const everyRow = async <Row>(
  read: (after: Readonly<Record<string, string>>) => Promise<ApiResponse<Page<Row>>>,
  getNext = ({ next_cursor }: Page<Row>) => next_cursor,
): Promise<{ rows: Row[]; pages: number }> => {
  const rows: Row[] = [];
  let after: Readonly<Record<string, string>> = {};
  for (let pages = 1; pages <= 1000; pages++) {
    const page = await made(read(after));
    rows.push(...page.data);
    if (page.has_more !== (page.next_cursor !== null)) throw new Error('A page has a cursor and no next page.');
    if (!page.has_more) return { rows, pages };
    after = { starting_after: String(getNext(page)) };
  }
  throw new Error('The list does not end.');
};

type Identified = { readonly id: string };

/** Reads the ids of a whole list. */
export const everyPage = async (
  client: { readonly list: (parameters: Record<string, string>) => Promise<ApiResponse<Page<Identified>>> },
  parameters: Record<string, string> = {},
  cursor: 'next_cursor' | 'last id' = 'next_cursor',
): Promise<{ ids: string[]; pages: number }> => {
  const lastId = ({ data }: Page<Identified>) => data.at(-1)?.id ?? null;
  const read = (after: Readonly<Record<string, string>>) => client.list({ ...parameters, ...after });
  const { rows, pages } = await everyRow(read, cursor === 'last id' ? lastId : undefined);
  return { ids: rows.map(({ id }) => id), pages };
};

/** Formats a refusal: its status, and each error code with its location. */
export const getRefusal = ({ status, body }: ApiResponse): string =>
  [
    status,
    ...(body?.errors ?? []).map((error) =>
      [error.code, error.source?.pointer ?? error.source?.parameter ?? error.source?.header ?? ''].join(' ').trim(),
    ),
  ].join(' | ');

export const getMeta = ({ body }: ApiResponse): Record<string, unknown> => {
  const { request_id: _, ...meta } = body?.errors?.[0]?.meta ?? {};
  return meta;
};

export type { Call };
