import type { components, paths } from './openapi-types.ts';
import { type CallOptions, type ClientOptions, send } from './send.ts';
import type { Arguments, Data, Method, Operation, PathOf, Refusal, Result } from './types.ts';

export { type CallOptions, type ClientOptions, LevyUnavailable } from './send.ts';
export type { Refusal, Result, Schemas } from './types.ts';
export type { components, paths };

type Failing = {
  readonly detail: string;
  readonly source?: { readonly pointer?: string; readonly parameter?: string; readonly header?: string } | null;
};

/** `/line_items/0/quantity: Send a decimal as a string, such as "1".` */
const formatFailure = ({ source, detail }: Failing): string => {
  const field = source?.pointer || source?.parameter || source?.header;
  return field ? `${field}: ${detail}` : detail;
};

/**
 * Thrown by `orThrow` and `list`. The message contains the code of the first error, then one line per error with its
 * field: `validation_invalid_format: /line_items/0/quantity: Send a decimal as a string, such as "1".`
 */
export class LevyRefused extends Error {
  override readonly name = 'LevyRefused';
  readonly refusal: { readonly status: number; readonly code: string; readonly errors: readonly object[] };
  constructor(refusal: LevyRefused['refusal'] & { readonly detail: string }) {
    const lines = (refusal.errors as readonly Failing[]).map(formatFailure);
    super(`${refusal.code}: ${lines.join('\n') || refusal.detail}`);
    this.refusal = refusal;
  }
}

type AnyRefusal = ConstructorParameters<typeof LevyRefused>[0];

/** Returns the data of a successful response. Throws `LevyRefused` for a refusal. */
export const orThrow = <Value>(result: Result<Value, AnyRefusal>): Value => {
  if (!result.ok) throw new LevyRefused(result.refusal);
  return result.data;
};

type Page<Value = unknown> = {
  readonly data: readonly Value[];
  readonly has_more: boolean;
  readonly next_cursor?: string | null;
};
/**
 * Iterates over a paged list, at the top level or inside a resource. `getPage` receives `{}`, then the cursor of each
 * next page. For the API's top-level lists, use `list`.
 */
export async function* everyItem<Value>(getPage: (cursor: { starting_after?: string }) => Promise<Page<Value>>) {
  for (let cursor: { starting_after?: string } | null = {}; cursor; ) {
    const { data, has_more, next_cursor }: Page<Value> = await getPage(cursor);
    yield* data;
    // Product tax codes and attributes have no cursor; their last code is the cursor.
    const code = (data.at(-1) as { readonly code?: string } | undefined)?.code;
    const next: string | null | undefined = next_cursor === undefined && has_more ? code : next_cursor;
    cursor = next ? { starting_after: next } : null;
  }
}

type ListPath = { [P in PathOf<'get'>]: Data<Operation<P, 'get'>> extends Page ? P : never }[PathOf<'get'>];
type Item<P extends ListPath> = Data<Operation<P, 'get'>> extends { data: readonly (infer I)[] } ? I : never;
type CsvPath = {
  [P in PathOf<'get'>]: [Data<Operation<P, 'get'>, 'text/csv'>] extends [never] ? never : P;
}[PathOf<'get'>];
type Call<P extends keyof paths, M extends Method> = Arguments<Operation<P, M>>;
type ApiResult<P extends keyof paths, M extends Method, Value = Data<Operation<P, M>>> = Promise<
  Result<Value, Refusal<Operation<P, M>>>
>;

/** API calls by path. All throw `LevyUnavailable` during an outage. */
export type Levy = {
  get<P extends PathOf<'get'>>(path: P, ...input: Call<P, 'get'>): ApiResult<P, 'get'>;
  post<P extends PathOf<'post'>>(path: P, ...input: Call<P, 'post'>): ApiResult<P, 'post'>;
  /** Returns a resource as CSV text. */
  getCsv<P extends CsvPath>(path: P, ...input: Call<P, 'get'>): ApiResult<P, 'get', string>;
  /** Iterates over a list, page by page; `query.limit` is the page size. Throws `LevyRefused` for a refusal. */
  list<P extends ListPath>(path: P, ...input: Call<P, 'get'>): AsyncGenerator<Item<P>>;
};

/** The options of any call. The types of `Levy` are more precise. */
type Loose = CallOptions & {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object;
};

const serviceVersion: components['schemas']['ServiceVersion'] = 'aspen.2026-10-01';

const buildUrl = (base: string, template: string, { path = {}, query = {} }: Loose): string => {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name];
    // URL parsing removes such segments, so the request would go to a different resource.
    if (!value || value === '.' || value === '..')
      throw new TypeError(`${template} needs path.${name}, not "${value}".`);
    return encodeURIComponent(value);
  });
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return `${base.replace(/\/+$/, '')}${filled}${text && `?${text}`}`;
};

/** Creates a client: `createClient({ url: 'http://127.0.0.1:3000', apiKey: 'levy_demo' })`. */
export const createClient = (options: ClientOptions): Levy => {
  const credential = 'apiKey' in options ? options.apiKey : options.token;
  if (!credential)
    throw new TypeError('createClient needs an apiKey, or a function token that returns a bearer token.');
  if (!/^https?:\/\//i.test(options.url ?? ''))
    throw new TypeError(
      `createClient needs a url such as http://127.0.0.1:3000, with http:// or https://, not "${options.url}".`,
    );
  const call = async (method: string, path: string, input: Loose = {}) => {
    const headers = new Headers({ 'Service-Version': serviceVersion, ...input.headers });
    if ('apiKey' in options) headers.set('X-API-Key', options.apiKey);
    const key = input.idempotencyKey ?? headers.get('Idempotency-Key') ?? crypto.randomUUID();
    if (method === 'POST') headers.set('Idempotency-Key', key);
    if (input.body) headers.set('Content-Type', 'application/json');
    const body = input.body ? JSON.stringify(input.body) : null;
    const response = await send(options, { method, url: buildUrl(options.url, path, input), headers, body }, input);
    const shared = { status: response.status, headers: response.headers };
    if (response.status < 300) return { ok: true, data: response.body, ...shared };
    const { errors } = (response.status === 304 ? { errors: [] } : response.body) as {
      errors: { code: string; detail: string }[];
    };
    const { code, detail } = errors[0] ?? { code: 'not_modified', detail: 'The resource matches If-None-Match.' };
    return { ok: false, refusal: { status: response.status, code, detail, errors }, headers: response.headers };
  };
  const getCsv = (path: string, input: Loose = {}) =>
    call('GET', path, { ...input, headers: { ...input.headers, Accept: 'text/csv' } });
  return {
    get: (path: string, input?: Loose) => call('GET', path, input),
    post: (path: string, input?: Loose) => call('POST', path, input),
    getCsv,
    list: (path: string, input: Loose = {}) =>
      everyItem(async (cursor) => {
        const result = await call('GET', path, { ...input, query: { ...input.query, ...cursor } });
        return orThrow(result as Result<Page, AnyRefusal>);
      }),
  } as Levy;
};
