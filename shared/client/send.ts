/** The service and the credentials. Use an API key only on servers, because it can read and write the account. */
export type ClientOptions = {
  /** The address of the service, such as `http://127.0.0.1:3000` or `https://….amazonaws.com/v1`. */
  readonly url: string;
  /**
   * Timeout of one attempt in milliseconds, including fetching the token and reading the response body. Default:
   * 30,000.
   */
  readonly timeoutMs?: number;
  /** Maximum attempts per call, including the first. Default: 4. */
  readonly maxTries?: number;
  readonly fetch?: typeof globalThis.fetch;
} & ({ readonly apiKey: string } | { /** Called before each try. */ readonly token: () => string | Promise<string> });

/** Options of one call. `timeoutMs` and `maxTries` override the client's. */
export type CallOptions = Partial<Pick<ClientOptions, 'timeoutMs' | 'maxTries'>> & {
  /**
   * Sent with each attempt of a POST. Default: a random key. Store a key with the order to repeat the call after a
   * crash.
   */
  readonly idempotencyKey?: string;
  /** Aborts the call, even between attempts. The call then throws the signal's reason. */
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
};

export type HttpResponse = { readonly status: number; readonly headers: Headers; readonly body: unknown };
type Outgoing = {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | null;
};

/** Returns the seconds of `Retry-After`, or `null`. */
const getRetryAfter = (response: HttpResponse | null): number | null => {
  const text = response?.headers.get('Retry-After') ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
};

/** Describes an error with the cause that `fetch` hides: `TypeError: fetch failed (ECONNREFUSED)`. */
const describeError = (error: unknown): string => {
  const { code, message } = (error as { cause?: { code?: unknown; message?: unknown } } | null)?.cause ?? {};
  const cause = code ?? message;
  return cause ? `${String(error)} (${String(cause)})` : String(error);
};

/**
 * Thrown if every attempt got no response, 429 or 5xx. A write may or may not have been recorded: to find out, repeat
 * the same call with this `idempotencyKey`.
 */
export class LevyUnavailable extends Error {
  override readonly name = 'LevyUnavailable';
  /** The HTTP status of the last attempt, or `null` if there was no response. */
  readonly status: number | null;
  readonly idempotencyKey: string | null;
  /** The `Retry-After` of the last response in seconds, or `null`. */
  readonly retryAfterSeconds: number | null;
  constructor({ method, url, headers }: Outgoing, tries: number, response: HttpResponse | null, cause: unknown) {
    const reason = response
      ? `Status ${response.status}: ${JSON.stringify(response.body).slice(0, 500)}`
      : describeError(cause);
    super(`${method} ${url.split('?')[0]} failed in attempt ${tries}. ${reason}`, { cause });
    this.status = response?.status ?? null;
    this.retryAfterSeconds = getRetryAfter(response);
    this.idempotencyKey = headers.get('Idempotency-Key');
  }
}

const maxPauseMs = 15_000;

/** Waits, or returns early if the signal aborts. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

/** Settles with `work`, after `ms`, or when the caller aborts, even if `work` ignores its signal. */
const within = async <T>(ms: number, caller: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) => {
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const onAbort = () => controller.abort(caller?.reason);
  const timer = setTimeout(() => controller.abort(new DOMException(`No response in ${ms} ms.`, 'TimeoutError')), ms);
  caller?.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', onAbort);
  }
};

const sendOnce = async (options: ClientOptions, { method, url, headers, body }: Outgoing, signal: AbortSignal) => {
  if ('token' in options) headers.set('Authorization', `Bearer ${await options.token()}`);
  const { fetch = globalThis.fetch } = options;
  // Following a redirect would send the key to a different address.
  const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' });
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
};

// The response may come from a proxy or a captive portal.
const isFromLevy = ({ status, headers, body }: HttpResponse): boolean => {
  if (status < 300)
    return (
      (typeof body === 'object' && body !== null) ||
      /^(text\/csv|application\/xml)\b/.test(headers.get('Content-Type') ?? '')
    );
  return status === 304 || Array.isArray((body as { errors?: unknown } | null)?.errors);
};

// `Retry-After` plus up to a second, or exponential backoff with full jitter.
const pauseMs = (response: HttpResponse | null, tries: number): number => {
  const retryAfter = getRetryAfter(response);
  if (retryAfter !== null) return retryAfter * 1000 + Math.random() * 1000;
  return Math.random() * Math.min(maxPauseMs, 500 * 2 ** tries);
};

/**
 * Sends a request until Levy returns a success or a refusal. Network failures, timeouts, 429 and 5xx are retried,
 * because each POST has an Idempotency-Key or changes nothing. Throws `LevyUnavailable` after the last try, and
 * immediately if Retry-After exceeds 15 s or the response is final and not from Levy.
 */
export const send = async (options: ClientOptions, outgoing: Outgoing, call: CallOptions): Promise<HttpResponse> => {
  // Defaults are not spread, because a call option can be `undefined`.
  const { timeoutMs = options.timeoutMs ?? 30_000, maxTries = options.maxTries ?? 4, signal } = call;
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted();
    let failure: unknown;
    const response = await within(timeoutMs, signal, (stop) => sendOnce(options, outgoing, stop)).catch(
      (error: unknown) => {
        failure = error;
        return null;
      },
    );
    signal?.throwIfAborted();
    const canRetry = response === null || response.status === 429 || response.status >= 500;
    if (!canRetry && isFromLevy(response)) return response;
    const ms = pauseMs(response, tries);
    if (!canRetry || tries >= maxTries || ms > maxPauseMs + 1000)
      throw new LevyUnavailable(outgoing, tries, response, failure);
    await pause(ms, signal);
  }
};
