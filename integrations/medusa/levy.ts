import { createClient } from '../../shared/client/client.ts';
import type { Cart } from '../core/order.ts';
import { type CartTax, createQuotes, type GetQuote, taxOfCart } from '../core/quotes.ts';
import { checkShopName, connectionFrom, type Environment, type Ledger } from '../core/transactions.ts';

export type Settings = {
  readonly url: string;
  readonly apiKey: string;
  readonly shop: string;
  readonly timeoutMs: number;
  readonly pauseMs: number;
  /** Whether to refuse an order without a tax from Levy. Otherwise the default rate of the tax region applies. */
  readonly isBlocking: boolean;
};
const isBlocking = ({ LEVY_FALLBACK: fallback = 'shop_rate' }: Environment): boolean => {
  if (fallback !== 'shop_rate' && fallback !== 'block')
    throw new Error(`LEVY_FALLBACK must be "shop_rate" or "block", not "${fallback}".`);
  return fallback === 'block';
};

const milliseconds = (environment: Environment, name: string, initial: number): number => {
  const text = environment[name] ?? String(initial);
  if (!/^\d{1,6}$/.test(text)) throw new Error(`${name} must be a whole number of milliseconds, not "${text}".`);
  return Number(text);
};

/** The shop's name, which is the prefix of idempotency keys and of customer ids in Levy. */
export const getShopName = (environment: Environment = process.env): string => environment['LEVY_SHOP'] || 'medusa';

/** Reads the settings from the environment, like Medusa's settings. Throws if one is missing or invalid. */
export const getSettings = (environment: Environment = process.env): Settings => {
  const shop = getShopName(environment);
  checkShopName(shop);
  return {
    ...connectionFrom(environment),
    shop,
    // A cart's lock lasts longer, but other requests wait for it at most two seconds.
    timeoutMs: milliseconds(environment, 'LEVY_TIMEOUT_MS', 1000),
    pauseMs: milliseconds(environment, 'LEVY_PAUSE_MS', 5000),
    isBlocking: isBlocking(environment),
  };
};

/** The methods of Medusa's logger that the adapter uses. */
export type Logger = Readonly<Record<'info' | 'warn' | 'error', (text: string) => void>>;

/** Medusa's `query` and `logger` from the container. */
export type Container = { readonly resolve: (name: string) => unknown };
type Query = { readonly graph: (options: object) => Promise<{ readonly data: readonly unknown[] }> };

export const getQuery = (container: Container): Query => container.resolve('query') as Query;
export const getLogger = (container: Container): Logger => container.resolve('logger') as Logger;

const pageSize = 100;

/** Yields the rows of a query, page by page. */
export async function* listRows(container: Container, options: object): AsyncGenerator<unknown> {
  for (let skip = 0; ; skip += pageSize) {
    const pagination = { skip, take: pageSize, order: { id: 'ASC' } };
    const { data } = await getQuery(container).graph({ ...options, pagination });
    yield* data;
    if (data.length < pageSize) return;
  }
}

type Levy = { readonly settings: Settings; readonly ledger: Ledger; readonly quote: GetQuote };
let shared: Levy | undefined;

/** The process-wide connection to Levy. Throws if a setting is missing or invalid. */
export const levy = (): Levy => {
  if (shared) return shared;
  const settings = getSettings();
  const client = createClient({ url: settings.url, apiKey: settings.apiKey });
  const { timeoutMs, pauseMs, shop } = settings;
  // If an order is edited, Medusa multiplies the rates of an item by its new quantity, but not the rates of shipping.
  const quote = createQuotes({ levy: client, timeoutMs, pauseMs, feesOn: 'shipping' });
  shared = { settings, ledger: { levy: client, shop }, quote };
  return shared;
};

/** Returns the tax of a cart. Never throws for an outage. */
export const readTax = (cart: Cart): Promise<CartTax> => taxOfCart((document) => levy().quote(document), cart);
