import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import type { components, paths } from './openapi-types.ts';

/** Options of `createClient`. Use the client on a server only: the key can read and write the account. */
export type ClientOptions = {
  readonly url: string;
  readonly apiKey?: string;
  /** Returns a bearer token, instead of a key. The client calls it before every attempt. */
  readonly token?: () => string | Promise<string>;
  /** Maximum number of attempts for a request. Default: 4. */
  readonly attempts?: number;
  /** Maximum milliseconds between attempts. A response with a longer Retry-After is returned. Default: 15,000. */
  readonly pauseMsMax?: number;
  /** Maximum milliseconds for one attempt, including its body. Default: 30,000. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
};
export type Client = FetchClient<paths, 'application/json'>;

const serviceVersion: components['parameters']['ServiceVersion'] = 'aspen.2026-10-01';

/** The response is not from the Levy API, such as an error page of a proxy. */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });

// Retry-After plus up to a second, or exponential backoff with full jitter.
const backoffMs = (response: Response | null, attempt: number, pauseMsMax: number): number => {
  const retryAfter = response?.headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000 + Math.random() * 1000;
  return Math.random() * Math.min(pauseMsMax, 500 * 2 ** attempt);
};

// The API returns every error as JSON with an `errors` array.
const isFromApi = async (response: Response): Promise<boolean> =>
  response.ok || response.status === 304 || /^\{\s*"errors"\s*:\s*\[.*\}\s*$/s.test(await response.clone().text());

/** Retry 429, 503 and network failures. Every POST has an Idempotency-Key, or changes nothing. */
const retryingFetch = (options: ClientOptions) => async (request: Request) => {
  const { attempts = 4, pauseMsMax = 15_000, timeoutMs = 30_000, fetch = globalThis.fetch } = options;
  const { url, method, signal, headers } = request;
  const body = method === 'GET' ? null : await request.text();
  if (method !== 'GET' && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', crypto.randomUUID());
  const sendOnce = async (): Promise<Response> => {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(url, { method, headers, body, signal: timeout });
    // Read the body here, because the connection can fail after the headers.
    const bytes = await response.arrayBuffer();
    return new Response([204, 304].includes(response.status) ? null : bytes, response);
  };
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    if (options.token) headers.set('Authorization', `Bearer ${await options.token()}`);
    const response = await sendOnce().catch((error: unknown) => {
      if (attempt >= attempts || signal.aborted) throw error;
      return null;
    });
    const ms = backoffMs(response, attempt, pauseMsMax);
    const isRetried = attempt < attempts && ms <= pauseMsMax && (response?.status === 429 || response?.status === 503);
    if (response && !isRetried) {
      if (await isFromApi(response)) return response;
      throw new UnexpectedResponse(`${method} ${url} returned ${response.status}, not from the Levy API.`);
    }
    await pause(ms, signal);
  }
};

/** Create a client: `createClient({ url: 'http://127.0.0.1:3000', apiKey: 'levy_demo' })`. */
export const createClient = (options: ClientOptions): Client => {
  const headers = { 'Service-Version': serviceVersion, ...(options.apiKey && { 'X-API-Key': options.apiKey }) };
  return createFetchClient({ baseUrl: options.url, fetch: retryingFetch(options), headers });
};

type Page<Item> = { readonly data: readonly Item[]; readonly next_cursor: string | null };
type PageResult<Item> = { readonly data?: Page<Item> | null; readonly error?: components['schemas']['ErrorResponse'] };

/** Yield every item of a list, page by page. Throws an `Error` whose `cause` is the API's error response. */
export async function* everyItem<Item>(getPage: (cursor: { starting_after?: string }) => Promise<PageResult<Item>>) {
  for (let cursor: { starting_after?: string } | null = {}; cursor; ) {
    const { data, error }: PageResult<Item> = await getPage(cursor);
    if (error) throw new Error(error.errors[0]?.detail, { cause: error });
    yield* data?.data ?? [];
    cursor = data?.next_cursor ? { starting_after: data.next_cursor } : null;
  }
}
