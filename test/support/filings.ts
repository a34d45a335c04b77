import { expect } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import { type Caller, type Client, connectClient, newCaller } from './api.ts';
import type { ApiResponse, Request, Schema } from './http.ts';
import { ledger } from './run-command.ts';
import { everyRow, goods, made, sale } from './sales.ts';

export const csv = { Accept: 'text/csv' };

/** A client for filings that takes request bodies and returns responses. */
export const createFiler = ({ call }: Pick<Caller, 'call'>) => {
  const headed = (headers: Request['headers']) => (headers ? { headers } : {});
  return {
    ...connectClient({ call }),
    close: (body: Record<string, unknown>, headers?: Request['headers']) =>
      call('POST', '/filings', { body, ...headed(headers) }),
    change: (id: string, body: unknown, headers?: Request['headers']) =>
      call('POST', `/filings/${id}`, { body, ...headed(headers) }),
    filing: (id: string, parameters: Record<string, string> = {}, headers?: Request['headers']) =>
      call('GET', `/filings/${id}?${new URLSearchParams(parameters)}`, headed(headers)),
    exceptions: (id: string, parameters: Record<string, string> = {}) =>
      call('GET', `/filings/${id}/exceptions?${new URLSearchParams(parameters)}` as '/filings/{id}/exceptions'),
    filings: (parameters: Record<string, string> = {}) => call('GET', `/filings?${new URLSearchParams(parameters)}`),
  };
};
export type Filing = Schema<'Filing'>;
export type Filer = ReturnType<typeof createFiler>;

/** Creates a new account with a client for its filings. */
export const newFiler = async (settings: Partial<Settings> = {}) => createFiler(await newCaller({ settings }));

/** A registration with monthly returns. */
export const monthly = (state: string, from = '2026-01-01', to: string | null = null) =>
  ({ state, from, to, frequency: 'month' }) as const;

/** Returns a dry run of a period. */
export const dryRun = (filer: Pick<Filer, 'close'>, state: string, period_end: string) =>
  made(filer.close({ state, period_end, dry_run: true }));

// On a slow machine, some work may remain. A repeated request continues the work with the same result.
const askAgain = (
  filer: Filer,
  { id, status, state, period_end, confirmation_number }: Filing,
): Promise<ApiResponse> => {
  if (status === 'closing') return filer.close({ state, period_end });
  return filer.change(id, status === 'canceled' ? { status } : { status: 'filed', confirmation_number });
};

/** Reads a filing until no work remains. */
export const settled = async (filer: Filer, id: string) => {
  for (let asked = 0; asked < 20; asked++) {
    const filing = await made(filer.filing(id));
    if (filing.progress.complete) return filing;
    await made(askAgain(filer, filing));
  }
  throw new Error(`The filing ${id} is not done.`);
};

/** Closes a period. */
export const closedFiling = async (filer: Filer, state: string, period_end: string) =>
  settled(filer, (await made(filer.close({ state, period_end }))).id);

/** Returns the newest filing of a list. */
export const newestFiling = async (filer: Filer, parameters: Record<string, string> = {}) =>
  (await made(filer.filings(parameters))).data[0] as Filing;

export const file = async (filer: Filer, id: string, confirmation_number = 'c-1') => {
  await made(filer.change(id, { status: 'filed', confirmation_number }));
  return settled(filer, id);
};

export const cancel = async (filer: Filer, id: string) => {
  await made(filer.change(id, { status: 'canceled' }));
  return settled(filer, id);
};

/** Records a finalized sale in Michigan (6 %) on a day. */
export const soldOn = (
  client: Pick<Client, 'create'>,
  tax_date: string,
  unit_price = '100.00',
  others: Record<string, unknown> = {},
) =>
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

/** Reads every entry of a filing, page by page, as JSON. */
export const everyEntry = async (filer: Filer, id: string, limit = 100) => {
  const { rows } = await everyRow(async (after) => {
    const response = await filer.filing(id, { expand: 'entries', limit: String(limit), ...after });
    return { ...response, body: { ...response.body, ...response.body.entries } };
  });
  return rows;
};

const getSums = ({
  gross_amount,
  exempt_amount,
  taxable_amount,
  tax_amount,
  count,
}: Omit<Schema<'FilingRate'>, 'rate'>) => [gross_amount, exempt_amount, taxable_amount, tax_amount, count].join(' ');

/** Reads every exception of a filing, page by page. */
export const everyException = async (filer: Filer, id: string, limit = 100, filters: Record<string, string> = {}) => {
  const { rows } = await everyRow((after) => filer.exceptions(id, { ...filters, limit: String(limit), ...after }));
  return rows;
};

/** Formats exceptions as sorted lines: `txn_… order-1 not_covered 9.00 over_collected 9.00`. */
export const exceptionsText = (rows: readonly Schema<'FilingException'>[]): string[] =>
  rows
    .map(({ transaction_id, reference_id, reasons }) => {
      const texts = reasons.map(({ reason, gross_amount }) => `${reason} ${gross_amount}`);
      return `${transaction_id} ${reference_id} ${texts.join(' ')}`;
    })
    .sort();

/** Expects that `npm run ledger -- verify` reports no errors for an account. */
export const expectVerified = async ({ account }: Pick<Caller, 'account'>): Promise<void> => {
  const { code, out } = await ledger('verify', '--account', account.id);
  expect([code, out]).toEqual([0, expect.stringMatching(/No findings\.\n$/)]);
};

/** The summary fields of sales that are all covered, taxed as calculated, and exempt only because of the product. */
export const plainSums = (exempt: string, tax: string) => ({
  exempt_amount: exempt,
  exempt_by_reason: {
    resale: '0.00',
    product: exempt,
    customer: '0.00',
    snap: '0.00',
    marketplace: '0.00',
    not_registered: '0.00',
    government: '0.00',
    nonprofit: '0.00',
    direct_pay: '0.00',
  },
  not_covered_amount: '0.00',
  calculated_tax_amount: tax,
  tax_amount: tax,
  over_collected_amount: '0.00',
});

/** Formats the totals of a filing as lines: `US-MI USD gross exempt taxable tax count`. */
export const listTotals = (filing: Filing): string[] =>
  filing.totals.map((total) => `${total.jurisdiction_code} ${total.currency} ${getSums(total)}`);

export const getSummary = (filing: Filing): string[] => filing.summary.map((row) => `${row.currency} ${getSums(row)}`);
