/** What a client is made with. It belongs on a server: whoever has its key can read and write the account. */
export type Settings = {
  /** Where the service is, without a slash at the end. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Instead of a key: what answers a bearer token. It is asked before every attempt. */
  readonly token?: (() => string | Promise<string>) | undefined;
  /** Default: the version of the document that this file was made from. */
  readonly serviceVersion?: string | undefined;
  /** How often a request is sent at the most. Default: 4. */
  readonly attempts?: number | undefined;
  /** The longest pause before a request is sent again, in milliseconds. What asks for more is answered as it is. Default: 15,000. */
  readonly pauseMsMax?: number | undefined;
  /** How long an attempt may take until all of its answer is there, in milliseconds. Then it is as if the network had failed. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** In their place: what sends, and what waits, until the signal says that nobody waits for it. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly pause?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
};

/** What the caller decides about one request. */
export type CallOptions = { readonly signal?: AbortSignal | undefined };

export type Success<Status extends number, Data> = {
  readonly ok: true;
  readonly status: Status;
  readonly data: Data;
  readonly headers: Headers;
};
export type Refusal<Status extends number, Problem> = {
  readonly ok: false;
  readonly status: Status;
  /** The first one has decided about the status. */
  readonly errors: readonly [Problem, ...Problem[]];
  readonly headers: Headers;
};

/** Something answered that is not this API: a proxy, or a wrong address. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
  readonly status: number;
  constructor(status: number, operation: string) {
    super(`${operation} was answered with ${status}, and not by this API.`);
    this.status = status;
  }
}

/** A refusal where only an exception can tell of it: in a loop over pages. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: Refusal<number, { readonly code: string; readonly title: string; readonly detail: string }>;
  constructor(refusal: Refused['refusal']) {
    super(`${refusal.errors[0].code}: ${refusal.errors[0].detail}`);
    this.refusal = refusal;
  }
}

type Values = { readonly [name: string]: unknown };
type Sent = {
  readonly path?: Values | undefined;
  readonly query?: Values | undefined;
  readonly headers?: Values | undefined;
  readonly body?: unknown;
  readonly accept?: string | undefined;
};
type OperationDefinition = {
  readonly method: string;
  readonly path: string;
  /** Whether it takes an Idempotency-Key, under which it may be sent again. */
  readonly takesKey: boolean;
  /** Whether it changes nothing, and so may be sent again as it is. */
  readonly changesNothing: boolean;
};

const addressOf = (url: string, path: string, { path: parameters = {}, query = {} }: Sent): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = String(parameters[name] ?? '');
    // "." and ".." would be resolved away, and lead to another path.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`The path parameter ${name} cannot be "${value}".`);
    return encodeURIComponent(value);
  });
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)]));
  return `${url.replace(/\/+$/, '')}${filled}${pairs.length > 0 ? `?${search}` : ''}`;
};

const headersOf = (settings: Settings, operation: OperationDefinition, sent: Sent, version: string): Headers => {
  const headers = new Headers({ Accept: sent.accept ?? 'application/json', 'Service-Version': version });
  if (sent.body !== undefined) headers.set('Content-Type', 'application/json');
  if (settings.apiKey !== undefined) headers.set('X-API-Key', settings.apiKey);
  for (const [name, value] of Object.entries(sent.headers ?? {}))
    if (value !== undefined && value !== null) headers.set(name, String(value));
  // Made once for a call: every attempt carries the same one.
  if (operation.takesKey && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', crypto.randomUUID());
  return headers;
};

/** An answer of which all is there. */
type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

// Seconds, or a date: by the clock of whoever wrote it. NaN where it says neither.
const retryAfterMs = (headers: Headers): number => {
  const text = headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const clock = Date.parse(headers.get('Date') ?? '');
  return /^[A-Z][a-z]/.test(text) ? Math.max(0, Date.parse(text) - (clock || Date.now())) : Number.NaN;
};

// Never sooner than Retry-After says. Without it, twice as long each time, and anywhere within that, so that clients that
// failed together do not come back together.
const pauseMsOf = (answer: Answer | null, attempt: number, pauseMsMax: number): number => {
  const asked = answer ? retryAfterMs(answer.headers) : Number.NaN;
  return Number.isNaN(asked) ? Math.random() * Math.min(pauseMsMax, 500 * 2 ** attempt) : asked + Math.random() * 1000;
};

const isEnvelope = (body: unknown): body is { errors: Refused['refusal']['errors'] } =>
  typeof body === 'object' && body !== null && 'errors' in body && Array.isArray(body.errors) && body.errors.length > 0;

const readJson = ({ status, text }: Answer, name: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnexpectedAnswer(status, name);
  }
};

