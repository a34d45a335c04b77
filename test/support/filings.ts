import type { Caller } from './api.ts';
import type { Answer, Request } from './http.ts';
import { type Client, clientOf, goods, made, sale } from './sales.ts';

export const csv = { Accept: 'text/csv' };

/** A client for filings: takes bodies, returns responses. */
export const filerOf = ({ call }: Pick<Caller, 'call'>) => {
  const headed = (headers: Request['headers']) => (headers ? { headers } : {});
  const query = (parameters: Record<string, string>) => {
    const text = new URLSearchParams(parameters).toString();
    return text === '' ? '' : `?${text}`;
  };
  return {
    ...clientOf({ call }),
    close: (body: Record<string, unknown>, headers?: Request['headers']) =>
      call('POST', '/filings', { body, ...headed(headers) }),
    change: (id: string, body: unknown, headers?: Request['headers']) =>
      call('POST', `/filings/${id}`, { body, ...headed(headers) }),
    filing: (id: string, parameters: Record<string, string> = {}, headers?: Request['headers']) =>
      call('GET', `/filings/${id}${query(parameters)}`, headed(headers)),
    filings: (parameters: Record<string, string> = {}) => call('GET', `/filings${query(parameters)}`),
  };
};
export type Filer = ReturnType<typeof filerOf>;

type Shown = {
  readonly id: string;
  readonly status: string;
  readonly state: string;
  readonly period_end: string;
  readonly confirmation_number: string | null;
};

// On a slow machine work may remain. A repeated request continues it, with the same result.
const askAgain = (filer: Filer, { id, status, state, period_end, confirmation_number }: Shown): Promise<Answer> => {
  if (status === 'closing') return filer.close({ state, period_end });
  return filer.change(id, status === 'canceled' ? { status } : { status: 'filed', confirmation_number });
};

/** A filing once nothing is left to do. */
export const settled = async (filer: Filer, id: string): Promise<any> => {
  for (let asked = 0; asked < 20; asked++) {
    const filing = await made(filer.filing(id));
    if (filing.progress.complete) return filing;
    await made(askAgain(filer, filing));
  }
  throw new Error(`The filing ${id} is not done.`);
};

/** A period that is closed. */
export const closedFiling = async (filer: Filer, state: string, period_end: string): Promise<any> =>
  settled(filer, (await made(filer.close({ state, period_end }))).id);

export const file = async (filer: Filer, id: string, confirmation_number = 'c-1'): Promise<any> => {
  await made(filer.change(id, { status: 'filed', confirmation_number }));
  return settled(filer, id);
};

export const cancel = async (filer: Filer, id: string): Promise<any> => {
  await made(filer.change(id, { status: 'canceled' }));
  return settled(filer, id);
};

/** A finalized sale of so much in Michigan (6 %), on a day. */
export const soldOn = (
  client: Pick<Client, 'create'>,
  tax_date: string,
  unit_price = '100.00',
  others: Record<string, unknown> = {},
): Promise<any> =>
  made(
    client.create(
      sale({
        status: 'finalized',
        tax_date,
        line_items: [goods({ id: 'item_1', quantity: '1', unit_price })],
        ...others,
      }),
    ),
  );

type EntryPage = {
  readonly entries: {
    readonly data: readonly unknown[];
    readonly has_more: boolean;
    readonly next_cursor: string | null;
  };
};

/** Every entry of a filing, page by page, as JSON. */
export const everyEntry = async (filer: Filer, id: string, limit = 100): Promise<any[]> => {
  const entries: any[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < 1000; pages++) {
    const page: EntryPage = await made(
      filer.filing(id, { expand: 'entries', limit: String(limit), ...(after !== null && { starting_after: after }) }),
    );
    entries.push(...page.entries.data);
    if (!page.entries.has_more) return entries;
    after = page.entries.next_cursor;
  }
  throw new Error('The entries do not end.');
};

type Sums = Readonly<
  Record<'gross_amount' | 'exempt_amount' | 'taxable_amount' | 'tax_amount', string> & { count: number }
>;
type Row = Sums & { readonly currency: string };
type Summed = {
  readonly totals: readonly (Row & { readonly jurisdiction_code: string })[];
  readonly summary: readonly Row[];
};

export const sumsOf = ({ gross_amount, exempt_amount, taxable_amount, tax_amount, count }: Sums) =>
  [gross_amount, exempt_amount, taxable_amount, tax_amount, count].join(' ');

/** The totals of a filing in short: `US-MI USD gross exempt taxable tax count`. */
export const totalsOf = (filing: Summed): string[] =>
  filing.totals.map((total) => `${total.jurisdiction_code} ${total.currency} ${sumsOf(total)}`);

export const summaryOf = (filing: Summed): string[] => filing.summary.map((row) => `${row.currency} ${sumsOf(row)}`);
