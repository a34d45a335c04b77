import { startEventSource } from '../../infra/local/event-source.ts';
import { environment } from '../../shared/config/environment.ts';
import { newCaller } from '../support/api.ts';
import { filerOf } from '../support/filings.ts';
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

/** The first and the last day of the month before this one. */
export const lastMonth = (() => {
  const now = new Date();
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1));
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0));
  return { first: first.toISOString().slice(0, 10), last: last.toISOString().slice(0, 10) };
})();

export const addressIn = (state: State) => ({ ...places[state], state, country: 'US' });

let isCounting = false;

/** An account that files each month in eight states, and its client. Reports count its sales. */
export const newShop = async () => {
  if (!isCounting) await startEventSource(environment.tables.transactions);
  isCounting = true;
  const registrations = states.map((state) => ({
    state,
    from: lastMonth.first,
    to: null,
    frequency: 'month' as const,
  }));
  const caller = await newCaller({ settings: { registrations } });
  const filer = filerOf(caller);
  const sell = (state: State, document: Record<string, unknown> = {}) =>
    made(
      filer.create({
        status: 'finalized',
        tax_date: `${lastMonth.first.slice(0, 8)}15`,
        customer: { address: addressIn(state) },
        line_items: [{ id: 'one', product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' }],
        ...document,
      }),
    );
  return { ...caller, filer, sell };
};
