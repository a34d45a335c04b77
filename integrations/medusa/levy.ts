import { createClient } from '../../shared/client/client.ts';
import { documentOf } from '../core/document.ts';
import type { Cart } from '../core/order.ts';
import { createQuotes, type GetQuote, type Quote } from '../core/quotes.ts';
import type { Ledger } from '../core/transactions.ts';

type Settings = {
  readonly url: string;
  readonly apiKey: string;
  readonly shop: string;
  readonly timeoutMs: number;
  readonly pauseMs: number;
  /** Whether an order without a tax of Levy is refused. Otherwise it has the default rate of the tax region. */
  readonly isBlocking: boolean;
};

const required = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}: the address or the key of your Levy account.`);
  return value;
};

const milliseconds = (name: string, initial: number): number => {
  const value = Number(process.env[name] ?? initial);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name} must be a number of milliseconds.`);
  return value;
};

/** The settings from the environment, as Medusa's own settings come from there. */
const settingsOf = (): Settings => ({
  url: required('LEVY_URL'),
  apiKey: required('LEVY_API_KEY'),
  shop: process.env['LEVY_SHOP'] || 'medusa',
  // The lock of a cart lasts longer, but other requests wait two seconds for it.
  timeoutMs: milliseconds('LEVY_TIMEOUT_MS', 1000),
  pauseMs: milliseconds('LEVY_PAUSE_MS', 5000),
  isBlocking: process.env['LEVY_FALLBACK'] === 'block',
});

type Levy = { readonly settings: Settings; readonly ledger: Ledger; readonly quote: GetQuote };
let shared: Levy | undefined;

/** The one connection of a process to Levy. Throws where a setting is missing. */
export const levy = (): Levy => {
  if (shared) return shared;
  const settings = settingsOf();
  const client = createClient({ url: settings.url, apiKey: settings.apiKey });
  const { timeoutMs, pauseMs, shop } = settings;
  shared = { settings, ledger: { levy: client, shop }, quote: createQuotes({ levy: client, timeoutMs, pauseMs }) };
  return shared;
};

/** Levy's tax of a cart; `open` without an address, `foreign` outside of the United States. */
export type CartTax = Quote | { readonly ok: false; readonly reason: 'open' | 'foreign'; readonly detail: string };

/** The tax of a cart. Never throws for an outage. */
export const taxOf = async (cart: Cart): Promise<CartTax> => {
  const documented = documentOf(cart);
  if (documented.ok) return levy().quote(documented.document);
  const { code, detail } = documented.gap;
  const reasons = {
    no_lines: 'open',
    no_address: 'open',
    incomplete_address: 'refused',
    foreign_country: 'foreign',
  } as const;
  return { ok: false, reason: reasons[code], detail };
};
