import { startEventSource } from '../../infra/local/handlers.ts';
import { environment } from '../../shared/config/environment.ts';
import { newCaller } from '../support/api.ts';
import { createFiler } from '../support/filings.ts';
import { made } from '../support/sales.ts';

const places = {
  MI: { line1: '1 Woodward Avenue', city: 'Detroit', postal_code: '48226' },
  NY: { city: 'New York', postal_code: '10001' },
  WA: { city: 'Seattle', postal_code: '98101' },
  HI: { city: 'Honolulu', postal_code: '96813' },
  TX: { city: 'Austin', postal_code: '78701' },
  OH: { city: 'Columbus', postal_code: '43215' },
  FL: { city: 'Miami', postal_code: '33101' },
  CO: { city: 'Denver', postal_code: '80202' },
} as const;
export type State = keyof typeof places;
export const states = Object.keys(places) as State[];

/** Returns the last day of the month this many months from now. */
const getLastDay = (months: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months + 1, 0)).toISOString().slice(0, 10);
};
/** The previous month, and the last day of the current month. */
export const lastMonth = { month: getLastDay(-1).slice(0, 7), last: getLastDay(-1) };
export const runningMonthEnd = getLastDay(0);
/** A day in the previous month. */
export const getDay = (day: number): string => `${lastMonth.month}-${String(day).padStart(2, '0')}`;

export const addressIn = (state: State) => ({ ...places[state], state, country: 'US' });
export const periodView = (state: State, last = lastMonth.last) => `#/filings/US-${state}/${last}`;

let isCounting = false;

/** Creates an account that files monthly in eight states, with its client. Reports include its sales. */
export const newShop = async (settings: object = {}) => {
  if (!isCounting) await startEventSource(environment.tables.transactions);
  isCounting = true;
  const registrations = states.map((state) => ({ state, from: getDay(1), to: null, frequency: 'month' as const }));
  const caller = await newCaller({ scopes: ['read', 'write', 'settings'], settings: { registrations, ...settings } });
  const filer = createFiler(caller);
  const sell = (state: State, document: Record<string, unknown> = {}) =>
    made(
      filer.create({
        status: 'finalized',
        tax_date: getDay(15),
        customer: { address: addressIn(state) },
        line_items: [{ id: 'one', product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' }],
        ...document,
      }),
    );
  /** Credits the rest of a sale. */
  const refund = (state: State, sale: { readonly id: string }, document: object = {}) => {
    const rest = { type: 'credit', parent_transaction_id: sale.id, credit_remaining: true };
    return sell(state, { ...rest, line_items: null, customer: null, ...document });
  };
  return { ...caller, filer, sell, refund };
};
export type Shop = Awaited<ReturnType<typeof newShop>>;