const read = (answer: Answer, name: string) => {
  const { status, headers, text } = answer;
  if (status === 304) return { ok: true, status, data: null, headers } as const;
  const isJson = /^application\/json\b/i.test(headers.get('Content-Type') ?? '');
  const body = isJson ? readJson(answer, name) : text;
  if (status >= 200 && status < 300) return { ok: true, status, data: body, headers } as const;
  if (!isEnvelope(body)) throw new UnexpectedAnswer(status, name);
  return { ok: false, status, errors: body.errors, headers } as const;
};

const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    signal?.addEventListener('abort', giveUp, { once: true });
  });

/** Send requests of one client: again, where that is safe, when the service is busy or the network failed. */
export const senderOf = (settings: Settings, documentVersion: string) => {
  const { attempts = 4, pauseMsMax = 15_000, timeoutMs = 30_000, pause = sleep } = settings;
  const request = settings.fetch ?? globalThis.fetch;
  return async (name: string, operation: OperationDefinition, sent: Sent = {}, { signal }: CallOptions = {}) => {
    const address = addressOf(settings.url, operation.path, sent);
    const headers = headersOf(settings, operation, sent, settings.serviceVersion ?? documentVersion);
    const body = sent.body === undefined ? null : JSON.stringify(sent.body);
    const isSafe = operation.changesNothing || headers.has('Idempotency-Key');
    const once = async (isLast: boolean): Promise<Answer | null> => {
      if (settings.token) headers.set('Authorization', `Bearer ${await settings.token()}`);
      try {
        const ends = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
        const answer = await request(address, { method: operation.method, headers, body, signal: ends });
        // A reply can be lost half way, too.
        return { status: answer.status, headers: answer.headers, text: await answer.text() };
      } catch (error) {
        if (isLast || !isSafe || signal?.aborted) throw error;
        return null;
      }
    };
    for (let attempt = 1; ; attempt++) {
      const answer = await once(attempt >= attempts);
      const isBusy = !answer || answer.status === 429 || answer.status === 503;
      const pauseMs = pauseMsOf(answer, attempt, pauseMsMax);
      if (answer && !(isBusy && isSafe && attempt < attempts && pauseMs <= pauseMsMax)) return read(answer, name);
      signal?.throwIfAborted();
      await pause(pauseMs, signal);
      signal?.throwIfAborted();
    }
  };
};

type Page<Item> = { readonly data: readonly Item[]; readonly next_cursor: string | null };
type Listed =
  | { readonly ok: true; readonly data: unknown }
  | {
      readonly ok: false;
      readonly status: number;
      readonly errors: Refused['refusal']['errors'];
      readonly headers: Headers;
    };
type ListOperation = (request: never) => Promise<Listed>;
type RequestOf<List extends ListOperation> = Exclude<Parameters<List>[0], undefined>;
type DataOf<List extends ListOperation> = Extract<Awaited<ReturnType<List>>, { ok: true }>['data'];
type ItemOf<Data> = Data extends Page<infer Item> ? Item : never;

/**
 * Every item of a list, page after page: `for await (const sale of everyItem(levy.listTransactions, { query: {} }))`.
 *
 * For a list inside of an answer, such as the entries of a filing, `pageOf` says where it is. A refusal throws `Refused`.
 */
export async function* everyItem<List extends ListOperation, Data = DataOf<List>>(
  list: List,
  request: RequestOf<List>,
  pageOf: (data: DataOf<List>) => Data | null = (data) => data as Data,
): AsyncGenerator<ItemOf<Data>, void, void> {
  const asked: { readonly query?: object } = request;
  let query = asked.query;
  for (;;) {
    const answer = await list({ ...asked, query } as never);
    if (!answer.ok) throw new Refused(answer);
    const page = pageOf(answer.data as DataOf<List>) as unknown as Page<ItemOf<Data>> | null;
    yield* page?.data ?? [];
    if (!page || page.next_cursor === null) return;
    query = { ...asked.query, starting_after: page.next_cursor };
  }
}
