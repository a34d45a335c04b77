import { createClient } from '../../shared/client/client.ts';
import { documentOf } from '../core/document.ts';
import type { Cart } from '../core/order.ts';
import { createQuotes, type GetQuote, type Quote } from '../core/quotes.ts';
import type { Ledger } from '../core/transactions.ts';
import { type Settings, settingsOf } from './settings.ts';

type Levy = { readonly settings: Settings; readonly ledger: Ledger; readonly quote: GetQuote };
let shared: Levy | undefined;

/** The process-wide connection to Levy. Throws if a setting is missing or invalid. */
export const levy = (): Levy => {
  if (shared) return shared;
  const settings = settingsOf();
  const client = createClient({ url: settings.url, apiKey: settings.apiKey });
  const { timeoutMs, pauseMs, shop } = settings;
  shared = { settings, ledger: { levy: client, shop }, quote: createQuotes({ levy: client, timeoutMs, pauseMs }) };
  return shared;
};

/** Levy's tax of a cart: `open` without an address, `foreign` outside of the United States. */
export type CartTax = Quote | { readonly ok: false; readonly reason: 'open' | 'foreign'; readonly detail: string };

/** Returns the tax of a cart. Never throws for an outage. */
export const taxOf = async (cart: Cart): Promise<CartTax> => {
  const documented = documentOf(cart);
  if (documented.ok) return levy().quote(documented.document);
  const { code, detail } = documented.gap;
  const reasons = {
    no_lines: 'open',
    no_address: 'open',
    incomplete_address: 'address',
    foreign_country: 'foreign',
  } as const;
  return { ok: false, reason: reasons[code], detail };
};
