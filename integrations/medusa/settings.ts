import { checkShopName } from '../core/transactions.ts';

export type Settings = {
  readonly url: string;
  readonly apiKey: string;
  readonly shop: string;
  readonly timeoutMs: number;
  readonly pauseMs: number;
  /** Whether to refuse an order without a tax from Levy. Otherwise the default rate of the tax region applies. */
  readonly isBlocking: boolean;
};
type Environment = Readonly<Record<string, string | undefined>>;

const urlOf = ({ LEVY_URL: url }: Environment): string => {
  if (!url) throw new Error('Set LEVY_URL to the address of Levy, such as "https://levy.example.com".');
  if (!/^https?:\/\/[^/]/.test(url)) throw new Error(`LEVY_URL must begin with http:// or https://, not be "${url}".`);
  return url;
};

const keyOf = ({ LEVY_API_KEY: key }: Environment): string => {
  if (!key) throw new Error('Set LEVY_API_KEY to a key of your Levy account with the scopes `read` and `write`.');
  return key;
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
export const shopNameOf = (environment: Environment = process.env): string => environment['LEVY_SHOP'] || 'medusa';

/** Reads the settings from the environment, like Medusa's settings. Throws if one is missing or invalid. */
export const settingsOf = (environment: Environment = process.env): Settings => {
  const shop = shopNameOf(environment);
  checkShopName(shop);
  return {
    url: urlOf(environment),
    apiKey: keyOf(environment),
    shop,
    // A cart's lock lasts longer, but other requests wait for it at most two seconds.
    timeoutMs: milliseconds(environment, 'LEVY_TIMEOUT_MS', 1000),
    pauseMs: milliseconds(environment, 'LEVY_PAUSE_MS', 5000),
    isBlocking: isBlocking(environment),
  };
};
